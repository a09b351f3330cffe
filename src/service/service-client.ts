import { windowMs } from '../model/assess.ts';
import type { ConnectionSettings } from '../model/connection.ts';
import { classify, type ConnectionError } from '../model/failure.ts';
import { untouchedBy } from '../model/losses.ts';
import type { Identity, Observation, ObservedDeployment, WriteAnswer } from '../model/observation.ts';
import type { CreateBody, PatchBody } from '../model/patch-body.ts';
import { isPreState } from '../model/pre-state.ts';
import type { ObservedProvider } from '../model/provider.ts';
import type { ListedRepositories } from '../model/repository.ts';
import type { SecretValue } from '../model/secret.ts';
import { sensitiveIn } from '../model/sensitive.ts';
import type { Asked, Caller, ExternalClient, Freshness, ServiceKnowledge } from '../ports/external-client.ts';
import { decodeDeployment } from '../wire/decode.ts';
import type { WireJson } from '../wire/json.ts';
import type { ReadAnswer } from './deployment-list.ts';
import { Answers, type AskedBlock, BLOCKS } from './answers.ts';
import { call, type CallEnvironment, connectionErrorIn, type Line } from './calls.ts';
import type { ServiceAnswer, ServiceRequest } from './exchange.ts';
import type { IDsFilter } from './ids-filter.ts';
import { repositoriesOf, repositoriesRequest, sealed } from './inventory.ts';
import type { ServiceLearning } from './learning.ts';
import { observedDeployment, observedRepository, wireCreate, wirePatch } from './mapping.ts';
import { Observer } from './observer.ts';
import type { Poller } from './poller.ts';

/** What a client works with. */
export interface ServiceClientOptions {
  /** The line in use. Throws a ConnectionError once the connection has another address or is gone. */
  readonly line: () => Line;
  readonly settings: () => ConnectionSettings;
  readonly poller: Poller;
  readonly idsFilter: IDsFilter;
  readonly environment: CallEnvironment;
  readonly learning: ServiceLearning;
  readonly providers: () => readonly ObservedProvider[] | undefined;
  readonly readAnswer: ReadAnswer;
  /** Ids that resources are bound to through this connection. */
  readonly boundIDs: () => readonly string[];
  /** A write met trouble that concerns the connection as a whole. */
  readonly onTrouble: (error: ConnectionError) => void;
}

/** The four documented endpoints, creation and deletion, as the core's verbs on one connection. */
export class ServiceClient implements ExternalClient {
  readonly #options: ServiceClientOptions;
  readonly #answers = new Answers();
  readonly #observer: Observer;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#observer = new Observer({ ...options, answers: this.#answers });
  }

  get settings(): ConnectionSettings {
    return this.#options.settings();
  }

  get learning(): ServiceLearning {
    return this.#options.learning;
  }

  get knowledge(): ServiceKnowledge {
    const { secretsListed, resourceSpecsListed } = this.#options.poller;
    return { secretsListed, resourceSpecsListed, providers: this.#options.providers() };
  }

  observe(identity: Identity, freshness: Freshness, signal: AbortSignal): Promise<Observation> {
    return this.#observer.observe(identity, freshness, signal);
  }

  async repositories(integrationID: string, signal: AbortSignal): Promise<ListedRepositories> {
    try {
      const answer = await this.#options.readAnswer(repositoriesRequest(integrationID), 'user', signal);
      const items = repositoriesOf(answer).items.map(observedRepository);
      return { items, more: answer.headers['link'] !== undefined };
    } catch (error) {
      if (connectionErrorIn(error)?.status === 404) return { items: [], more: false };
      throw error;
    }
  }

  withPermit<T>(caller: Caller, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#options.line().limiter.run(caller, task, signal);
  }

  async patch(
    id: string,
    { before, body, known = [], requestID }: Asked,
    signal: AbortSignal,
  ): Promise<WriteAnswer> {
    const request: ServiceRequest = {
      operation: 'patch',
      method: 'PATCH',
      requestID,
      path: `/v2/deployments/${encodeURIComponent(id)}`,
      body: JSON.stringify(wirePatch(body)),
      secrets: secretsOf(body),
      known: [...known, ...sensitiveIn(before, body)],
    };
    try {
      const answer = await this.#write(request, signal);
      const written = this.#written(answer, {
        id,
        before,
        body,
        asked: BLOCKS.filter((block) => body[block] !== undefined),
      });
      // What was answered before is the past now.
      if (written.kind === 'unclear') this.#answers.forget(id);
      const endedMs = this.#options.environment.clock.now();
      const lossTold =
        written.kind === 'shown' && untouchedBy({ before, body }, written.deployment).lost.length > 0;
      const dueMs = endedMs + windowMs(this.settings);
      this.learning.wrote(id, { before, body, endedMs, dueMs, lossTold });
      return written;
    } catch (error) {
      if (isGone(error) || !isRefused(error)) this.#answers.forget(id);
      if (isRejected(error)) this.learning.refused(id, { before, body });
      throw error;
    }
  }

  async create(body: CreateBody, signal: AbortSignal, requestID?: string): Promise<WriteAnswer> {
    const request: ServiceRequest = {
      operation: 'create',
      method: 'POST',
      requestID,
      path: '/v2/deployments',
      body: JSON.stringify(wireCreate(body)),
      secrets: secretsOf(body),
      known: sensitiveIn(body),
    };
    return this.#written(await this.#write(request, signal), { before: undefined, asked: [] });
  }

  async remove(
    before: ObservedDeployment,
    signal: AbortSignal,
    requestID?: string,
  ): Promise<'accepted' | 'gone'> {
    const { id } = before;
    const path = `/v2/deployments/${encodeURIComponent(id)}`;
    const known = sensitiveIn(before);
    try {
      await this.#write({ operation: 'delete', method: 'DELETE', path, known, requestID }, signal);
      this.#answers.forget(id);
      return 'accepted';
    } catch (error) {
      if (!isGone(error)) throw error;
      this.#answers.forget(id);
      return 'gone';
    }
  }

  async #write(request: ServiceRequest, signal: AbortSignal): Promise<ServiceAnswer> {
    const line = this.#options.line();
    try {
      return await call(line, request, this.#options.environment, signal);
    } catch (error) {
      const trouble = troubleIn(error);
      // What other settings met says nothing about those that replaced them meanwhile.
      if (trouble !== undefined && line.settings === this.settings) this.#options.onTrouble(trouble);
      throw error;
    }
  }

  /** Only a whole deployment with the id that was asked for is evidence; anything else is verified by a read. */
  #written(
    answer: ServiceAnswer,
    about: {
      readonly id?: string;
      readonly before: ObservedDeployment | undefined;
      readonly asked: readonly AskedBlock[];
      readonly body?: PatchBody;
    },
  ): WriteAnswer {
    const nowMs = this.#options.environment.clock.now();
    const deployment = shownIn(answer);
    if (deployment === undefined)
      return { kind: 'unclear', why: `${answer.status} without a deployment in it` };
    if (about.id !== undefined && deployment.id.toLowerCase() !== about.id.toLowerCase()) {
      return { kind: 'unclear', why: 'the answer shows another deployment' };
    }
    const { before, body } = about;
    if (before !== undefined && body !== undefined && isPreState(before, body, deployment)) {
      return { kind: 'unclear', why: 'the answer shows the deployment as it was before' };
    }
    this.#answers.put({ deployment, endedMs: nowMs, untilMs: nowMs + windowMs(this.settings) }, about);
    return { kind: 'shown', deployment, beganMs: nowMs };
  }
}

function secretsOf(body: PatchBody): readonly SecretValue[] {
  return (body.secrets ?? []).map(({ value }) => value);
}

/** True where the service answered that there is no such deployment. */
function isGone(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind === 'transient' && (failure.status === 404 || failure.status === 410);
}

/** True where the service would have none of the request. */
function isRejected(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind === 'terminal' && failure.reason === 'Rejected';
}

/** True where a write that failed surely had no effect. */
function isRefused(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind !== 'bug' && failure.sent === 'no';
}

/**
 * What a failed write says about the connection as a whole: that it cannot be reached or let in, or that the service
 * wants fewer calls. A write that broke off after it may have left is followed by a read, which will tell.
 */
function troubleIn(error: unknown): ConnectionError | undefined {
  const trouble = connectionErrorIn(error);
  return trouble?.sent === 'no' ? trouble : undefined;
}

function shownIn({ status, text }: ServiceAnswer): ObservedDeployment | undefined {
  if (status === 202 || status === 204) return undefined;
  let json: WireJson;
  try {
    json = JSON.parse(text) as WireJson;
  } catch {
    return undefined;
  }
  const wire = decodeDeployment(json, sealed);
  return wire === undefined ? undefined : observedDeployment(wire);
}
