import {
  type ConnectionName,
  type ConnectionSettings,
  connectionText,
  DEFAULTS,
} from '../model/connection.ts';
import { ConnectionError } from '../model/failure.ts';
import { isMassAbsence } from '../model/mass-absence.ts';
import type { ObservedProvider } from '../model/provider.ts';
import type { Learned } from '../model/semantics.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConnectionCheck } from '../ports/connections.ts';
import type { Logger } from '../ports/logger.ts';
import type { ConnectionMetrics, ConnectionState, Metrics } from '../ports/metrics.ts';
import { untilAborted } from './abort.ts';
import { type CallEnvironment, type Line, read } from './calls.ts';
import { checkReport, readProviders } from './connection-check.ts';
import { DeprecationNotice } from './deprecation.ts';
import type { ReadAnswer } from './deployment-list.ts';
import type { Exchange } from './exchange.ts';
import { Limiter } from './limiter.ts';
import { massAbsence } from './mass-absence-error.ts';
import type { Need } from './poller.ts';
import { type ServiceAtAddress, serviceAtAddress } from './service-at-address.ts';
import type { ServiceClient } from './service-client.ts';
import { sameShown, type SnapshotChange } from './snapshot.ts';

/** What one connection needs from its pool. */
export interface PooledConnectionOptions {
  readonly clock: Clock;
  readonly metrics: Metrics & ConnectionMetrics;
  readonly logger: Logger;
  readonly open: (settings: ConnectionSettings) => Exchange;
  readonly onServiceChange: (change: SnapshotChange) => void;
  readonly onTrouble: () => void;
  /** Ids that resources are bound to through this connection. */
  readonly boundIDs: () => readonly string[];
  /** Something was learned that the connection's status should remember. */
  readonly onLearned: () => void;
}

/** Whether a connection can be used. */
type Verdict = { readonly ready: true } | { readonly ready: false; readonly message: string };

/** One connection: its line to the service, the shared sweep over its list, and whether it can be used. */
export class PooledConnection {
  readonly name: ConnectionName;
  readonly #options: PooledConnectionOptions;
  readonly #environment: CallEnvironment;
  readonly #ending = new AbortController();
  readonly #deprecation = new DeprecationNotice();
  #line: Line | undefined;
  #address: ServiceAtAddress;
  /** Undefined before the first check, and while trouble is looked into. */
  #verdict: Verdict | undefined;
  #waiting = Promise.withResolvers<void>();
  /** A write was not let in. A list that needs no credential proves nothing against it, so it holds for a time. */
  #refused: { readonly error: ConnectionError; readonly untilMs: number } | undefined;
  #checking = false;
  #listedProviders: readonly ObservedProvider[] | undefined;

  constructor(name: ConnectionName, options: PooledConnectionOptions) {
    this.name = name;
    this.#options = options;
    const { clock, metrics } = options;
    this.#environment = { clock, metrics, onHeaders: (headers) => this.#deprecation.look(headers) };
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

  /** The connection at this moment, as metrics show it. */
  get state(): ConnectionState {
    const { completeBeganMs } = this.#address.poller;
    return {
      waiting: this.#line?.limiter.waiting ?? 0,
      gateClosed: (this.#line?.limiter.gateMs ?? 0) > 0,
      ...(completeBeganMs === undefined
        ? {}
        : { snapshotAgeSeconds: (this.#options.clock.now() - completeBeganMs) / 1000 }),
    };
  }

  /** Whether the connection can be used; waits for a check that is due. */
  async verdict(signal: AbortSignal): Promise<Verdict> {
    for (;;) {
      if (this.#verdict !== undefined) return this.#verdict;
      await untilAborted(this.#waiting.promise, signal);
    }
  }

  /** Takes over settings, true where they replace others; the snapshot survives unless the address changed. */
  configure(settings: ConnectionSettings, learned: Learned): boolean {
    const before = this.#line;
    if (before !== undefined && sameShown(before.settings, settings)) return false;
    const moved = before !== undefined && before.settings.baseURL !== settings.baseURL;
    if (moved) this.#leave(before);
    this.#line = {
      settings,
      exchange: this.#options.open(settings),
      limiter: moved || before === undefined ? this.#newLimiter(settings) : before.limiter,
    };
    this.#refused = undefined;
    if (before !== undefined && !moved) this.#adapt(before.settings, this.#line);
    if (before !== undefined) closeQuietly(before.exchange);
    this.#address.client.learning.remember(learned);
    if (settings.suspend) {
      this.#address.poller.pause();
      this.#decide({ ready: true });
    }
    return before !== undefined;
  }

  markNotReady(message: string): void {
    this.#address.poller.pause();
    this.#decide({ ready: false, message });
  }

  /**
   * One look at the list, unless a fresh one is at hand, and at the providers (4.1). Throws without a call what the
   * last write was refused with, as long as that holds.
   */
  async check(signal: AbortSignal): Promise<ConnectionCheck> {
    this.#throwRefused();
    const { limiter } = this.#requiredLine();
    if (limiter.gateMs > 0) throw gateError(limiter);
    this.#checking = true;
    try {
      const { poller, list } = this.#address;
      const snapshot = await untilAborted(poller.ensure(this.#freshNeed()), signal);
      const providers = await readProviders(this.#readAnswer, signal);
      this.#listedProviders = providers.note === undefined ? providers.items : undefined;
      if (snapshot.provesAbsence && isMassAbsence(this.#options.boundIDs(), snapshot.byID))
        throw massAbsence();
      this.#throwRefused();
      poller.start();
      this.#decide({ ready: true });
      const deprecation = this.#deprecation.take();
      return {
        ...checkReport({ snapshot, providers, refused: list.note, deprecation }),
        learned: this.client.learning.learned,
        endpoint: this.#requiredLine().settings.baseURL,
      };
    } finally {
      this.#checking = false;
    }
  }

  /** Ends sweeps and reads, and what waits for a permit; a write under way ends first. */
  async close(): Promise<void> {
    const reason = goneError('the connection is gone');
    this.#ending.abort(reason);
    this.#address.poller.stop(reason);
    this.#line?.limiter.stop(reason);
    this.#decide({ ready: false, message: reason.message });
    await this.#line?.exchange.close();
  }

  /** While all is well the snapshot at hand tells enough; otherwise a pass that begins now has to. */
  #freshNeed(): Need {
    const { snapshot } = this.#address.poller;
    const need = { complete: false, priority: 'user' as const };
    if (this.#verdict?.ready === true) return { ...need, notOlderThanMs: 0 };
    const notOlderThanMs = this.#options.clock.now();
    return { ...need, notOlderThanMs, ...(snapshot === undefined ? {} : { after: snapshot }) };
  }

  /** What goes on working at the same address takes up what changed. */
  #adapt(before: ConnectionSettings, { settings, limiter }: Line): void {
    const { poller, idsFilter } = this.#address;
    if (!sameShown(before.rateLimit, settings.rateLimit)) limiter.change(settings.rateLimit);
    if (!sameShown(before.list, settings.list)) idsFilter.trust();
    poller.reschedule();
  }

  #leave({ limiter }: Line): void {
    const reason = goneError('the connection has another address now');
    this.#address.poller.stop(reason);
    limiter.stop(reason);
    this.#address = this.#newAddress();
    this.#verdict = undefined;
  }

  #decide(verdict: Verdict): void {
    this.#verdict = verdict;
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
  }

  #newLimiter({ rateLimit }: ConnectionSettings): Limiter {
    const { clock, metrics } = this.#options;
    const onPermit = (waitedMs: number): void =>
      metrics.permitted(connectionText(this.name), waitedMs / 1000);
    return new Limiter(rateLimit, { clock, onPermit });
  }

  #newAddress(): ServiceAtAddress {
    const { metrics, logger, onServiceChange, onLearned, boundIDs } = this.#options;
    return serviceAtAddress({
      ...{ metrics, logger, onServiceChange, onLearned, boundIDs },
      connection: connectionText(this.name),
      environment: this.#environment,
      settings: () => this.#requiredLine().settings,
      lineOf: (client) => this.#lineOf(client),
      readAnswer: this.#readAnswer,
      providers: () => this.#listedProviders,
      onTrouble: (met) => this.#trouble(met),
      ending: this.#ending.signal,
    });
  }

  readonly #readAnswer: ReadAnswer = (request, priority, signal) => {
    const either = AbortSignal.any([signal, this.#ending.signal]);
    return read(() => this.#requiredLine(), request, priority, this.#environment, either);
  };

  /**
   * Trouble that concerns everyone: sweeps pause, and one check on behalf of all decides, for which everyone waits.
   * A check tells its own trouble, and one that is due needs no second.
   */
  #trouble(met?: ConnectionError): void {
    if (met?.reason === 'AuthFailed')
      this.#refused = { error: met, untilMs: this.#options.clock.now() + DEFAULTS.authRetryMs };
    if (this.#checking || this.#verdict?.ready !== true || this.#line?.settings.suspend === true) return;
    this.#address.poller.pause();
    this.#verdict = undefined;
    this.#options.onTrouble();
  }

  #throwRefused(): void {
    if (this.#refused !== undefined && this.#options.clock.now() < this.#refused.untilMs)
      throw this.#refused.error;
  }

  /** A write that was decided on what another address showed must not go to this one. */
  #lineOf(client: ServiceClient): Line {
    if (this.#ending.signal.aborted) throw goneError('the connection is gone');
    if (client !== this.#address.client) throw goneError('the connection has another address now');
    return this.#requiredLine();
  }

  #requiredLine(): Line {
    if (this.#line === undefined) throw new Error(`${connectionText(this.name)} was not configured`);
    return this.#line;
  }
}

/** Not an answer of the service: the operator itself has moved on. */
function goneError(message: string): ConnectionError {
  return new ConnectionError(message, { reason: 'Unreachable', sent: 'no' });
}

function gateError({ gateMs, gateReason }: Limiter): ConnectionError {
  // No countdown: the text stands in every status, and must not change while nothing else does.
  const message = 'the service asked for a pause; nothing is sent before it is over';
  return new ConnectionError(message, { reason: gateReason, sent: 'no', retryAfterMs: gateMs });
}

/** The old exchange ends when its last request has; nobody waits for that. */
function closeQuietly(exchange: Exchange): void {
  exchange.close().catch(() => undefined);
}
