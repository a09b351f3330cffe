import fc from 'fast-check';
import { CRASH_POINTS, type CrashPoint } from '../../reconcile/support/crash.ts';
import type { PlannedFault } from '../../../src/simulator/faults/scenario.ts';
import { MANAGED, type ManagedName, SECRET_NAMES, type SecretName } from './declared.ts';
import { THEIRS, type TheirName } from './theirs.ts';

/** An act of a person, or a fault. `value` counts through the values of a field. */
export type Act =
  /** The user declares a value. */
  | { readonly kind: 'declare'; readonly field: ManagedName; readonly value: number }
  /** The user removes a field from the spec. */
  | { readonly kind: 'release'; readonly field: ManagedName }
  /** The user asks to empty a field. */
  | { readonly kind: 'clear'; readonly field: ManagedName }
  /** The user declares this list of secrets, or stops managing the list. */
  | { readonly kind: 'secrets'; readonly names: readonly SecretName[] | undefined }
  | { readonly kind: 'rotate'; readonly name: SecretName }
  /** Somebody changes a field at the service: one that the story declares, or one that it never does. */
  | { readonly kind: 'edited'; readonly field: ManagedName; readonly value: number }
  | { readonly kind: 'edited-theirs'; readonly field: TheirName; readonly value: number }
  /** Somebody empties a field that we declare. */
  | { readonly kind: 'emptied'; readonly field: ManagedName }
  /** Somebody changes a field at the service right before our next request arrives. */
  | { readonly kind: 'raced'; readonly field: TheirName; readonly value: number }
  /** Somebody gives one of our secrets another value at the service. */
  | { readonly kind: 'secret-edited'; readonly name: SecretName }
  /** The user declares another repository with a branch that the service does not know, and is refused. */
  | { readonly kind: 'mistyped'; readonly field: ManagedName; readonly value: number }
  /** The user asks for a redeploy, or for a pass now. */
  | { readonly kind: 'redeploy' }
  | { readonly kind: 'reconcile' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  /** Somebody removes one of our secrets at the service. */
  | { readonly kind: 'secret-removed'; readonly name: SecretName }
  /** Somebody deploys the previous revision again. */
  | { readonly kind: 'redeployed' }
  | { readonly kind: 'pushed' }
  | { readonly kind: 'restart' }
  /** The process dies at a point of its next write, and another one starts. */
  | { readonly kind: 'crash'; readonly point: CrashPoint }
  | { readonly kind: 'fault'; readonly of: 'patch' | 'list'; readonly fault: PlannedFault['fault'] }
  | { readonly kind: 'nothing' };

/** An act, and the time after it in which nothing else happens. */
export interface Step {
  readonly act: Act;
  readonly thenS: number;
}

/** A story with every act that is not a fault. */
export const PLAIN_STORY: readonly Step[] = [
  step({ kind: 'declare', field: 'image', value: 0 }, 150),
  step({ kind: 'declare', field: 'cpu', value: 0 }, 150),
  step({ kind: 'secrets', names: ['API_TOKEN'] }, 120),
  step({ kind: 'edited', field: 'cpu', value: 1 }, 200),
  step({ kind: 'edited-theirs', field: 'install', value: 1 }, 150),
  step({ kind: 'declare', field: 'url', value: 0 }, 150),
  step({ kind: 'rotate', name: 'API_TOKEN' }, 120),
  step({ kind: 'restart' }, 120),
  step({ kind: 'declare', field: 'volumes', value: 1 }, 150),
  step({ kind: 'secrets', names: ['API_TOKEN', 'DB_PASSWORD'] }, 120),
  step({ kind: 'secrets', names: ['DB_PASSWORD'] }, 120),
  step({ kind: 'declare', field: 'volumes', value: 2 }, 150),
  step({ kind: 'clear', field: 'command' }, 150),
  step({ kind: 'release', field: 'url' }, 120),
  step({ kind: 'declare', field: 'image', value: 1 }, 150),
];

function step(act: Act, thenS: number): Step {
  return { act, thenS };
}

const managed = fc.constantFrom(...(Object.keys(MANAGED) as ManagedName[]));
const value = fc.nat(2);

const FAULTS: readonly PlannedFault['fault'][] = [
  { kind: 'delay', ms: 12_000 },
  { kind: 'hang' },
  { kind: 'reset-before' },
  { kind: 'reset-mid-body' },
  { kind: 'truncate' },
  { kind: 'wrong-type' },
  { kind: 'status', status: 429, headers: { 'retry-after': '7' } },
  { kind: 'status', status: 429, headers: { 'retry-after': '120' } },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 409 },
  { kind: 'status', status: 401 },
  { kind: 'apply-then-fail', how: 'reset' },
  { kind: 'apply-then-fail', how: 502 },
  { kind: 'apply-then-fail', how: 'hang' },
  { kind: 'fail-then-apply-late', how: 'reset', afterMs: 8_000 },
  { kind: 'fail-then-apply-late', how: 504, afterMs: 25_000 },
];

const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('declare' as const), field: managed, value }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), field: managed }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), field: managed }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('secrets' as const),
      names: fc.option(fc.subarray([...SECRET_NAMES]), { nil: undefined, freq: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('rotate' as const), name: fc.constantFrom(...SECRET_NAMES) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('edited' as const), field: managed, value }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('edited-theirs' as const),
      field: fc.constantFrom(...(Object.keys(THEIRS) as TheirName[])),
      value,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('emptied' as const), field: managed }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('raced' as const),
      field: fc.constantFrom(...(Object.keys(THEIRS) as TheirName[])),
      value,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('secret-edited' as const),
      name: fc.constantFrom(...SECRET_NAMES),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('mistyped' as const), field: managed, value }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'redeploy' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reconcile' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'pause' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'resume' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('secret-removed' as const),
      name: fc.constantFrom(...SECRET_NAMES),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'redeployed' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'pushed' } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: 'restart' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('crash' as const), point: fc.constantFrom(...CRASH_POINTS) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      of: fc.constantFrom('patch' as const, 'patch' as const, 'list' as const),
      fault: fc.constantFrom(...FAULTS),
    }),
  },
);

/** Stories in any order, with waits that let a later act fall into the middle of an earlier one. */
export const anyStory: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({ act, thenS: fc.constantFrom(0, 1, 5, 15, 45, 75, 100, 180) }),
  { minLength: 1, maxLength: 14 },
);

/** Pauses of a story of several days. Most acts meet a deployment at rest, and some follow the previous act at once. */
const LONG_WAITS_S: readonly number[] = [0, 5, 45, 180, 600, 1_800];
const LONG_WAIT_S = LONG_WAITS_S.reduce((sum, wait) => sum + wait, 0) / LONG_WAITS_S.length;

/**
 * Returns stories that take about this number of hours. A pause ends with the next act; otherwise half of the time
 * would be one pause.
 */
export function storyOf(hours: number): fc.Arbitrary<readonly Step[]> {
  const steps = Math.ceil((hours * 3_600) / LONG_WAIT_S);
  return fc
    .array(fc.record({ act, thenS: fc.constantFrom(...LONG_WAITS_S) }), {
      minLength: steps,
      maxLength: steps,
    })
    .map((story) => story.flatMap((one) => (one.act.kind === 'pause' ? [one, RESUMED] : [one])));
}

const RESUMED = step({ kind: 'resume' }, 45);
