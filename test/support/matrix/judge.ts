import type { SyncedReason } from '../../../src/api/condition.ts';
import { endOf, NEIGHBOURS, type Play } from './play.ts';

/** Reasons with which a resource may settle without being in sync. Each one requires an action of a person. */
const STOPS: ReadonlySet<SyncedReason> = new Set<SyncedReason>([
  'SemanticsMismatch',
  'UnmanagedSecretsPresent',
  'SecretVisibilityUnproven',
  'FieldNotClearable',
  'NotConverging',
  'RevisionBudgetExhausted',
  'DriftCorrectionSuspended',
  'Rejected',
  'ImmutableFieldChanged',
  'DriftReported',
  'Paused',
]);

/** Describes all errors at the end of a run; empty if there are none. */
export function wrongs(play: Play): readonly string[] {
  return [...ended(play), ...neighbours(play)];
}

/** True if the resource is in sync, or stopped with a reason that says what a person has to do. */
export function isAtRest(play: Play): boolean {
  const reason = endOf(play);
  return reason === 'InSync' || STOPS.has(reason as SyncedReason);
}

function ended(play: Play): readonly string[] {
  return isAtRest(play) ? [] : [`ended as ${play.world.state()}: ${play.world.message()}`];
}

/** I7: nothing was ever sent to a deployment that no resource names. */
function neighbours({ world }: Play): readonly string[] {
  const own = world.kept().id;
  const strange = world.patches().filter(({ id }) => id !== own);
  const moved = NEIGHBOURS.filter((name) => world.kept(name).revisions.length > 1);
  return [
    ...strange.map(({ id }) => `a PATCH to ${id}`),
    ...moved.map((name) => `${name} has a new revision`),
  ];
}
