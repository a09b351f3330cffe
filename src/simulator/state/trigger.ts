import { isDeepStrictEqual } from 'node:util';
import type { WireObject } from '../../wire/wire-json.ts';
import type { Content, DeploymentState, Revision, RevisionCause } from './deployment-state.ts';
import { isWireObject } from '../values/wire-values.ts';
import { normalised } from './normalised.ts';
import type { RevisionBlocks, ServiceSemantics, Trigger } from '../switches/semantics.ts';
import { commitFrom, isCommit } from '../values/identifiers.ts';

/** The facts that a trigger judges. */
export interface TriggerFacts {
  readonly body: WireObject;
  readonly before: Content;
  readonly after: Content;
  /** True if `revision_source` asks for a source that differs from that of the newest revision. */
  readonly sourceDiffers: boolean;
}

/** Returns whether a PATCH makes a revision (section 3, rules 1 and 2, with the current switches). */
export function makesRevision(facts: TriggerFacts, semantics: ServiceSemantics): boolean {
  return TRIGGER[semantics.trigger](facts, semantics);
}

/** True if a block that makes revisions differs, compared as the service would show it. */
export function contentDiffers(before: Content, after: Content, semantics: ServiceSemantics): boolean {
  return BLOCKS[semantics.revisionFor].some(
    (part) => !isDeepStrictEqual(PARTS[part](before, semantics), PARTS[part](after, semantics)),
  );
}

type Part = 'source_revision_config' | 'secrets' | 'secret_references' | 'resource_spec';

const BLOCKS: Record<RevisionBlocks, readonly Part[]> = {
  'revision-config': ['source_revision_config'],
  'and-secrets': ['source_revision_config', 'secrets', 'secret_references'],
  'and-resource-spec': ['source_revision_config', 'secrets', 'secret_references', 'resource_spec'],
};

const PARTS: Record<Part, (content: Content, semantics: ServiceSemantics) => unknown> = {
  source_revision_config: (content) => content.revisionConfig,
  secrets: ({ secrets }) => Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
  secret_references: ({ secretReferences }) => secretReferences ?? [],
  resource_spec: (content, { normalise }) =>
    normalised(normalise, content, null).sourceConfig['resource_spec'] ?? {},
};

const TRIGGER: Record<Trigger, (facts: TriggerFacts, semantics: ServiceSemantics) => boolean> = {
  'on-change': changed,
  delayed: changed,
  'on-presence': ({ body }, { revisionFor }) =>
    isPresent(body['revision_source']) || BLOCKS[revisionFor].some((part) => isPresent(sentPart(body, part))),
  always: () => true,
  never: () => false,
};

function changed({ before, after, sourceDiffers }: TriggerFacts, semantics: ServiceSemantics): boolean {
  return sourceDiffers || contentDiffers(before, after, semantics);
}

function sentPart(body: WireObject, part: Part): unknown {
  if (part !== 'resource_spec') return body[part];
  const config = body['source_config'];
  return isWireObject(config) ? config['resource_spec'] : undefined;
}

function isPresent(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return !isWireObject(value) || Object.values(value).some((member) => member !== null);
}

/** The parts of a new revision. */
export interface RevisionRequest {
  readonly id: string;
  readonly cause: RevisionCause;
  readonly source: string;
  readonly config: WireObject;
  readonly commit: string | null;
  readonly nowMs: number;
  /** The time for which its id is missing from `latest_revision_id`. */
  readonly shownAfterMs: number;
}

/** Returns the deployment with one more revision, which becomes active according to the rollout switch. */
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

/** The newest commits of branches: one for each repository and ref, the same in every run until a push. */
export class BranchHeads {
  readonly #heads = new Map<string, string>();

  /** Returns the commit that a ref of a repository names; a ref that is a commit names itself. */
  commitOf(repository: string, ref: string): string {
    if (isCommit(ref)) return ref;
    return this.#heads.get(`${repository}#${ref}`) ?? commitFrom(`${repository}#${ref}`);
  }

  /** Sets the newest commit of a branch. */
  push(repository: string, ref: string, commit: string): void {
    this.#heads.set(`${repository}#${ref}`, commit);
  }
}

const KEPT_REVISIONS = 200;
