import { type ConnectionName, type ConnectionSettings, connectionText } from '../model/connection.ts';
import { ConnectionError } from '../model/failure.ts';
import type { ObservedProvider } from '../model/provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConnectionCheck } from '../ports/connections.ts';
import type { ConnectionMetrics, ConnectionState, Metrics } from '../ports/metrics.ts';
import { untilAborted } from './abort.ts';
import { type CallEnvironment, type Line, read } from './calls.ts';
import { deprecationIn } from './deprecation.ts';
import { DeploymentList, type ReadAnswer } from './deployment-list.ts';
import type { Exchange } from './exchange.ts';
import { IDsFilter } from './ids-filter.ts';
import { PROVIDERS_REQUEST, providersOf } from './inventory.ts';
import { Limiter } from './limiter.ts';
import { observedProvider } from './mapping.ts';
import { Poller } from './poller.ts';
import { ServiceClient } from './service-client.ts';
import { type Snapshot, sameShown, type SnapshotChange } from './snapshot.ts';

/** What one connection needs from its pool. */
export interface PooledConnectionOptions {
  readonly clock: Clock;
  readonly metrics: Metrics & ConnectionMetrics;
  readonly open: (settings: ConnectionSettings) => Exchange;
  readonly onServiceChange: (change: SnapshotChange) => void;
  readonly onTrouble: () => void;
}

/** Whether a connection can be used. */
type Verdict =
  | { readonly ready: true }
  | { readonly ready: false; readonly message: string; readonly rateLimited?: boolean };

/** What belongs to one address of the service: another address starts with nothing known. */
interface Address {
  readonly list: DeploymentList;
  readonly poller: Poller;
  readonly client: ServiceClient;
}

/** One connection: its line to the service, the shared sweep over its list, and whether it can be used. */
export class PooledConnection {
  readonly name: ConnectionName;
  readonly #options: PooledConnectionOptions;
  readonly #environment: CallEnvironment;
  readonly #ending = new AbortController();
  #line: Line | undefined;
  #address: Address;
  /** Undefined before the first check, and while trouble is looked into. */
  #verdict: Verdict | undefined;
  #waiting = Promise.withResolvers<void>();
  #checking = false;
  #deprecation: { readonly text: string; told: boolean } | undefined;

  constructor(name: ConnectionName, options: PooledConnectionOptions) {
    this.name = name;
    this.#options = options;
    const { clock, metrics } = options;
    const onHeaders: CallEnvironment['onHeaders'] = (headers) => {
      const text = this.#deprecation === undefined ? deprecationIn(headers) : undefined;
      if (text !== undefined) this.#deprecation = { text, told: false };
    };
    this.#environment = { clock, metrics, onHeaders };
    this.#address = this.#newAddress();
  }

  get client(): ServiceClient {
    return this.#address.client;
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
  configure(settings: ConnectionSettings): boolean {
    const before = this.#line;
    if (before !== undefined && sameShown(before.settings, settings)) return false;
    const moved = before !== undefined && before.settings.baseURL !== settings.baseURL;
    if (moved) this.#leave(before);
    this.#line = {
      settings,
      exchange: this.#options.open(settings),
      limiter: moved || before === undefined ? this.#newLimiter(settings) : before.limiter,
    };
    if (!moved && before !== undefined && !sameShown(before.settings.rateLimit, settings.rateLimit)) {
      before.limiter.change(settings.rateLimit);
    }
    if (before !== undefined) closeQuietly(before.exchange);
    this.#address.poller.reschedule();
    if (settings.suspend) {
      this.#address.poller.pause();
      this.#decide({ ready: true });
    }
    return before !== undefined;
  }

  markNotReady(message: string): void {
    this.#address.poller.pause();
    const rateLimited = (this.#line?.limiter.gateMs ?? 0) > 0;
    this.#decide({ ready: false, message, rateLimited });
  }

  /** One look at the list, unless a fresh one is at hand, and at the providers (4.1). */
  async check(signal: AbortSignal): Promise<ConnectionCheck> {
    const { limiter } = this.#requiredLine();
    if (limiter.gateMs > 0) throw throttled(limiter.gateMs);
    this.#checking = true;
    try {
      const { poller, list } = this.#address;
      const needsNone = this.#verdict?.ready === true || this.#verdict?.rateLimited === true;
      const notOlderThanMs = needsNone ? 0 : this.#options.clock.now();
      const need = { notOlderThanMs, complete: false, priority: 'user' as const };
      const snapshot = await untilAborted(poller.ensure(need), signal);
      const providers = await this.#providers(signal);
      poller.start();
      this.#decide({ ready: true });
      return checkOf(snapshot, providers, list.note, this.#untoldDeprecation());
    } finally {
      this.#checking = false;
    }
  }

  /** Ends sweeps and reads, and what waits for a permit; a write under way ends first. */
  async close(): Promise<void> {
    const reason = goneError('the connection is gone');
    this.#ending.abort(reason);
    this.#address.poller.stop(reason);
    this.#line?.limiter.end(reason);
    this.#decide({ ready: false, message: reason.message });
    await this.#line?.exchange.close();
  }

  #leave({ limiter }: Line): void {
    const reason = goneError('the connection has another address now');
    this.#address.poller.stop(reason);
    limiter.end(reason);
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

  #newAddress(): Address {
    const { clock, metrics, onServiceChange } = this.#options;
    const settings = (): ConnectionSettings => this.#requiredLine().settings;
    const list = new DeploymentList(this.#readAnswer, () => settings().list);
    const poller = new Poller({
      clock,
      fetchPage: (...page) => list.page(...page),
      intervalMs: () => settings().poll.intervalMs,
      pageSize: () => settings().list.pageSize,
      onChange: onServiceChange,
      onFailure: (error) => this.#trouble(error),
      onSwept: (result) => metrics.swept(connectionText(this.name), result),
    });
    const client: ServiceClient = new ServiceClient({
      line: () => this.#lineOf(client),
      settings,
      poller,
      idsFilter: new IDsFilter({
        clock,
        fetch: (ids, priority) => list.withIDs(ids, priority, this.#ending.signal),
      }),
      environment: this.#environment,
      onTrouble: (error) => this.#trouble(error),
    });
    return { list, poller, client };
  }

  readonly #readAnswer: ReadAnswer = (request, priority, signal) => {
    const either = AbortSignal.any([signal, this.#ending.signal]);
    return read(() => this.#requiredLine(), request, priority, this.#environment, either);
  };

  /** Providers are an inventory: a service that does not list them is usable all the same. */
  async #providers(signal: AbortSignal): Promise<Providers> {
    try {
      const answer = await this.#readAnswer(PROVIDERS_REQUEST, 'resync', signal);
      const items = providersOf(answer).items.map(observedProvider);
      return answer.headers['link'] === undefined
        ? { items }
        : { items, note: 'the list of OAuth providers has further pages (Link), which are not read' };
    } catch (error) {
      if (!(error instanceof ConnectionError) || error.reason === 'AuthFailed') throw error;
      return { items: [], note: `OAuth providers could not be listed (${error.reason})` };
    }
  }

  #untoldDeprecation(): string | undefined {
    if (this.#deprecation === undefined || this.#deprecation.told) return undefined;
    this.#deprecation.told = true;
    return this.#deprecation.text;
  }

  /**
   * Trouble that concerns everyone: sweeps pause, and one check on behalf of all decides, for which everyone waits.
   * A check tells its own trouble, and one that is due needs no second.
   */
  #trouble(error: unknown): void {
    if (this.#checking || this.#verdict?.ready !== true) return;
    if (error instanceof ConnectionError && error.reason === 'RateLimited') {
      this.markNotReady(`${error.reason}: ${error.message}`);
    } else {
      this.#address.poller.pause();
      this.#verdict = undefined;
    }
    this.#options.onTrouble();
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

interface Providers {
  readonly items: readonly ObservedProvider[];
  readonly note?: string;
}

function checkOf(
  snapshot: Snapshot,
  { items, note }: Providers,
  refused: string | undefined,
  deprecation: string | undefined,
): ConnectionCheck {
  const { stuck, problems, byID } = snapshot;
  const notes = [
    stuck
      ? 'the offset of the list does not advance: absence cannot be concluded; see spec.list.parameters'
      : undefined,
    refused,
    problems.length > 0
      ? `${problems.length} deployments of the list could not be read (${problems[0]})`
      : undefined,
    note,
  ].filter((text) => text !== undefined);
  return {
    deployments: { total: byID.size },
    providers: items,
    ...(notes.length === 0 ? {} : { message: notes.join('; ') }),
    ...(deprecation === undefined ? {} : { deprecation }),
  };
}

/** Not an answer of the service: the operator itself has moved on. */
function goneError(message: string): ConnectionError {
  return new ConnectionError(message, { reason: 'Unreachable', sent: 'no' });
}

function throttled(gateMs: number): ConnectionError {
  const message = `the service asked for a pause; ${Math.ceil(gateMs / 1000)} s of it are left`;
  return new ConnectionError(message, { reason: 'RateLimited', sent: 'no', retryAfterMs: gateMs });
}

/** The old exchange ends when its last request has; nobody waits for that. */
function closeQuietly(exchange: Exchange): void {
  exchange.close().catch(() => undefined);
}
