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
  /**
   * The keys at its creation: keys that the specification does not name may return to these values if a request
   * empties them.
   */
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
  /** The time at which a deletion completes; null without a deletion. */
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
function existsAt(state: DeploymentState, atMs: number): boolean {
  return state.goneFromMs === null || atMs < state.goneFromMs;
}

interface Version {
  readonly fromMs: number;
  /** The number of list requests before it was stored. */
  readonly reads: number;
  /** Absent: the deployment was taken away. */
  readonly state: DeploymentState | undefined;
}

/** A deployment as a list request is to show it, and the moment that it is shown at. */
export interface Listed {
  readonly state: DeploymentState;
  readonly atMs: number;
}

/** The number of old versions that are kept for lists that lag. */
const KEPT_VERSIONS = 64;

/** Deployments with their recent past, so that the list can be behind the writes. */
export class DeploymentTable {
  readonly #versions = new Map<string, Version[]>();
  #reads = 0;

  /** The deployment now, unless it does not exist or its deletion is through. */
  get(id: string, nowMs: number): DeploymentState | undefined {
    const state = this.#versions.get(id)?.at(-1)?.state;
    return state !== undefined && existsAt(state, nowMs) ? state : undefined;
  }

  /** Every deployment that exists, in the order of making. */
  all(nowMs: number): readonly DeploymentState[] {
    return [...this.#versions.keys()].map((id) => this.get(id, nowMs)).filter((state) => state !== undefined);
  }

  /** Stores a deployment; `sinceEver` makes lists that lag show it at once. */
  put(state: DeploymentState, nowMs: number, sinceEver = false): void {
    const version: Version = sinceEver
      ? { fromMs: Number.NEGATIVE_INFINITY, reads: Number.NEGATIVE_INFINITY, state }
      : { fromMs: nowMs, reads: this.#reads, state };
    this.#push(state.id, version);
  }

  /** Takes a deployment away at once. */
  remove(id: string, nowMs: number): void {
    if (this.#versions.has(id)) this.#push(id, { fromMs: nowMs, reads: this.#reads, state: undefined });
  }

  /** Counts one list request, and answers its number. Requests that page through one sweep count one each. */
  countRead(): number {
    this.#reads += 1;
    return this.#reads;
  }

  /** Returns the deployments as a list request shows them now, each behind its writes by its own lag. */
  listed(lagOf: (id: string) => ListLag, nowMs: number): readonly Listed[] {
    const result: Listed[] = [];
    for (const [id, versions] of this.#versions) {
      const lag = lagOf(id);
      const atMs = 'seconds' in lag ? nowMs - lag.seconds * 1000 : nowMs;
      const state = versions.findLast((version) => this.#isSeen(version, lag, atMs))?.state;
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
