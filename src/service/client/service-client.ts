import { windowMs } from '../../model/compare/assess.ts';
import { recentMs } from '../../model/decide/recent-look.ts';
import type { ConnectionSettings } from '../../model/connection/connection.ts';
import type { ConnectionError } from '../../model/connection/failure.ts';
import type { Listed, ObservedProvider, ObservedRepository } from '../../model/external/inventory.ts';
import { asAnswered } from '../../model/effects/taken.ts';
import { tellsOf } from '../../model/effects/tells-of.ts';
import type { Observation, ObservedDeployment, WriteAnswer } from '../../model/external/observation.ts';
import type { Identity } from '../../model/desired/desired-deployment.ts';
import type { CreateBody, PatchBody } from '../../model/external/patch-body.ts';
import { isPreState } from '../../model/external/is-pre-state.ts';
import { type PlainLists, shareName, shareValue } from '../../model/recorded/masks.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import { sensitiveIn } from '../../model/redaction/sensitive.ts';
import { unnamedTexts } from '../../model/external/named-only.ts';
import type {
  Asked,
  ExternalClient,
  Freshness,
  HesitantCaller,
  PassedUp,
  ServiceKnowledge,
} from '../../ports/service/external-client.ts';
import { decodeDeployment } from '../../wire/decode.ts';
import { answerJson } from '../limits/answer-json.ts';
import { Absences } from './absences.ts';
import { Answers } from './answers.ts';
import { type AskedBlock, BLOCKS } from './completed-answer.ts';
import {
  call,
  type CallEnvironment,
  isDealtWith,
  isGone,
  isRefused,
  isRejected,
  type Line,
  troubleIn,
} from '../calls/call.ts';
import type { Doubts } from './doubts.ts';
import type { ServiceAnswer, ServiceRequest } from '../http/exchange.ts';
import type { IDsFilter, SingleRead } from '../list/ids-filter.ts';
import type { Inventories } from '../list/inventories.ts';
import { sealed } from '../list/inventory.ts';
import type { KeptShare } from '../limits/kept-room.ts';
import type { ServiceLearning } from './service-learning.ts';
import { observedDeployment, wireCreate, wirePatch } from '../list/observed-deployment.ts';
import { Observer } from './observer.ts';
import type { Poller } from '../list/poller.ts';
import type { WriteSubject } from './refused-write.ts';

/** The parts of a client. */
export interface ServiceClientOptions {
  /** Returns the line in use. Throws a ConnectionError once the connection has another address or is gone. */
  readonly line: () => Line;
  readonly settings: () => ConnectionSettings;
  readonly poller: Poller;
  readonly idsFilter: IDsFilter;
  readonly environment: CallEnvironment;
  readonly learning: ServiceLearning;
  readonly inventories: Inventories;
  readonly doubts: Doubts;
  /** Room for answers to writes. */
  readonly answersShare: KeptShare;
  /** Room for reads of single deployments. */
  readonly singlesShare: KeptShare;
  /** Called after an error that concerns the whole connection, with the subject of the write if a write met it. */
  readonly onTrouble: (error: ConnectionError, subject?: WriteSubject) => void;
  /** Called when the service has handled a write, whatever the outcome. */
  readonly onLetIn: () => void;
}

/** The client of one connection: offers the core the four documented endpoints, creation and deletion. */
export class ServiceClient implements ExternalClient {
  readonly #options: ServiceClientOptions;
  readonly #answers: Answers;
  readonly #absences: Absences;
  readonly #observer: Observer;

  constructor(options: ServiceClientOptions) {
    this.#options = options;
    this.#answers = new Answers(options.answersShare);
    this.#absences = new Absences({
      clock: options.environment.clock,
      intervalMs: () => options.settings().poll.intervalMs,
    });
    const pausing = (): AbortSignal => options.line().limiter.closing;
    this.#observer = new Observer({ ...options, answers: this.#answers, absences: this.#absences, pausing });
  }

  get settings(): ConnectionSettings {
    return this.#options.settings();
  }

  get learning(): ServiceLearning {
    return this.#options.learning;
  }

  get knowledge(): ServiceKnowledge {
    const { secretsListed, resourceSpecsListed, listedPaths } = this.#options.poller;
    return { secretsListed, resourceSpecsListed, listedPaths };
  }

  observe(identity: Identity, freshness: Freshness, signal: AbortSignal): Promise<Observation> {
    return this.#observer.observe(identity, freshness, signal);
  }

  /** Returns those ids that no call for a single deployment has read in the last seconds. */
  notJustRead(ids: readonly string[]): readonly string[] {
    const sinceMs = this.#options.environment.clock.now() - recentMs(this.settings);
    return ids.filter((id) => !this.#observer.hasRead(id, sinceMs));
  }

  /** Keeps what a read for other deployments showed about one that it included. */
  keepRead(read: SingleRead): void {
    this.#observer.keepRead(read);
  }

  plainLists(id: string | undefined): PlainLists {
    const seen = id === undefined ? undefined : this.learning.shownPlainly.get(id)?.all;
    return { current: this.#showsPlainly(), seen: seen ?? [] };
  }

  #showsPlainly(): boolean {
    const { shownPlainly } = this.learning;
    let isOpen = shownPlainly.size > 0;
    for (const [id, { ours }] of shownPlainly) {
      const now = this.listed(id)?.secrets;
      if (shareValue(ours, now)) return true;
      // A secret that is gone contradicts nothing.
      isOpen &&= !shareName(ours, now);
    }
    return isOpen;
  }

  listed(id: string): ObservedDeployment | undefined {
    return this.#observer.listed(id);
  }

  swept(id: string): ObservedDeployment | undefined {
    return this.#options.poller.snapshot?.byID.get(id.toLowerCase());
  }

  providers(notOlderThanMs: number, signal: AbortSignal): Promise<Listed<ObservedProvider>> {
    return this.#options.inventories.providers({ notOlderThanMs, priority: 'user' }, signal);
  }

  repositories(
    integrationID: string,
    notOlderThanMs: number,
    signal: AbortSignal,
  ): Promise<Listed<ObservedRepository>> {
    const need = { notOlderThanMs, priority: 'user' } as const;
    return this.#options.inventories.repositories(integrationID, need, signal);
  }

  async withPermit<T>(
    caller: HesitantCaller,
    task: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<T | PassedUp> {
    const { limiter } = this.#options.line();
    return limiter.offer(caller, task, AbortSignal.any([signal, limiter.closing]));
  }

  get isPaused(): boolean {
    return this.#options.line().limiter.gateMs > 0;
  }

  get apartMs(): number {
    return this.#options.line().limiter.apartMs;
  }

  movedSince(id: string, sinceMs: number): boolean {
    return this.#options.poller.movedSince(id, sinceMs);
  }

  sweptSince(id: string, sinceMs: number): boolean {
    return this.#options.poller.sweptSince(id, sinceMs);
  }

  async patch(
    id: string,
    { known = [], requestID, ...asked }: Asked,
    signal: AbortSignal,
  ): Promise<WriteAnswer> {
    const { before, body, unproven, mayBeThere, ...facts } = asked;
    const request: ServiceRequest = {
      operation: 'patch',
      method: 'PATCH',
      requestID,
      path: `/v2/deployments/${encodeURIComponent(id)}`,
      body: JSON.stringify(wirePatch(body)),
      secrets: secretsOf(body),
      known: [...known, ...sensitiveIn(before, body), ...unnamedTexts(before, body)],
    };
    try {
      const answer = await this.#write(request, { id }, signal);
      const written = this.#written(answer, {
        id,
        before,
        body,
        asked: BLOCKS.filter((block) => body[block] !== undefined),
      });
      // Earlier answers are outdated now.
      if (written.kind === 'unclear') this.#answers.forget(id);
      const endedMs = this.#options.environment.clock.now();
      const dueMs = endedMs + windowMs(this.settings);
      const sent = { before, body };
      const shown = written.kind === 'shown' ? written.deployment : undefined;
      const isState = shown !== undefined && !tellsOf({ ...sent, unproven, mayBeThere }, shown);
      const answered = isState ? { before: asAnswered(sent, shown) } : { before, answer: shown };
      const evidence = { ...facts, body, ...answered, pageCame: answer.isPage, endedMs, dueMs };
      this.learning.wrote(id, evidence, isOf(answer, id) ? answer.deployment : undefined);
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
    const answer = await this.#write(request, { name: body.name }, signal);
    const written = this.#written(answer, { before: undefined, asked: [] });
    if (written.kind === 'shown') this.#absences.made(written.deployment.id, body.name);
    return written;
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
      await this.#write({ operation: 'delete', method: 'DELETE', path, known, requestID }, { id }, signal);
      this.#forget(id);
      return 'accepted';
    } catch (error) {
      if (!isGone(error)) throw error;
      this.#forget(id);
      return 'gone';
    }
  }

  /** Forgets all answers and reads for good. */
  stop(): void {
    this.#answers.stop();
    this.#observer.stop();
  }

  #forget(id: string): void {
    this.#answers.forget(id);
    this.#absences.settled(id);
  }

  async #write(request: ServiceRequest, subject: WriteSubject, signal: AbortSignal): Promise<Answered> {
    const { line: lineOf, environment, onTrouble, onLetIn } = this.#options;
    const line = lineOf();
    // A failure under other settings says nothing about the settings that have replaced them.
    const isCurrent = (): boolean => line.settings === this.settings;
    try {
      const answer = await call(line, { request, use: answered, signal }, environment);
      if (isCurrent()) onLetIn();
      return answer;
    } catch (error) {
      const trouble = troubleIn(error);
      if (isCurrent() && isDealtWith(error)) onLetIn();
      if (isCurrent() && trouble !== undefined) onTrouble(trouble, subject);
      throw error;
    }
  }

  /**
   * Returns the outcome of a write. Only a whole deployment with the requested id is evidence; a read verifies anything
   * else.
   */
  #written(
    { status, deployment, isPage }: Answered,
    about: {
      readonly id?: string;
      readonly before: ObservedDeployment | undefined;
      readonly asked: readonly AskedBlock[];
      readonly body?: PatchBody;
    },
  ): WriteAnswer {
    const nowMs = this.#options.environment.clock.now();
    if (deployment === undefined) {
      const why = `${status} without a deployment in it`;
      return { kind: 'unclear', why, ...(isPage && { isPage }) };
    }
    if (about.id !== undefined && !isOf({ deployment }, about.id)) {
      return { kind: 'unclear', why: 'the answer shows another deployment' };
    }
    const { before, body } = about;
    if (before !== undefined && body !== undefined && isPreState(before, body, deployment)) {
      return { kind: 'unclear', why: 'the answer shows the deployment as it was before' };
    }
    const answer = { deployment, endedMs: nowMs, untilMs: nowMs + windowMs(this.settings) };
    if (!this.#answers.put(answer, about))
      return { kind: 'unclear', why: 'there is no room to remember the answer' };
    return { kind: 'shown', deployment, beganMs: nowMs };
  }
}

function secretsOf(body: PatchBody): readonly SecretValue[] {
  return (body.secrets ?? []).map(({ value }) => value);
}

/** The part of the answer to a write that counts. */
interface Answered {
  readonly status: number;
  readonly deployment: ObservedDeployment | undefined;
  /** True for a web page: a login in front of the service may have sent it, and the service received nothing. */
  readonly isPage: boolean;
}

/** True if an answer shows the deployment of an id. */
function isOf({ deployment }: Pick<Answered, 'deployment'>, id: string): boolean {
  return deployment?.id.toLowerCase() === id.toLowerCase();
}

function answered({ status, text }: ServiceAnswer): Answered {
  const json = status === 202 || status === 204 ? undefined : answerJson(text);
  const wire = json === undefined ? undefined : decodeDeployment(json, sealed);
  // Some frameworks call every text HTML, even an empty one, so the header does not tell.
  const isPage = text.trimStart().startsWith('<');
  return { status, deployment: wire === undefined ? undefined : observedDeployment(wire), isPage };
}
