import type { Clock } from '../../ports/process/clock.ts';
import type { WireObject } from '../../wire/wire-json.ts';
import {
  type Content,
  type DeploymentState,
  DeploymentTable,
  latestRevision,
  type Listed,
  type RevisionCause,
} from './deployment-state.ts';
import { countedUUIDs, type NewUUID, uuidFrom } from '../values/identifiers.ts';
import { createdContent, patchedContent } from './patched-content.ts';
import { BranchHeads, contentDiffers, makesRevision, withRevision } from './trigger.ts';
import { type DeploymentSeed, deploymentSeed, type ServiceSeed } from './service-seed.ts';
import type { ListLag } from '../switches/structured-answers.ts';
import {
  joinPatches,
  PLEASANT,
  type SemanticsPatch,
  type ServiceSemantics,
  withSemantics,
} from '../switches/semantics.ts';
import { textOf } from '../values/wire-values.ts';

/** The tenant of every deployment that does not name one. */
export const DEFAULT_TENANT = uuidFrom('tenant');

/** The branch of a deployment that does not name one. */
export const DEFAULT_BRANCH = 'main';

/** A change of switches, of one deployment or of all. */
interface Turned {
  readonly id: string | undefined;
  readonly patch: SemanticsPatch;
  readonly isForGood: boolean;
}

/** The cause of a new revision, and its special properties. */
interface NewRevision {
  readonly cause: RevisionCause;
  /** The time until it is shown. Default: it is shown at once. */
  readonly shownAfterMs?: number;
  /** Its source. Default: the source of the deployment. */
  readonly source?: string;
}

/** The state of the service and its behaviour, independent of requests and answers. */
export class World {
  readonly clock: Clock;
  readonly heads = new BranchHeads();
  readonly providers: ServiceSeed['providers'];
  readonly integrations: ServiceSeed['integrations'];
  readonly startMs: number;
  readonly #newUUID: NewUUID;
  readonly #table = new DeploymentTable();
  readonly #overrides = new Map<string, SemanticsPatch>();
  /** Temporary changes, and permanent changes that came after one of them, oldest first. */
  readonly #turned: Turned[] = [];
  #semantics: ServiceSemantics;

  constructor(clock: Clock, seed: ServiceSeed, idSeed: string) {
    this.clock = clock;
    this.startMs = clock.now();
    this.#newUUID = countedUUIDs(idSeed);
    this.#semantics = withSemantics(PLEASANT, seed.semantics);
    this.providers = seed.providers;
    this.integrations = seed.integrations;
    for (const deployment of seed.deployments) this.add(deployment);
  }

  /** Returns the switches in force, for one deployment or for all. */
  semanticsOf(id?: string): ServiceSemantics {
    const own = id === undefined ? undefined : this.#overrides.get(id);
    const later = this.#turned.filter((turned) => turned.id === undefined);
    const ours = id === undefined ? [] : this.#turned.filter((turned) => turned.id === id);
    const patches = [...later, ...(own === undefined ? [] : [{ patch: own }]), ...ours];
    return patches.reduce((semantics, { patch }) => withSemantics(semantics, patch), this.#semantics);
  }

  /** Changes switches while the service runs, for one deployment or for all, temporarily or permanently. */
  setSemantics(patch: SemanticsPatch, id?: string, seconds?: number): void {
    const turned: Turned = { id, patch, isForGood: seconds === undefined };
    this.#turned.push(turned);
    if (seconds !== undefined) this.clock.after(seconds * 1000, () => this.#turnBack(turned));
    this.#settle();
  }

  /** Sets all switches to the pleasant service again, including those of single deployments. */
  resetSemantics(): void {
    this.#semantics = PLEASANT;
    this.#overrides.clear();
    this.#turned.length = 0;
  }

  get(id: string): DeploymentState | undefined {
    return this.#table.get(id, this.clock.now());
  }

  all(): readonly DeploymentState[] {
    return this.#table.all(this.clock.now());
  }

  /** Returns the deployment with this id, or else with this name. */
  find(idOrName: string): DeploymentState | undefined {
    return this.get(idOrName) ?? this.all().find(({ name }) => name === idOrName);
  }

  /** Returns the deployments that one list request shows, behind the writes by the lag in force. */
  listed(): readonly Listed[] {
    const nowMs = this.clock.now();
    const read = this.#table.countRead();
    const lagOf = (id: string): ListLag => {
      const { listLag, stale } = this.semanticsOf(id);
      return stale.every > 0 && read % stale.every === 0 ? { seconds: stale.seconds } : listLag;
    };
    return this.#table.listed(lagOf, nowMs).filter(({ state }) => state.listedFromMs <= nowMs);
  }

  /** Adds a deployment that has existed for a long time: it is active, and even lists with a lag show it. */
  add(seed: DeploymentSeed): DeploymentState {
    const nowMs = this.clock.now();
    const id = seed.id ?? this.#newUUID('deployment');
    if (seed.semantics !== undefined) this.setSemantics(seed.semantics, id);
    const content: Content = {
      sourceConfig: seed.sourceConfig,
      revisionConfig: seed.revisionConfig,
      secrets: seed.secrets,
      secretReferences: seed.secretReferences,
    };
    const settled: ServiceSemantics = { ...this.semanticsOf(id), rollout: { kind: 'after', seconds: 0 } };
    const state = this.#revised(this.#newState(id, seed, content), { cause: 'create' }, settled);
    this.#table.put(state, nowMs, true);
    return state;
  }

  /** Makes a deployment from a checked creation body; it waits for its database, then rolls out. */
  create(body: WireObject, tenantID: string): DeploymentState {
    const nowMs = this.clock.now();
    const id = this.#newUUID('deployment');
    const semantics = this.semanticsOf(id);
    const seed = deploymentSeed(textOf(body['name']), { source: textOf(body['source']), tenantID });
    const fresh = this.#newState(id, seed, createdContent(body));
    const waiting = {
      ...fresh,
      readyFromMs: nowMs + semantics.databaseSeconds * 1000,
      listedFromMs: nowMs + semantics.appearsSeconds * 1000,
    };
    const state = this.#revised(waiting, { cause: 'create' }, semantics);
    this.#table.put(state, nowMs);
    return state;
  }

  /** Applies a checked PATCH body by the switches in force, and makes a revision if they say so. */
  patch(before: DeploymentState, body: WireObject): DeploymentState {
    const semantics = this.semanticsOf(before.id);
    const content = patchedContent(before.content, body, semantics);
    const asked = body['revision_source'];
    const source = typeof asked === 'string' ? asked : before.source;
    const newest = latestRevision(before, Number.POSITIVE_INFINITY);
    const sourceDiffers = typeof asked === 'string' && asked !== newest?.source;
    const changed = { ...before, content, updatedMs: this.clock.now() };
    const due = makesRevision({ body, before: before.content, after: content, sourceDiffers }, semantics);
    const delayMs = semantics.trigger === 'delayed' ? semantics.triggerDelaySeconds * 1000 : 0;
    const after = due
      ? this.#revised(changed, { cause: 'patch', shownAfterMs: delayMs, source }, semantics)
      : changed;
    this.#table.put(after, this.clock.now());
    return after;
  }

  /** Changes a deployment without a request; makes a revision if its content differs. */
  change(before: DeploymentState, after: DeploymentState, cause: RevisionCause): DeploymentState {
    const semantics = this.semanticsOf(before.id);
    const touched = { ...after, updatedMs: this.clock.now() };
    const due = cause !== 'edit' || contentDiffers(before.content, after.content, semantics);
    const state = due ? this.#revised(touched, { cause }, semantics) : touched;
    this.#table.put(state, this.clock.now());
    return state;
  }

  /** Begins or completes a deletion, as the switches say. */
  remove(state: DeploymentState): void {
    const nowMs = this.clock.now();
    const { deletionSeconds } = this.semanticsOf(state.id);
    if (deletionSeconds === 0) this.#table.remove(state.id, nowMs);
    else this.#table.put({ ...state, goneFromMs: nowMs + deletionSeconds * 1000 }, nowMs);
  }

  /** Ends a temporary change of switches, and keeps changes that others made meanwhile. */
  #turnBack(turned: Turned): void {
    const at = this.#turned.indexOf(turned);
    if (at >= 0) this.#turned.splice(at, 1);
    this.#settle();
  }

  /** Makes permanent changes the base of later ones, as soon as no earlier change is temporary. */
  #settle(): void {
    for (let first = this.#turned[0]; first?.isForGood === true; first = this.#turned[0]) {
      const { id, patch } = first;
      if (id === undefined) this.#semantics = withSemantics(this.#semantics, patch);
      else this.#overrides.set(id, joinPatches(this.#overrides.get(id) ?? {}, patch));
      this.#turned.shift();
    }
  }

  #newState(id: string, seed: DeploymentSeed, content: Content): DeploymentState {
    const nowMs = this.clock.now();
    return {
      id,
      name: seed.name,
      source: seed.source,
      tenantID: seed.tenantID ?? DEFAULT_TENANT,
      createdMs: nowMs,
      updatedMs: nowMs,
      content,
      first: content,
      imageVersion: seed.imageVersion,
      revisions: [],
      readyFromMs: nowMs,
      listedFromMs: nowMs,
      statusOverride: seed.status,
      goneFromMs: null,
      hidden: seed.hidden,
    };
  }

  #revised(
    state: DeploymentState,
    { cause, shownAfterMs = 0, source = state.source }: NewRevision,
    semantics: ServiceSemantics,
  ): DeploymentState {
    const request = {
      id: this.#newUUID(`revision of ${state.id}`),
      cause,
      source,
      config: state.content.revisionConfig,
      commit: this.#commitOf(state),
      nowMs: this.clock.now(),
      shownAfterMs,
    };
    return withRevision(state, request, semantics);
  }

  #commitOf({ source, content }: DeploymentState): string | null {
    if (source !== 'codehost') return null;
    const ref = textOf(content.revisionConfig['repo_ref']);
    return this.heads.commitOf(textOf(content.sourceConfig['repo_url']), ref || DEFAULT_BRANCH);
  }
}
