import type { DeploymentResource } from '../../api/deployment.ts';
import {
  type ConnectionName,
  type ConnectionSettings,
  connectionText,
} from '../../model/connection/connection.ts';
import type { Expected } from '../../model/external/doubt.ts';
import { ConnectionError, type ConnectionTrouble } from '../../model/connection/failure.ts';
import type { Learned } from '../../model/effects/learned.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionCheck } from '../../ports/service/connections.ts';
import type { CallPriority, News } from '../../ports/service/external-client.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { ConnectionMetrics, ConnectionState, Metrics } from '../../ports/process/metrics.ts';
import { type CallEnvironment, type Line, read } from '../calls/call.ts';
import {
  type CheckFindings,
  checkReport,
  listDeployments,
  type ListedDeployments,
  lookAtService,
} from './look-at-service.ts';
import {
  connectionState,
  DeprecationNotice,
  sweepComplaint,
  Usability,
  type Verdict,
  type Vitals,
} from './vitals.ts';
import type { ListFilter, ReadAnswer } from '../list/deployment-list.ts';
import type { Exchange } from '../http/exchange.ts';
import { Intake, laneOf } from '../calls/intake.ts';
import { Limiter } from '../calls/limiter.ts';
import { OutlastingLook } from './outlasting-look.ts';
import { gateClosed, gone, suspended } from '../limits/own-errors.ts';
import { RefusedWrite, type WriteSubject } from '../client/refused-write.ts';
import { type ServiceAtAddress, serviceAtAddress } from '../client/service-at-address.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { SharedMemory } from '../calls/shared-memory.ts';
import { sameShown, type Snapshot, type SnapshotChange, type Wanted } from '../list/snapshot.ts';

/** The parts that one connection gets from its pool. */
export interface PooledConnectionOptions {
  readonly clock: Clock;
  readonly metrics: Metrics & ConnectionMetrics;
  readonly logger: Logger;
  readonly open: (settings: ConnectionSettings) => Exchange;
  readonly onServiceChange: (change: SnapshotChange) => void;
  readonly onTrouble: () => void;
  /** Called when a sweep over the list has ended well. */
  readonly onSwept: () => void;
  /** Returns the deployments to which resources are bound through this connection. */
  readonly expected: () => readonly Expected[];
  /** Returns the deployments that resources look for through this connection. */
  readonly wanted: () => Wanted;
  /** Returns the deployments whose resources next wait for a pass of this urgency, at most `most`. */
  readonly upNext: (priority: CallPriority, most: number) => readonly string[];
  /** The longest time that a check waits for the service; absent: until the read ends. */
  readonly checkLimitMs?: number | undefined;
  /** The resources that all connections share. */
  readonly shared: SharedMemory;
  /** Called when the operator learned something about the service. */
  readonly onLearned: (news: News) => void;
}

/** One connection: its line to the service, the shared sweep over its list, and its usability. */
export class PooledConnection {
  readonly name: ConnectionName;
  readonly #options: PooledConnectionOptions;
  readonly #environment: CallEnvironment;
  readonly #ending = new AbortController();
  readonly #deprecation = new DeprecationNotice();
  readonly #usability = new Usability();
  readonly #refusedWrite: RefusedWrite;
  readonly #look: OutlastingLook<CheckFindings>;
  #line: Line | undefined;
  #address: ServiceAtAddress;
  /**
   * The number of the newest pass that failed, whose settings changed, or after which a check saw an unknown tenant: only
   * a later pass shows that all is well.
   */
  #doubtfulPass = 0;
  #checking = false;
  #permittedMs = 0;

  constructor(name: ConnectionName, options: PooledConnectionOptions) {
    this.name = name;
    this.#options = options;
    const { clock, metrics } = options;
    const intake = new Intake(name, options.shared);
    this.#environment = { clock, metrics, intake, onHeaders: (headers) => this.#deprecation.look(headers) };
    this.#refusedWrite = new RefusedWrite(clock);
    this.#look = new OutlastingLook(clock, options.checkLimitMs, options.onTrouble);
    this.#address = this.#newAddress();
  }

  get client(): ServiceClient {
    return this.#address.client;
  }

  get isConfigured(): boolean {
    return this.#line !== undefined;
  }

  get concurrency(): number {
    return this.#line?.settings.rateLimit.concurrency ?? 1;
  }

  /** The state of the connection now, for metrics. */
  get state(): ConnectionState {
    return connectionState(this.#vitals);
  }

  /** Returns a fault of the sweeps that only a restart can fix; undefined without one. */
  unhealthy(): string | undefined {
    return sweepComplaint(this.#vitals);
  }

  /** Returns whether a resource can use the connection; waits for a check that is due. */
  async verdictFor(resource: DeploymentResource, signal: AbortSignal): Promise<Verdict> {
    if (this.#refusedWrite.lapses()) this.#recheck();
    return this.#refusedWrite.mayTry(resource) ? { ready: true } : this.verdict(signal);
  }

  /** Returns whether the connection can be used; waits for a check that is due. */
  verdict(signal: AbortSignal): Promise<Verdict> {
    return this.#usability.verdict(signal);
  }

  /** Returns the list, or the part that a filter chooses. Throws a ConnectionError. */
  listed(filter: ListFilter, signal: AbortSignal): Promise<ListedDeployments> {
    const { settings } = this.#requiredLine();
    const { clock } = this.#options;
    return listDeployments(this.#address, { filter, settings, nowMs: clock.now() }, signal);
  }

  /**
   * Applies settings. Returns true if they replace others; the snapshot survives unless the address changed. Throws a
   * ConnectionError, and changes nothing, if the service cannot be reached with these settings.
   */
  configure(settings: ConnectionSettings, learned: Learned, shown?: string): boolean {
    const before = this.#line;
    if (before !== undefined && sameShown(before.settings, settings)) return false;
    const exchange = this.#options.open(settings);
    const moved = before !== undefined && before.settings.baseURL !== settings.baseURL;
    if (moved) this.#leave(before);
    const limiter = moved || before === undefined ? this.#newLimiter(settings) : before.limiter;
    this.#line = { settings, exchange, limiter };
    this.#refusedWrite.forget();
    this.#look.forget();
    if (before !== undefined && !moved) this.#adapt(before.settings, this.#line);
    if (before !== undefined) closeQuietly(before.exchange);
    this.#address.client.learning.remember(learned);
    if (before === undefined) this.#address.doubts.remember(shown);
    // A read from before a pause of days does not show that the service answers.
    if (before?.settings.suspend === true) this.#oweSweep();
    if (settings.suspend) this.#suspend(limiter);
    else limiter.resume();
    return before !== undefined;
  }

  markNotReady(trouble: ConnectionTrouble): void {
    this.#address.poller.pause();
    // A retry after a refusal is not allowed while the connection cannot be used for another reason.
    const refusal = this.#refusedWrite.error?.message;
    if (refusal !== undefined && trouble.message !== refusal) this.#refusedWrite.forget();
    this.#usability.decide({ ready: false, trouble });
  }

  /**
   * Checks, as cheaply as possible, whether the list answers, and reads the providers (4.1). While the refusal of the
   * last write is valid, throws it without a call.
   */
  async check(signal: AbortSignal): Promise<ConnectionCheck> {
    this.#refusedWrite.throwIfHolds();
    const { limiter, settings } = this.#requiredLine();
    if (limiter.gateMs > 0) throw gateClosed(limiter);
    const found = await this.#look.found((ending) => this.#lookAt({ limiter, settings }, ending), signal);
    this.#refusedWrite.throwIfHolds();
    if (found.snapshot === undefined) this.#lookAgainWhenSwept();
    this.#address.poller.start();
    this.#usability.decide({ ready: true });
    return {
      ...checkReport({ ...found, deprecation: this.#deprecation.take() }, settings),
      learned: this.client.learning.learned,
      endpoint: this.#requiredLine().settings.baseURL,
    };
  }

  #oweSweep(): void {
    this.#doubtfulPass = this.#address.poller.passes;
  }

  get #sweepAfter(): Pick<Snapshot, 'number'> | undefined {
    const number = this.#doubtfulPass;
    return number > 0 && number >= (this.#address.poller.snapshot?.number ?? 0) ? { number } : undefined;
  }

  async #lookAt({ limiter, settings }: Omit<Line, 'exchange'>, ending: AbortSignal): Promise<CheckFindings> {
    this.#checking = true;
    try {
      return await lookAtService(
        this.#address,
        {
          nowMs: this.#options.clock.now(),
          ready: this.#usability.isReady,
          sweepAfter: this.#sweepAfter,
          settings,
          oweSweep: () => this.#oweSweep(),
        },
        // A pause that begins meanwhile ends the look, which reports it without waiting for a permit.
        AbortSignal.any([ending, limiter.closing]),
      );
    } finally {
      this.#checking = false;
    }
  }

  /**
   * Requests another check after the sweep, since a first page cannot show all trouble, such as the absence of most
   * deployments. A failure requests one itself.
   */
  #lookAgainWhenSwept(): void {
    const any = { complete: false, notOlderThanMs: 0, priority: 'user' } as const;
    this.#address.poller.ensure(any).then(
      () => this.#options.onTrouble(),
      () => undefined,
    );
  }

  /** Ends sweeps, reads and calls that wait for a permit; a write under way ends first. */
  async close(): Promise<void> {
    const reason = gone('the connection is gone');
    this.#ending.abort(reason);
    this.#look.stop(reason);
    stopAddress(this.#address, reason);
    this.#line?.limiter.stop(reason);
    this.#usability.decide({ ready: false, trouble: { reason: reason.reason, message: reason.message } });
    await this.#line?.exchange.close();
  }

  get #vitals(): Vitals {
    const { clock } = this.#options;
    const [{ poller }, line] = [this.#address, this.#line];
    const { limiter, settings } = line ?? {};
    const { intake } = this.#environment;
    return { nowMs: clock.now(), poller, limiter, settings, intake, permittedMs: this.#permittedMs };
  }

  /** Stops all calls, including those that already wait; calls that have begun continue to their end. */
  #suspend(limiter: Limiter): void {
    this.#address.poller.pause();
    limiter.stop(suspended());
    this.#usability.decide({ ready: true });
  }

  /** Passes changed settings to the parts that continue to work at the same address. */
  #adapt(before: ConnectionSettings, { settings, limiter }: Line): void {
    const { poller, idsFilter } = this.#address;
    if (!sameShown(before.rateLimit, settings.rateLimit)) limiter.change(settings.rateLimit);
    if (!sameShown(before.list, settings.list)) idsFilter.trust();
    const seenThrough = ({ headers, tls, proxy, list }: ConnectionSettings): unknown => [
      ...[headers, tls, proxy, list],
    ];
    if (!sameShown(seenThrough(before), seenThrough(settings))) this.#oweSweep();
    poller.reschedule();
  }

  #leave({ limiter }: Line): void {
    const reason = gone('the connection has another address now');
    stopAddress(this.#address, reason);
    limiter.stop(reason);
    this.#address = this.#newAddress();
    this.#doubtfulPass = 0;
    this.#usability.doubt();
  }

  #newLimiter({ rateLimit }: ConnectionSettings): Limiter {
    const { clock, metrics } = this.#options;
    const onPermit = (waitedMs: number): void => {
      this.#permittedMs = clock.now();
      metrics.permitted(connectionText(this.name), waitedMs / 1000);
    };
    return new Limiter(rateLimit, { clock, onPermit });
  }

  #newAddress(): ServiceAtAddress {
    const { metrics, logger, shared } = this.#options;
    const { onServiceChange, onSwept, onLearned, expected, wanted, upNext } = this.#options;
    return serviceAtAddress({
      ...{ metrics, logger, onServiceChange, onSwept, onLearned, expected, wanted, upNext },
      newShare: () => shared.kept.share(laneOf(this.name)),
      newAnswersShare: () => shared.answers.share(laneOf(this.name)),
      newEvidenceShare: () => shared.evidence.share(laneOf(this.name)),
      mostParts: shared.limits.answerParts,
      connection: connectionText(this.name),
      environment: this.#environment,
      settings: () => this.#requiredLine().settings,
      lineOf: (client) => this.#lineOf(client),
      readAnswer: this.#readAnswer,
      onTrouble: (met, subject) => this.#trouble(met, subject),
      onLetIn: () => this.#letIn(),
      ending: this.#ending.signal,
    });
  }

  /** Reads an answer. If the service asks any read for a pause, the connection shows it (H63). */
  readonly #readAnswer: ReadAnswer = async (reading, signal) => {
    const either = AbortSignal.any([signal, this.#ending.signal]);
    try {
      return await read(() => this.#requiredLine(), { ...reading, signal: either }, this.#environment);
    } catch (error) {
      if (error instanceof ConnectionError && error.retryAfterMs !== undefined) this.#trouble(error);
      throw error;
    }
  };

  /**
   * Handles trouble that concerns the whole connection: sweeps pause, and all callers wait for one check. A check
   * reports its own trouble, and a check that is already due needs no second one.
   */
  #trouble(met?: ConnectionError, subject?: WriteSubject): void {
    if (met === undefined) this.#oweSweep();
    if (met?.reason === 'AuthFailed' && subject !== undefined) this.#refusedWrite.met(met, subject);
    if (this.#checking || !this.#usability.isReady || this.#line?.settings.suspend === true) return;
    this.#address.poller.pause();
    this.#recheck();
  }

  /** Requests one check on behalf of all callers, which decides whether the connection can be used. */
  #recheck(): void {
    this.#usability.doubt();
    this.#options.onTrouble();
  }

  /**
   * Records that the service accepted a write again. Nothing speaks against the connection now; a check must confirm
   * that.
   */
  #letIn(): void {
    if (this.#refusedWrite.error === undefined) return;
    this.#refusedWrite.forget();
    this.#options.onTrouble();
  }

  /**
   * Returns the line for a client. A write that was decided from the state at another address must not go to this one.
   */
  #lineOf(client: ServiceClient): Line {
    if (this.#ending.signal.aborted) throw gone('the connection is gone');
    if (client !== this.#address.client) throw gone('the connection has another address now');
    return this.#requiredLine();
  }

  #requiredLine(): Line {
    if (this.#line === undefined) throw new Error(`${connectionText(this.name)} was not configured`);
    return this.#line;
  }
}

/** Ends the old exchange after its last request, in the background. */
function closeQuietly(exchange: Exchange): void {
  exchange.close().catch(() => undefined);
}

/** Drops the knowledge about an address that is no longer used, and frees its memory. */
function stopAddress({ poller, inventories, client }: ServiceAtAddress, reason: Error): void {
  poller.stop(reason);
  inventories.stop();
  client.stop();
  client.learning.stop();
}
