import type { SyncedReason } from '../../api/condition.ts';
import type { Change } from '../../model/compare/change.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Withheld } from '../../model/plan/plan.ts';
import type { ReviewedWrite } from './saved-plan.ts';

/**
 * How much is known of the applied values. `paths only`: there is a status but no key for its digests, so it
 * is known which fields were applied, but not with which values.
 */
export type Memory = 'none' | 'paths only' | 'whole';

/** Something that cannot be judged before it is sent, and why. */
export interface Unknown {
  readonly path: string;
  readonly why: string;
}

/** Whether a request makes a revision (section 3 of the specification, which leaves much open), and why. */
export interface ExpectedRevision {
  readonly expected: Change['revision'];
  readonly why: string;
}

/**
 * The expected outcome for a resource.
 * - `None`: nothing is sent. `Release`: the resource is released, and its deployment stays.
 * - `Create`, `Update`, `Delete`: one request. `Approve`: one request, once a person has approved it.
 * - `Wait`: it continues by itself. `Held`: a person must change something. `Error`: the outcome could not be
 * determined.
 * - `Added`, `Changed`, `Removed`: of manifests that are compared with other manifests, and with no service.
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

/** A plan as text for everybody: no secret, no command, no content of lists. */
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
  /** Parts that must not go although the rest may. */
  readonly withheld: readonly Withheld[];
  /** Facts that cannot be known before the write. */
  readonly unknown: readonly Unknown[];
  /** The text of the annotation that approves it. */
  readonly approval?: string | undefined;
}

/** Paths that were changed at the service since they were applied; the other changes are edits of the spec. */
export function drifted({ changes }: PlanView): readonly string[] {
  return changes.filter(({ drift }) => drift === true).map(({ path }) => path);
}

/** Parts that are held back for another reason than the whole resource. */
export function heldBeside({ withheld, message }: PlanView): readonly Withheld[] {
  return withheld.filter((part) => part.message !== message);
}

/** A request that would be sent, without the values of secrets and whatever else may hold a token. */
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
  /** The write as a file keeps it for `apply --plan`; only where that was asked for. */
  readonly reviewed?: ReviewedWrite | undefined;
  /** The request that would be sent; only where it was asked for. */
  readonly request?: RequestPreview | undefined;
}
