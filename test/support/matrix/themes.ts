import fc from 'fast-check';
import type { Circumstances } from './circumstances.ts';
import { MANAGED, SECRET_NAMES } from './declared.ts';
import type { Act, Step } from './story.ts';
import type { Switches } from './switches.ts';

/** Acts that rarely coincide at random, with their conditions. */
export interface Theme {
  readonly switches: Partial<Switches>;
  readonly circumstances: Partial<Circumstances>;
  readonly story: readonly Step[];
  /** True: the random story is left out. */
  readonly alone?: boolean;
}

/** A run whose story may begin with a theme. */
interface Themed {
  readonly switches: Switches;
  readonly circumstances: Circumstances;
  readonly story: readonly Step[];
}

/** Switches of a service that shows its stored content at once and everywhere. */
const OPEN_SWITCHES = {
  listShape: 'full',
  listLag: 'none',
  normalise: 'none',
  secretsEcho: 'plain',
} as const satisfies Theme['switches'];

const OPEN_CIRCUMSTANCES = {
  driftPolicy: 'Correct',
  ignored: 'nothing',
  hidden: 'nothing',
  answers: 'as switched',
  replicas: 'equal',
  rollout: '20 seconds',
} as const satisfies Theme['circumstances'];

const value = fc.nat(2);

/** Somebody undoes our write while its values may still take effect. */
const undone = fc
  .record({ value, thenS: fc.constantFrom(15, 45, 75, 100) })
  .map(({ value: first, thenS }) =>
    begins(
      after({ kind: 'declare', field: 'cpu', value: first }, 300),
      after({ kind: 'declare', field: 'cpu', value: next(first) }, thenS),
      after({ kind: 'edited', field: 'cpu', value: first }, 400),
    ),
  );

/** Somebody changes our only secret, and no revision shows it. */
const secretByHand = fc
  .record({ name: fc.constantFrom(...SECRET_NAMES), thenS: fc.constantFrom(100, 180) })
  .map(({ name, thenS }) =>
    under(
      begins(
        after({ kind: 'secrets', names: [name] }, 300),
        after({ kind: 'secret-edited', name }, thenS),
        after({ kind: 'nothing' }, 180),
      ),
      { ownership: 'Exclusive' },
      { revisionFor: 'revision-config' },
    ),
  );

/**
 * An announcement lands late, and the request after it is carried out late. A decision may wait for its announcement
 * only if looks are rare, and the random story is about ordinary ones.
 */
const announcedLate = fc
  .record({
    fields: fc.shuffledSubarray(['url', 'image', 'command'] as const, { minLength: 2, maxLength: 2 }),
    value,
    afterMs: fc.constantFrom(25_000, 30_000, 35_000),
  })
  .map(({ fields: [first = 'url', second = 'command'], value: declared, afterMs }) => ({
    ...under(
      begins(
        after({ kind: 'declare', field: first, value: declared }, 180),
        after({ kind: 'fault', of: 'patch', fault: { kind: 'fail-then-apply-late', how: 504, afterMs } }, 0),
        after({ kind: 'declare', field: second, value: declared }, 300),
      ),
      {},
      { store: 'slow', rate: 'unlimited', rolloutPolls: 'rare' },
    ),
    alone: true,
  }));

/** The user mistypes a branch beside another repository, and corrects the branch. */
const mended = fc
  .record({ repo: fc.nat(1), branch: fc.constantFrom(0, 2), thenS: fc.constantFrom(15, 45, 100) })
  .map(({ repo, branch, thenS }) =>
    under(
      begins(
        after({ kind: 'declare', field: 'repo', value: repo }, 180),
        after({ kind: 'mistyped', field: 'branch', value: 1 }, thenS),
        after({ kind: 'declare', field: 'branch', value: branch }, 400),
      ),
      { source: 'codehost' },
      {},
    ),
  );

/** Occasionally a theme. */
export const maybeTheme: fc.Arbitrary<Theme | undefined> = fc.oneof(
  { weight: 7, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.oneof(undone, secretByHand, announcedLate, mended) },
);

/** Returns a run that begins with its theme, or the unchanged run without one. */
export function underTheme<R extends Themed>(run: R, theme: Theme | undefined): R {
  if (theme === undefined) return run;
  return {
    ...run,
    switches: { ...run.switches, ...theme.switches },
    circumstances: { ...run.circumstances, ...theme.circumstances },
    story: theme.alone === true ? theme.story : [...theme.story, ...run.story],
  };
}

function begins(...story: readonly Step[]): Theme {
  return { switches: OPEN_SWITCHES, circumstances: OPEN_CIRCUMSTANCES, story };
}

function under(own: Theme, switches: Theme['switches'], circumstances: Theme['circumstances']): Theme {
  return {
    ...own,
    switches: { ...own.switches, ...switches },
    circumstances: { ...own.circumstances, ...circumstances },
  };
}

function after(act: Act, thenS: number): Step {
  return { act, thenS };
}

function next(at: number): number {
  return (at + 1) % MANAGED.cpu.values.length;
}
