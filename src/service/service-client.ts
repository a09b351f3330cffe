import { type ConnectionSettings, DEFAULTS } from '../model/connection.ts';
import { classify, ConnectionError, findCause } from '../model/failure.ts';
import type { Identity, Observation, ObservedDeployment, WriteAnswer } from '../model/observation.ts';
import type { CreateBody, PatchBody } from '../model/patch-body.ts';
import type { SecretValue } from '../model/secret.ts';
import type { CallPriority, ExternalClient, Freshness, ServiceKnowledge } from '../ports/external-client.ts';
import { decodeDeployment, safeJson } from '../wire/decode.ts';
import { Answers } from './answers.ts';
import { call, type CallEnvironment, type Line } from './calls.ts';
import type { ServiceAnswer, ServiceRequest } from './exchange.ts';
import { observedDeployment, wireCreate, wirePatch } from './mapping.ts';
import type { Poller } from './poller.ts';
import type { Snapshot } from './snapshot.ts';

/** What a client works with. */
export interface ServiceClientOptions {
  readonly line: () => Line;
  readonly poller: Poller;
  readonly environment: CallEnvironment;
  /** A write met trouble that concerns the connection as a whole. */
  readonly onTrouble: (error: ConnectionError) => void;
}

/** The four documented endpoints, creation and deletion, as the core's verbs on one connection. */
export class ServiceClient implements ExternalClient {
  readonly #options: ServiceClientOptions;
  readonly #answers = new Answers();
  #secretsListed = false;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
  }

  get settings(): ConnectionSettings {
    return this.#options.line().settings;
  }

  get knowledge(): ServiceKnowledge {
    if (!this.#secretsListed) {
      const shown = this.#options.poller.snapshot?.byID.values() ?? [];
      for (const { secrets } of shown)
        if (secrets !== undefined && secrets.length > 0) this.#secretsListed = true;
    }
    return { secretsListed: this.#secretsListed };
  }

  async observe(identity: Identity, freshness: Freshness, signal: AbortSignal): Promise<Observation> {
    const { notOlderThanMs, priority, proveAbsence = false } = freshness;
    const snapshot = await this.#pass({ notOlderThanMs, complete: proveAbsence, priority }, signal);
    const seen = this.#lookUp(identity, snapshot, false);
    if (seen.kind !== 'absent' || !proveAbsence || !snapshot.provesAbsence) return seen;
    const second = await this.#pass({ notOlderThanMs: snapshot.endedMs, complete: true, priority }, signal);
    return this.#lookUp(identity, second, second.provesAbsence && second.beganMs >= snapshot.endedMs);
  }

  withPermit<T>(priority: CallPriority, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#options.line().limiter.run(priority, task, signal);
  }

  async patch(id: string, body: PatchBody, signal: AbortSignal): Promise<WriteAnswer> {
    const request: ServiceRequest = {
      operation: 'patch',
      method: 'PATCH',
      path: `/v2/deployments/${encodeURIComponent(id)}`,
      body: JSON.stringify(wirePatch(body)),
    };
    return this.#written(await this.#write(request, secretsOf(body), signal), id);
  }

  async create(body: CreateBody, signal: AbortSignal): Promise<WriteAnswer> {
    const request: ServiceRequest = {
      operation: 'create',
      method: 'POST',
      path: '/v2/deployments',
      body: JSON.stringify(wireCreate(body)),
    };
    return this.#written(await this.#write(request, secretsOf(body), signal), undefined);
  }

  async remove(id: string, signal: AbortSignal): Promise<'accepted' | 'gone'> {
    const path = `/v2/deployments/${encodeURIComponent(id)}`;
    try {
      await this.#write({ operation: 'delete', method: 'DELETE', path }, [], signal);
      return 'accepted';
    } catch (error) {
      // 404 and 410 come as a failure that waits for the deployment to show.
      const failure = classify(error);
      if (failure.kind === 'waiting' && failure.reason === 'NotVisibleYet') return 'gone';
      throw error;
    }
  }

  async #write(
    request: ServiceRequest,
    secrets: readonly SecretValue[],
    signal: AbortSignal,
  ): Promise<ServiceAnswer> {
    try {
      return await call(this.#options.line(), request, secrets, this.#options.environment, signal);
    } catch (error) {
      const trouble = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
      if (trouble !== undefined) this.#options.onTrouble(trouble);
      throw error;
    }
  }

  /** Only a whole deployment with the id that was asked for is evidence; anything else is verified by a read. */
  #written(answer: ServiceAnswer, id: string | undefined): WriteAnswer {
    const nowMs = this.#options.environment.clock.now();
    const deployment = shownIn(answer);
    if (deployment === undefined)
      return { kind: 'unclear', why: `${answer.status} without a deployment in it` };
    if (id !== undefined && deployment.id.toLowerCase() !== id.toLowerCase()) {
      return { kind: 'unclear', why: 'the answer shows another deployment' };
    }
    const windowMs = this.settings.requestTimeoutMs + DEFAULTS.consistencyWindowMs;
    this.#answers.put(deployment, nowMs, nowMs + windowMs);
    return { kind: 'shown', deployment, beganMs: nowMs };
  }

  #lookUp(identity: Identity, snapshot: Snapshot, proven: boolean): Observation {
    const beganMs = snapshot.beganMs;
    const ids =
      identity.by === 'id'
        ? [identity.id.toLowerCase()]
        : (snapshot.byName.get(identity.name) ?? this.#created(identity.name));
    if (ids.length > 1) return { kind: 'ambiguous', ids, beganMs };
    const id = ids[0];
    const read = id === undefined ? undefined : (snapshot.byID.get(id) ?? findByCase(snapshot, id));
    const answer = id === undefined ? undefined : this.#answers.outranking(read?.id ?? id, read, beganMs);
    if (answer !== undefined) {
      return { kind: 'present', deployment: answer.deployment, beganMs: answer.endedMs, via: 'answer' };
    }
    if (read === undefined) return { kind: 'absent', proven, beganMs };
    return { kind: 'present', deployment: read, beganMs, via: 'list' };
  }

  #created(name: string): readonly string[] {
    const id = this.#answers.idNamed(name);
    return id === undefined ? [] : [id];
  }

  /** Waiting for a shared pass ends with the signal of the one who waits; the pass itself goes on for the others. */
  async #pass(
    need: { readonly notOlderThanMs: number; readonly complete: boolean; readonly priority: CallPriority },
    signal: AbortSignal,
  ): Promise<Snapshot> {
    signal.throwIfAborted();
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([this.#options.poller.ensure(need), aborted]);
    } finally {
      if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    }
  }
}

/** Ids are UUIDs, whose case means nothing; services show them in lower case, but nobody promised that. */
function findByCase({ byID }: Snapshot, id: string): ObservedDeployment | undefined {
  for (const deployment of byID.values()) if (deployment.id.toLowerCase() === id) return deployment;
  return undefined;
}

function secretsOf(body: PatchBody): readonly SecretValue[] {
  return (body.secrets ?? []).map(({ value }) => value);
}

function shownIn({ status, text }: ServiceAnswer): ObservedDeployment | undefined {
  if (status === 202 || status === 204) return undefined;
  try {
    const wire = decodeDeployment(safeJson(text));
    return wire === undefined ? undefined : observedDeployment(wire);
  } catch {
    return undefined;
  }
}
