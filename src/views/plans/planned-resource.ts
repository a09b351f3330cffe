import type { SyncedReason } from '../../api/condition.ts';
import type { Change } from '../../model/compare/change.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Withheld } from '../../model/plan/plan.ts';
import type { ReviewedWrite } from './saved-plan.ts';

/**
 * How much is known about the applied values. `paths only`: there is a status but no key for its digests, so the
 * applied fields are known, but not their values.
 */
export type Memory = 'none' | 'paths only' | 'whole';

/** A fact that cannot be known before the write, with the reason. */
export interface Unknown {
  readonly path: string;
  readonly why: string;
}

/**
 * A prediction whether a request makes a revision, with the reason. Section 3 of the specification leaves much open.
 */
export interface ExpectedRevision {
  readonly expected: Change['revision'];
  readonly why: string;
}

/**
 * The expected outcome for a resource.
 * - `None`: nothing is sent. `Release`: the resource is released, and its deployment stays.
 * - `Create`, `Update`, `Delete`: one request. `Approve`: one request, after a person approves it.
 * - `Wait`: it continues by itself. `Held`: a person must change something. `Error`: the outcome could not be
 *   determined.
 * - `Added`, `Changed`, `Removed`: manifests were compared with other manifests, and not with a service.
 */
export type PlannedAction =
  | 'None'
  | 'Create'
  | 'Update'
  | 'Delete'
  | 'Approve'
  | 'Release'
  | 'Wait'
  | 'Held'
  | 'Error'
  | 'Added'
  | 'Changed'
  | 'Removed';

/** A plan as text, without secrets, commands or the contents of lists. */
export interface PlanView {
  readonly action: PlannedAction;
  /** True if something would be sent, now or after a wait. */
  readonly sends: boolean;
  /** The reason, if the changes do not show it. */
  readonly reason?: SyncedReason | undefined;
  readonly message: string;
  /** Every difference, whether it is sent or not. */
  readonly changes: readonly Change[];
  /** Whether the request makes a revision; absent without a request. */
  readonly revision?: ExpectedRevision | undefined;
  /** The parts that must not be sent although the rest may be. */
  readonly withheld: readonly Withheld[];
  /** Facts that cannot be known before the write. */
  readonly unknown: readonly Unknown[];
  /** The value of the annotation that approves it. */
  readonly approval?: string | undefined;
}

/**
 * Returns the paths that were changed at the service since they were applied. The other changes are edits of the spec.
 */
export function drifted({ changes }: PlanView): readonly string[] {
  return changes.filter(({ drift }) => drift === true).map(({ path }) => path);
}

/** Returns the parts that are held back for a reason of their own, not that of the whole resource. */
export function heldBeside({ withheld, message }: PlanView): readonly Withheld[] {
  return withheld.filter((part) => part.message !== message);
}

/** A request that would be sent, without the values of secrets and other values that may contain a token. */
export interface RequestPreview {
  readonly method: 'PATCH' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject;
}

/** The plan of one resource. */
export interface PlannedResource extends PlanView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The id of its deployment, if there is one. */
  readonly deploymentID?: string | undefined;
  /** The write in the form that a file keeps for `apply --plan`; present only on request. */
  readonly reviewed?: ReviewedWrite | undefined;
  /** The request that would be sent; present only on request. */
  readonly request?: RequestPreview | undefined;
}
