import { type DeploymentResource, observesOnly } from '../../api/deployment.ts';
import { type Key, keyOf, keyText } from '../../api/metadata.ts';
import { carriedOver } from '../../model/recorded/carried-over.ts';
import { withoutFutureTimes } from '../../model/recorded/without-future-times.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import { decidedAlike } from '../../model/status/announced-status.ts';
import { openOf } from '../../model/compare/judge-fields.ts';
import { orphanedEvent, releasedEvent } from '../../model/outcome/events-for.ts';
import { classify, ConnectionError, findCause } from '../../model/connection/failure.ts';
import { type Outcome, type Requeue, requeueFor } from '../../model/outcome/outcome.ts';
import { isGivenUp, mayStillCreate } from '../../model/decide/creation.ts';
import { refilledAfter } from '../../model/decide/refilled-after.ts';
import { isDeleting, mayHaveCreated, ownsDeletion } from '../../model/decide/deletion.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Connections } from '../../ports/service/connections.ts';
import type { PassedUp } from '../../ports/service/external-client.ts';
import type { Metrics, ResourceMetrics } from '../../ports/process/metrics.ts';
import type { Namespaces } from '../../ports/stores/namespaces.ts';
import type { Reconciler } from '../../ports/process/reconciler.ts';
import { Claims, deploymentIn } from './claims.ts';
import type { Decision } from './decide.ts';
import type { DecideParts, Remembered } from './gather.ts';
import { FoundAnnouncements } from './found-announcements.ts';
import { execute, type ExecuteParts } from './execute.ts';
import { type EarlyPlan, judge, type JudgeParts, SUSPENDED } from './judge.ts';
import { Measurements } from './measurements.ts';
import { record, type RecordParts } from './record.ts';
import { ShownWrites } from './shown-writes.ts';
import { priorityOf } from './priority-of.ts';
import type { Sightings } from './sightings.ts';
import { StaleLooks } from './stale-looks.ts';
import type { WriteProgress } from './write.ts';

/** The parts that the reconciler needs from outside. */
export interface DeploymentReconcilerParts
  extends
    Omit<DecideParts, 'claims' | 'staleLooks'>,
    Omit<ExecuteParts, 'isServed'>,
    Omit<RecordParts, 'measurements'> {
  readonly metrics: Metrics & ResourceMetrics;
  readonly connections: Connections;
  readonly namespaces: Namespaces;
  /** The times of first sight. The sources that see changes of resources fill them in before the passes begin. */
  readonly sightings: Sightings;
}

/** The progress of a pass. The pass fills it in step by step, so that an error does not lose it. */
interface Progress {
  decision?: Decision | undefined;
  /** The resource with the announcement of this pass, while the announcement is valid. */
  announced?: DeploymentResource | undefined;
}

/**
 * Reconciles one resource: loads it, claims it, decides, executes at most one write, records the result, and says when
 * to come back.
 */
export class DeploymentReconciler implements Reconciler {
  readonly #parts: DeploymentReconcilerParts;
  readonly #memory = new Map<string, Remembered>();
  readonly #measurements: Measurements;
  readonly #claims = new Claims();
  readonly #announcements = new FoundAnnouncements();
  readonly #shownWrites = new ShownWrites();
  readonly #staleLooks = new StaleLooks();

  constructor(parts: DeploymentReconcilerParts) {
    this.#parts = parts;
    this.#measurements = new Measurements(parts.metrics);
  }

  async reconcile(key: Key, signal: AbortSignal, overtaken?: AbortSignal): Promise<Requeue> {
    try {
      return await this.#pass(key, signal, overtaken);
    } finally {
      await this.#settleClaim(key);
    }
  }

  async #pass(key: Key, signal: AbortSignal, overtaken?: AbortSignal): Promise<Requeue> {
    const { store, clock, events, metrics } = this.#parts;
    const found = await store.get(key);
    if (found === undefined) {
      this.#measurements.gone(key);
      this.#announcements.forget(keyText(key));
      this.#memory.delete(keyText(key));
      this.#parts.sightings.forget(keyText(key));
      this.#shownWrites.forget(key);
      this.#staleLooks.forget(keyText(key));
      return { kind: 'on-change' };
    }
    const startedMs = clock.now();
    this.#measurements.began(found, startedMs);
    const resource = await this.#carriedOver(await this.#claimed(found));
    if (resource === 'stale') return { kind: 'backoff' };
    const progress: Progress = {};
    const pursued = await this.#pursue(resource, progress, { signal, overtaken });
    const troubledMs = this.#troubledMs(resource, pursued, progress);
    const outcome = troubledMs === undefined ? pursued : this.#unlessBrief(pursued, troubledMs, progress);
    this.#remember(key, progress.decision, troubledMs);
    metrics.reconciled(key.kind, outcome.kind, (clock.now() - startedMs) / 1000);
    const { decision, announced } = progress;
    if (outcome.kind === 'released') events.record(resource, releasedEvent(outcome.message));
    else if (
      outcome.kind !== 'postponed' &&
      (await record(
        { resource, announced, decision, outcome },
        { ...this.#parts, measurements: this.#measurements },
      )) === 'stale'
    )
      return { kind: 'backoff' };
    else if (decision !== undefined) this.#shownWrites.saw(decision.situation);
    return requeueFor(outcome, decision, decision?.service.settings.poll.rolloutMs ?? DEFAULTS.pollRolloutMs);
  }

  /**
   * Keeps the claim of a resource that was bound, and of the name of a deployment that may be created, because other
   * resources may not have seen the new status yet. Drops the claim of a resource that is unbound or observe-only.
   */
  async #settleClaim(key: Key): Promise<void> {
    const resource = await this.#parts.store.get(key);
    const { deploymentID, binding } = resource?.status ?? {};
    const owns = resource !== undefined && !observesOnly(resource);
    if (owns && deploymentID !== undefined && binding !== undefined)
      this.#claims.take(keyText(key), deploymentIn(binding.tenantID, deploymentID));
    else if (!owns || !mayStillCreate(resource) || isGivenUp(resource)) this.#claims.drop(keyText(key));
  }

  /**
   * Remembers when a rotation was first seen, since rotations that follow within seconds are sent with it; since when a
   * Secret is missing; the fields that were found open or sent again; a revision that no status named; and since when the
   * connection cannot be used.
   */
  #remember(key: Key, decision: Decision | undefined, troubledMs: number | undefined): void {
    const text = keyText(key);
    const { rotationSeenMs, secretMissedMs, open, refilled } = this.#memory.get(text) ?? {};
    const { plan, situation, assessment } = decision ?? {};
    const rotates = plan?.kind === 'postponed' && plan.rotation;
    const misses = situation === undefined || situation.desired.secrets.kind === 'missing';
    const looked = situation?.observation;
    const newestID = looked?.kind === 'present' ? looked.deployment.latestRevisionID : undefined;
    const isRecorded = situation?.resource.status?.revisions?.some(({ id }) => id === newestID) === true;
    const found = assessment === undefined ? open : openOf(assessment.judgements);
    const next = {
      rotationSeenMs: rotates ? (rotationSeenMs ?? situation?.nowMs) : undefined,
      secretMissedMs: misses ? (secretMissedMs ?? situation?.nowMs) : undefined,
      // An empty map for each resource of a fleet at rest would use a noticeable part of its memory.
      open: found === undefined || found.size === 0 ? undefined : found,
      refilled: refilledAfter(refilled, decision),
      unrecordedID: isRecorded ? undefined : (newestID ?? undefined),
      troubledMs,
    };
    if (Object.values(next).every((value) => value === undefined)) this.#memory.delete(text);
    else this.#memory.set(text, next);
  }

  /**
   * Adds the finalizer before the first external write, and only if deleting the resource will need cleanup. A
   * resource that is too large to be read stays unchanged: the operator sends nothing for it, and may not have read
   * all of its finalizers.
   */
  async #claimed(resource: DeploymentResource): Promise<DeploymentResource> {
    if (this.#parts.dryRun || isDeleting(resource) || resource.tooLarge !== undefined) return resource;
    const owes = ownsDeletion(resource) || mayHaveCreated(resource);
    if (owes) return this.#parts.store.claim(resource);
    await this.#parts.store.release(resource);
    return resource;
  }

  /**
   * Returns when a resource at rest first found its connection unusable, while its status does not say so yet. Returns
   * undefined if the status must say so at once: an edit waits, or something is not settled (R16).
   */
  #troubledMs(resource: DeploymentResource, outcome: Outcome, { announced }: Progress): number | undefined {
    const { clock, waitsForRotations } = this.#parts;
    if (outcome.kind !== 'waiting' || outcome.reason !== 'ConnectionNotReady') return undefined;
    if (announced !== undefined) return undefined;
    if (waitsForRotations === false || priorityOf(resource) === 'user') return undefined;
    const synced = resource.status?.conditions?.find(({ type }) => type === 'Synced');
    const isUnknown = synced === undefined || (synced.status === 'Unknown' && synced.reason !== 'Sent');
    if (isUnknown) return undefined;
    return this.#memory.get(keyText(keyOf(resource)))?.troubledMs ?? clock.now();
  }

  /**
   * Postpones the outcome until the trouble has lasted for a poll interval: only the connection shows shorter trouble.
   */
  #unlessBrief(outcome: Outcome, troubledMs: number, { decision }: Progress): Outcome {
    const pollMs =
      (outcome.kind === 'waiting' ? outcome.pollMs : undefined) ??
      decision?.service.settings.poll.intervalMs ??
      DEFAULTS.pollIntervalMs;
    const leftMs = troubledMs + pollMs - this.#parts.clock.now();
    return leftMs > 0 && leftMs <= pollMs
      ? { kind: 'postponed', againInMs: leftMs, priority: 'rollout' }
      : outcome;
  }

  /**
   * Replaces the digests in a status of release 0.1.0 by current ones, and times in the future by the present, in a
   * separate write before any decision.
   */
  async #carriedOver(resource: DeploymentResource): Promise<DeploymentResource | 'stale'> {
    const { store, digests, clock } = this.#parts;
    const { status } = carriedOver(withoutFutureTimes(resource, clock.now()), digests);
    if (status === undefined || status === resource.status) return resource;
    return store.saveStatus(resource, status, { mustLand: false });
  }

  /** The only place where an error becomes an outcome. Throws only if the pass was aborted before it had a result. */
  async #pursue(
    resource: DeploymentResource,
    progress: Progress,
    { signal, overtaken }: { readonly signal: AbortSignal; readonly overtaken: AbortSignal | undefined },
  ): Promise<Outcome> {
    const waiting = overtaken === undefined ? signal : AbortSignal.any([signal, overtaken]);
    try {
      return await this.#decideAndExecute(resource, progress, { waiting, signal });
    } catch (error) {
      // Nothing has begun, and the more urgent pass will look again.
      if (overtaken?.aborted === true && !signal.aborted && progress.announced === undefined)
        return { kind: 'postponed', againInMs: 0 };
      return (await this.#letGo(resource, error)) ?? this.#outcomeOf(error, signal);
    }
  }

  /** Decides, and decides again if the decision is no longer valid when there is a permit for it. */
  async #decideAndExecute(
    resource: DeploymentResource,
    progress: Progress,
    endings: Pick<WriteProgress, 'waiting' | 'signal'>,
  ): Promise<Outcome> {
    for (let kept: PassedUp | undefined; ;) {
      const { plan, decision } = await judge(resource, this.#judging(kept), endings.waiting);
      progress.decision = decision;
      if (decision === undefined) return await this.#settleEarly(resource, plan);
      if (isCutOff(decision.plan) && isDeleting(resource) && this.#isTerminating(resource))
        return await this.#orphan(
          resource,
          'the namespace is being deleted, and its connection is already gone',
        );
      const done = await execute(resource, decision, { ...this.#executing(progress), ...endings, kept });
      if (done.kind !== 'passed up') return done;
      const now = await this.#parts.store.get(keyOf(resource));
      if (now === undefined || !decidedAlike(resource, now)) return { kind: 'postponed', againInMs: 0 };
      kept = done;
    }
  }

  #executing(progress: Progress): Omit<ExecuteParts & WriteProgress, 'waiting' | 'signal' | 'kept'> {
    const { connections } = this.#parts;
    return {
      ...this.#parts,
      isServed: (resource, service) => connections.isFor(resource, service),
      onAnnounced: (announced) => {
        progress.announced = announced;
        this.#announcements.made(announced);
      },
      onWithdrawn: (announced) => {
        progress.announced = undefined;
        this.#announcements.withdrawn(announced);
      },
    };
  }

  #judging(passedUp: PassedUp | undefined): JudgeParts {
    const { connections, clock, sightings } = this.#parts;
    return {
      ...this.#parts,
      claims: this.#claims,
      staleLooks: this.#staleLooks,
      serviceFor: (resource, signal) => connections.for(resource, signal),
      remembered: (resource) => ({
        ...this.#memory.get(keyText(keyOf(resource))),
        ...this.#found(resource),
        ...sightings.of(resource, clock.now()),
        passedUpMs: passedUp?.atMs,
        ...this.#shownWrites.of(resource),
      }),
    };
  }

  #found(resource: DeploymentResource): Pick<Remembered, 'foundMs' | 'foundRevisionID'> {
    const seenID = this.#memory.get(keyText(keyOf(resource)))?.unrecordedID;
    return this.#announcements.found(resource, this.#parts.clock.now(), seenID);
  }

  /** Carries out a plan that needed no look at the service. */
  async #settleEarly(resource: DeploymentResource, plan: EarlyPlan): Promise<Outcome> {
    if (plan.kind === 'held') return { kind: 'held', message: plan.message };
    if (plan.kind === 'blocked') return { kind: 'settled', reason: plan.reason, message: plan.message };
    await this.#parts.store.release(resource);
    return { kind: 'released', message: plan.message };
  }

  /**
   * Releases a resource that is being deleted if the service is permanently out of reach, or if the deployment stays
   * anyway.
   */
  async #letGo(resource: DeploymentResource, error: unknown): Promise<Outcome | undefined> {
    if (!isDeleting(resource)) return undefined;
    const failure = classify(error);
    if (failure.kind !== 'waiting') return undefined;
    if (failure.reason === 'ConnectionNotFound' && this.#isTerminating(resource))
      return this.#orphan(resource, 'the namespace is being deleted and its connection is gone');
    if (ownsDeletion(resource)) return undefined;
    return this.#orphan(resource, 'the outcome of the announced creation stays unknown');
  }

  #isTerminating({ metadata }: DeploymentResource): boolean {
    return this.#parts.namespaces.isTerminating(metadata.namespace ?? '');
  }

  async #orphan(resource: DeploymentResource, why: string): Promise<Outcome> {
    const { store, events } = this.#parts;
    await store.release(resource);
    const message = `${why}; the deployment stays`;
    events.record(resource, orphanedEvent(message));
    return { kind: 'released', message };
  }

  #outcomeOf(error: unknown, signal: AbortSignal): Outcome {
    if (isSuspension(error)) return { kind: 'held', message: SUSPENDED };
    const failure = classify(error);
    const message = error instanceof Error ? error.message : String(error);
    if (failure.kind === 'waiting')
      return {
        kind: 'waiting',
        reason: failure.reason,
        message,
        againInMs: failure.againInMs,
        pollMs: failure.pollMs,
      };
    if (failure.kind !== 'bug') return { kind: 'failed', failure, message };
    if (signal.aborted) throw error;
    this.#parts.logger.error('unexpected error', { error });
    return { kind: 'failed', failure, message: 'unexpected error; see the log of the controller' };
  }
}

/** True if the connection was suspended while something waited for its turn. */
function isSuspension(error: unknown): boolean {
  const known = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
  return known?.reason === 'Suspended';
}

/** True if the connection is gone, and the resource must not use the one that replaced it. */
function isCutOff(plan: Plan): boolean {
  return plan.kind === 'blocked' && plan.reason === 'ConnectionChanged';
}
