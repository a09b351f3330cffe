import { type DeploymentState, existsAt } from './deployment-state.ts';
import type { ListLag } from '../switches/semantics.ts';

interface Version {
  readonly fromMs: number;
  /** How many list requests there had been when it was stored. */
  readonly reads: number;
  /** Absent: the deployment was taken away. */
  readonly state: DeploymentState | undefined;
}

/** A deployment as a list request is to show it, and the moment that it is shown at. */
export interface Listed {
  readonly state: DeploymentState;
  readonly atMs: number;
}

/** How many old versions are kept for lists that lag. */
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
