import type { WireObject } from '../../wire/json.ts';
import type { KeptSecret } from './secrets-echo.ts';

/** The cause of a revision. */
export type RevisionCause = 'create' | 'patch' | 'push' | 'edit' | 'redeploy';

/** A revision of a simulated deployment. Times are milliseconds of the service's clock. */
export interface Revision {
  readonly id: string;
  readonly source: string;
  readonly config: WireObject;
  /** The commit it was built from, for code-host sources. */
  readonly commit: string | null;
  readonly cause: RevisionCause;
  readonly createdMs: number;
  /** From when on `latest_revision_id` names it. */
  readonly shownFromMs: number;
  /** From when on it is the active one unless a newer one is; null: never. */
  readonly activeFromMs: number | null;
}

/** The parts of a deployment that requests and people can change. */
export interface Content {
  readonly sourceConfig: WireObject;
  readonly revisionConfig: WireObject;
  readonly secrets: readonly KeptSecret[];
  readonly secretReferences: readonly WireObject[] | null;
}

/** A deployment as the service keeps it. Never changed in place: every change makes a new one. */
export interface DeploymentState {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly tenantID: string;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly content: Content;
  /** The keys it was created with: those that the specification does not name may return to where a request emptied them. */
  readonly first: Pick<Content, 'sourceConfig' | 'revisionConfig'>;
  readonly imageVersion: string | null;
  /** Oldest first. */
  readonly revisions: readonly Revision[];
  /** Until then the status says AWAITING_DATABASE. */
  readonly readyFromMs: number;
  /** Until then no list shows it. */
  readonly listedFromMs: number;
  /** Shown instead of the computed status, where set behind the client's back. */
  readonly statusOverride: string | null;
  /** When a deletion completes; null while it is not being deleted. */
  readonly goneFromMs: number | null;
  /** Values that the list filters on although no answer shows them: deployment type, tags, reconciled remotely. */
  readonly hidden: WireObject;
}

/** The newest revision that shows at `atMs`, which `latest_revision_id` names. */
export function latestRevision(state: DeploymentState, atMs: number): Revision | undefined {
  return state.revisions.findLast((revision) => revision.shownFromMs <= atMs);
}

/** The newest revision whose rollout is through at `atMs`, which `active_revision_id` names. */
export function activeRevision(state: DeploymentState, atMs: number): Revision | undefined {
  return state.revisions.findLast(
    (revision) => revision.activeFromMs !== null && revision.activeFromMs <= atMs,
  );
}

/** The `status` field at `atMs` (section 3). */
export function statusAt(state: DeploymentState, atMs: number): string {
  if (state.statusOverride !== null) return state.statusOverride;
  if (state.goneFromMs !== null) return 'AWAITING_DELETE';
  return atMs < state.readyFromMs ? 'AWAITING_DATABASE' : 'READY';
}

/** False once a deletion is through. */
export function existsAt(state: DeploymentState, atMs: number): boolean {
  return state.goneFromMs === null || atMs < state.goneFromMs;
}
