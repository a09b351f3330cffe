import type { WireObject } from '../../wire/wire-json.ts';
import type { KeptSecret } from './secrets-echo.ts';
import type { ListLag } from '../switches/structured-answers.ts';

/** The cause of a revision. */
export type RevisionCause = 'create' | 'patch' | 'push' | 'edit' | 'redeploy';

/** A revision of a simulated deployment. Times are milliseconds of the service's clock. */
export interface Revision {
  readonly id: string;
  readonly source: string;
  readonly config: WireObject;
  /** The commit from which it was built, for code-host sources. */
  readonly commit: string | null;
  readonly cause: RevisionCause;
  readonly createdMs: number;
  /** The time from which `latest_revision_id` names it. */
  readonly shownFromMs: number;
  /** The time from which it is the active revision unless a newer one is active; null: never. */
  readonly activeFromMs: number | null;
}

/** The parts of a deployment that requests and people can change. */
export interface Content {
  readonly sourceConfig: WireObject;
  readonly revisionConfig: WireObject;
  readonly secrets: readonly KeptSecret[];
  readonly secretReferences: readonly WireObject[] | null;
}

/** A deployment as the service keeps it. It is never changed in place: every change makes a new object. */
export interface DeploymentState {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly tenantID: string;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly content: Content;
  /**
   * The keys at its creation: keys that the specification does not name may return to these values if a request
   * empties them.
   */
  readonly first: Pick<Content, 'sourceConfig' | 'revisionConfig'>;
  readonly imageVersion: string | null;
  /** The revisions, oldest first. */
  readonly revisions: readonly Revision[];
  /** The time until which the status is AWAITING_DATABASE. */
  readonly readyFromMs: number;
  /** The time until which no list shows it. */
  readonly listedFromMs: number;
  /** Replaces the computed status, if an actor other than the client has set it. */
  readonly statusOverride: string | null;
  /** The time at which a deletion completes; null without a deletion. */
  readonly goneFromMs: number | null;
  /** Values that the list filters on although no answer shows them: deployment type, tags, reconciled remotely. */
  readonly hidden: WireObject;
}

/** Returns the newest revision that is visible at `atMs`, which `latest_revision_id` names. */
export function latestRevision(state: DeploymentState, atMs: number): Revision | undefined {
  return state.revisions.findLast((revision) => revision.shownFromMs <= atMs);
}

/** Returns the newest revision whose rollout is complete at `atMs`, which `active_revision_id` names. */
export function activeRevision(state: DeploymentState, atMs: number): Revision | undefined {
  return state.revisions.findLast(
    (revision) => revision.activeFromMs !== null && revision.activeFromMs <= atMs,
  );
}

/** Returns the `status` field at `atMs` (section 3). */
export function statusAt(state: DeploymentState, atMs: number): string {
  if (state.statusOverride !== null) return state.statusOverride;
  if (state.goneFromMs !== null) return 'AWAITING_DELETE';
  return atMs < state.readyFromMs ? 'AWAITING_DATABASE' : 'READY';
}

/** False once a deletion is complete. */
function existsAt(state: DeploymentState, atMs: number): boolean {
  return state.goneFromMs === null || atMs < state.goneFromMs;
}

interface Version {
  readonly fromMs: number;
  /** The number of list requests before this version was stored. */
  readonly reads: number;
  /** Absent: the deployment was removed. */
  readonly state: DeploymentState | undefined;
}

/** A deployment as a list request must show it, and the moment to which that applies. */
export interface Listed {
  readonly state: DeploymentState;
  readonly atMs: number;
}

/** The number of old versions that are kept for lists that lag. */
const KEPT_VERSIONS = 64;

/** Stores deployments with their recent past, so that the list can lag behind the writes. */
export class DeploymentTable {
  readonly #versions = new Map<string, Version[]>();
  #reads = 0;

  /** Returns the current deployment, unless it does not exist or its deletion is complete. */
  get(id: string, nowMs: number): DeploymentState | undefined {
    const state = this.#versions.get(id)?.at(-1)?.state;
    return state !== undefined && existsAt(state, nowMs) ? state : undefined;
  }

  /** Returns every deployment that exists, in the order of creation. */
  all(nowMs: number): readonly DeploymentState[] {
    return [...this.#versions.keys()].map((id) => this.get(id, nowMs)).filter((state) => state !== undefined);
  }

  /** Stores a deployment; `sinceEver` makes lists with a lag show it at once. */
  put(state: DeploymentState, nowMs: number, sinceEver = false): void {
    const version: Version = sinceEver
      ? { fromMs: Number.NEGATIVE_INFINITY, reads: Number.NEGATIVE_INFINITY, state }
      : { fromMs: nowMs, reads: this.#reads, state };
    this.#push(state.id, version);
  }

  /** Removes a deployment at once. */
  remove(id: string, nowMs: number): void {
    if (this.#versions.has(id)) this.#push(id, { fromMs: nowMs, reads: this.#reads, state: undefined });
  }

  /** Counts one list request, and returns its number. Each page of a sweep counts as one request. */
  countRead(): number {
    this.#reads += 1;
    return this.#reads;
  }

  /** Returns the deployments as a list request shows them now, each behind its writes by its own lag. */
  listed(lagOf: (id: string) => ListLag, nowMs: number): readonly Listed[] {
    const result: Listed[] = [];
    for (const [id, versions] of this.#versions) {
      const lag = lagOf(id);
      const lateMs = 'seconds' in lag ? nowMs - lag.seconds * 1000 : nowMs;
      const seen = versions.findLastIndex((version) => this.#isSeen(version, lag, lateMs));
      const state = versions[seen]?.state;
      // A list shows no revision from after the moment at which the next write replaced the state.
      const atMs = Math.min(lateMs, versions[seen + 1]?.fromMs ?? lateMs);
      if (state !== undefined && existsAt(state, atMs)) result.push({ state, atMs });
    }
    return result;
  }

  #isSeen(version: Version, lag: ListLag, atMs: number): boolean {
    return 'seconds' in lag ? version.fromMs <= atMs : this.#reads - version.reads > lag.reads;
  }

  #push(id: string, version: Version): void {
    const versions = this.#versions.get(id) ?? [];
    versions.push(version);
    if (versions.length > KEPT_VERSIONS) versions.shift();
    this.#versions.set(id, versions);
  }
}
