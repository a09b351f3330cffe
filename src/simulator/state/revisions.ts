import type { WireObject } from '../../wire/json.ts';
import type { DeploymentState, Revision, RevisionCause } from './deployment-state.ts';
import { commitFrom } from '../values/identifiers.ts';
import type { ServiceSemantics } from '../switches/semantics.ts';

/** The parts of a new revision. */
export interface RevisionRequest {
  readonly id: string;
  readonly cause: RevisionCause;
  readonly source: string;
  readonly config: WireObject;
  readonly commit: string | null;
  readonly nowMs: number;
  /** How long its id stays out of `latest_revision_id`. */
  readonly shownAfterMs: number;
}

/** The deployment with one more revision, which becomes active as the rollout switch says. */
export function withRevision(
  state: DeploymentState,
  request: RevisionRequest,
  semantics: ServiceSemantics,
): DeploymentState {
  const shownFromMs = request.nowMs + request.shownAfterMs;
  const startMs = Math.max(shownFromMs, state.readyFromMs);
  const revision: Revision = {
    id: request.id,
    source: request.source,
    config: request.config,
    commit: request.commit,
    cause: request.cause,
    createdMs: request.nowMs,
    shownFromMs,
    activeFromMs: semantics.rollout.kind === 'after' ? startMs + semantics.rollout.seconds * 1000 : null,
  };
  return { ...state, revisions: [...state.revisions, revision].slice(-KEPT_REVISIONS) };
}

/** Where branches point: a commit for each repository and ref, the same in every run until somebody pushes. */
export class BranchHeads {
  readonly #heads = new Map<string, string>();

  /** The commit that a repository's ref names; a ref that is a commit names itself. */
  commitOf(repository: string, ref: string): string {
    if (/^[0-9a-f]{40}$/.test(ref)) return ref;
    return this.#heads.get(`${repository}#${ref}`) ?? commitFrom(`${repository}#${ref}`);
  }

  /** Moves a branch. */
  push(repository: string, ref: string, commit: string): void {
    this.#heads.set(`${repository}#${ref}`, commit);
  }
}

const KEPT_REVISIONS = 200;
