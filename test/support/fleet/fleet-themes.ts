import fc from 'fast-check';
import type { PlannedFault } from '../../../src/simulator/faults/scenario.ts';
import {
  type FleetAct,
  type FleetSetting,
  type FleetStep,
  MEMBERS,
  type Team,
  TEAMS,
} from './fleet-story.ts';

/** Acts that rarely coincide at random, with their conditions. */
export interface FleetTheme {
  readonly setting: Partial<FleetSetting>;
  readonly story: readonly FleetStep[];
  /** True: the random story is left out. */
  readonly alone?: boolean;
}

/** A fleet whose story may begin with a theme. */
interface Themed {
  readonly setting: FleetSetting;
  readonly story: readonly FleetStep[];
}

const team = fc.constantFrom<Team>('team-a', 'team-b');
const value = fc.nat(2);

/**
 * Writes of a whole team wait for their permits, and somebody changes their values meanwhile. The random story needs
 * more permits than exist.
 */
const contended = fc
  .record({ value, everyS: fc.constantFrom(11, 13, 17), rounds: fc.constantFrom(5, 8) })
  .map(({ value: declared, everyS, rounds }) => ({
    ...begins(
      { rate: 'scarce' },
      after({ kind: 'declare-all', value: declared }, everyS),
      ...Array.from({ length: rounds }, (_, at) =>
        after({ kind: 'edited-all-theirs', value: at % 3 }, everyS),
      ),
    ),
    alone: true,
  }));

/**
 * A credential belongs to another tenant, and only so few deployments are bound that a list without them looks
 * ordinary.
 */
const otherTenant = fc
  .record({ team, restarts: fc.boolean(), removes: fc.boolean() })
  .map(({ team: whose, restarts, removes }) => {
    const [deletedWith, madeAgain] = whose === 'team-a' ? (['a2', 'a3'] as const) : (['b2', 'b3'] as const);
    const others = TEAMS[whose].filter((name) => name !== deletedWith && name !== madeAgain);
    return begins(
      {},
      ...others.map((who) => after({ kind: 'remove', who }, 5)),
      after({ kind: 'tenant', team: whose, empty: false, seconds: 600 }, 1),
      ...(restarts ? [after({ kind: 'restart' }, 60)] : []),
      ...(removes ? [after({ kind: 'remove', who: deletedWith }, 5)] : []),
      after({ kind: 'restart' }, 300),
    );
  });

/** The address changes while the owner of a deployment is paused, and another resource names the deployment too. */
const moved = fc
  .record({ who: fc.constantFrom(...MEMBERS), value, thenS: fc.constantFrom(5, 60) })
  .map(({ who, value: declared, thenS }) =>
    begins(
      {},
      after({ kind: 'second', who, value: declared }, 100),
      after({ kind: 'pause', who }, thenS),
      after({ kind: 'address', team: who.startsWith('a') ? 'team-a' : 'team-b' }, thenS),
      after({ kind: 'restart' }, 300),
    ),
  );

const UNANSWERED: readonly PlannedFault['fault'][] = [
  { kind: 'apply-then-fail', how: 'hang' },
  { kind: 'apply-then-fail', how: 504 },
  { kind: 'fail-then-apply-late', how: 504, afterMs: 20_000 },
];

/** Two resources ask for one name, and no answer shows the outcome of the first request. */
const twoOfAName = fc
  .record({ team, fault: fc.constantFrom(...UNANSWERED), thenS: fc.constantFrom(0, 1, 5, 15) })
  .map(({ team: whose, fault, thenS }) =>
    begins(
      { duplicateNames: 'allowed' },
      after({ kind: 'fault', of: 'create', fault }, 0),
      after({ kind: 'create', team: whose, resource: 'one', name: 'new' }, thenS),
      after({ kind: 'create', team: whose, resource: 'two', name: 'new' }, 300),
    ),
  );

/** Occasionally a theme. */
export const maybeFleetTheme: fc.Arbitrary<FleetTheme | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.oneof(contended, otherTenant, moved, twoOfAName) },
);

/** Returns a fleet that begins with its theme, or the unchanged fleet without one. */
export function underFleetTheme({ setting, story }: Themed, theme: FleetTheme | undefined): Themed {
  if (theme === undefined) return { setting, story };
  return {
    setting: { ...setting, ...theme.setting },
    story: theme.alone === true ? theme.story : [...theme.story, ...story],
  };
}

function begins(setting: FleetTheme['setting'], ...story: readonly FleetStep[]): FleetTheme {
  return { setting, story };
}

function after(act: FleetAct, thenS: number): FleetStep {
  return { act, thenS };
}
