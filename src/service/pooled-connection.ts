import type { ConnectionName, ConnectionSettings } from '../model/connection.ts';
import { connectionText } from '../model/connection.ts';
import { ConnectionError } from '../model/failure.ts';
import type { ObservedProvider } from '../model/provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConnectionCheck } from '../ports/connections.ts';
import type { CallPriority } from '../ports/external-client.ts';
import type { Metrics } from '../ports/metrics.ts';
import { type Line, read } from './calls.ts';
import type { Exchange } from './exchange.ts';
import { listRequest, pageOf, PROVIDERS_REQUEST, providersOf } from './inventory.ts';
import { Limiter } from './limiter.ts';
import { observedProvider } from './mapping.ts';
import type { Page } from './pages.ts';
import { Poller } from './poller.ts';
import { ServiceClient } from './service-client.ts';
import { sameShown, type SnapshotChange } from './snapshot.ts';

/** What one connection needs from its pool. */
export interface PooledConnectionOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly open: (settings: ConnectionSettings) => Exchange;
  readonly onServiceChange: (change: SnapshotChange) => void;
  readonly onTrouble: () => void;
}

/** Whether a connection can be used; not known before the first check. */
type Verdict = { readonly ready: true } | { readonly ready: false; readonly message: string };

/** One connection: its line to the service, the shared sweep over its list, and whether it can be used. */
export class PooledConnection {
  readonly name: ConnectionName;
  readonly #options: PooledConnectionOptions;
  readonly #ending = new AbortController();
  #line: Line | undefined;
  #poller: Poller;
  #client: ServiceClient;
  #verdict: Verdict | undefined;
  #waiting: (() => void)[] = [];

  constructor(name: ConnectionName, options: PooledConnectionOptions) {
    this.name = name;
    this.#options = options;
    this.#poller = this.#newPoller();
    this.#client = this.#newClient();
  }

  get client(): ServiceClient {
    return this.#client;
  }

  get concurrency(): number {
    return this.#line?.settings.rateLimit.concurrency ?? 1;
  }

  /** Whether the connection can be used; waits for the first check of one that was only just seen. */
  async verdict(signal: AbortSignal): Promise<Verdict> {
    while (this.#verdict === undefined) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    return this.#verdict;
  }

  /** Takes over settings, true where they replace others; the snapshot survives unless the address changed. */
  configure(settings: ConnectionSettings): boolean {
    const before = this.#line;
    if (before !== undefined && sameShown(before.settings, settings)) return false;
    const { clock, open } = this.#options;
    const sameLimits = before !== undefined && sameShown(before.settings.rateLimit, settings.rateLimit);
    this.#line = {
      settings,
      exchange: open(settings),
      limiter: sameLimits ? before.limiter : new Limiter(settings.rateLimit, clock),
    };
    void before?.exchange.close();
    if (!sameLimits) before?.limiter.close();
    if (before !== undefined && before.settings.baseURL !== settings.baseURL) this.#startAnew();
    if (settings.suspend) this.#decide({ ready: true });
    if (settings.suspend) this.#poller.pause();
    return before !== undefined;
  }

  markNotReady(message: string): void {
    this.#poller.pause();
    this.#decide({ ready: false, message });
  }

  /** One look at the list, unless a fresh one is at hand, and at the providers (4.1). */
  async check(signal: AbortSignal): Promise<ConnectionCheck> {
    const healthy = this.#verdict?.ready === true;
    const notOlderThanMs = healthy ? 0 : this.#options.clock.now();
    const snapshot = await this.#poller.ensure({ notOlderThanMs, complete: false, priority: 'user' });
    const providers = await this.#providers(signal);
    this.#decide({ ready: true });
    this.#poller.start();
    const notes = [
      ...(snapshot.stuck ? ['the offset of the list does not advance: absence cannot be concluded'] : []),
      ...(snapshot.malformed > 0 ? [`${snapshot.malformed} deployments of the list could not be read`] : []),
      ...('note' in providers ? [providers.note] : []),
    ];
    return {
      deployments: { total: snapshot.byID.size },
      providers: providers.items,
      ...(notes.length === 0 ? {} : { message: notes.join('; ') }),
    };
  }

  /** Ends sweeps and exchanges. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the connection was closed'));
    this.#poller.stop();
    this.#line?.limiter.close();
    this.#decide({ ready: false, message: 'the connection is gone' });
    await this.#line?.exchange.close();
  }

  #startAnew(): void {
    this.#poller.stop();
    this.#poller = this.#newPoller();
    this.#client = this.#newClient();
    this.#verdict = undefined;
  }

  #decide(verdict: Verdict): void {
    this.#verdict = verdict;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #newPoller(): Poller {
    const { clock, metrics, onServiceChange } = this.#options;
    return new Poller({
      clock,
      fetchPage: (offset, priority, signal) => this.#fetchPage(offset, priority, signal),
      intervalMs: () => this.#requiredLine().settings.poll.intervalMs,
      pageSize: () => this.#requiredLine().settings.list.pageSize,
      onChange: onServiceChange,
      onFailure: (error) => this.#trouble(error),
      onSwept: (result) => metrics.swept(connectionText(this.name), result),
    });
  }

  #newClient(): ServiceClient {
    const { clock, metrics } = this.#options;
    return new ServiceClient({
      line: () => this.#requiredLine(),
      poller: this.#poller,
      environment: { clock, metrics },
      onTrouble: (error) => this.#trouble(error),
    });
  }

  async #fetchPage(offset: number, priority: CallPriority, signal: AbortSignal): Promise<Page> {
    const { pageSize, parameters } = this.#requiredLine().settings.list;
    const request = listRequest({ [parameters.limit]: pageSize, [parameters.offset]: offset });
    const line = (): Line => this.#requiredLine();
    return pageOf(
      await read(line, request, priority, this.#options, AbortSignal.any([signal, this.#ending.signal])),
    );
  }

  /** Providers are an inventory: a service that does not list them is usable all the same. */
  async #providers(
    signal: AbortSignal,
  ): Promise<{ readonly items: readonly ObservedProvider[]; readonly note?: string }> {
    try {
      const line = (): Line => this.#requiredLine();
      const answer = await read(
        line,
        PROVIDERS_REQUEST,
        'resync',
        this.#options,
        AbortSignal.any([signal, this.#ending.signal]),
      );
      return { items: providersOf(answer).items.map(observedProvider) };
    } catch (error) {
      if (!(error instanceof ConnectionError) || error.reason === 'AuthFailed') throw error;
      return { items: [], note: `OAuth providers could not be listed (${error.reason})` };
    }
  }

  /** Trouble that concerns everyone: the sweep pauses and the connection is checked, once, on behalf of all. */
  #trouble(error: unknown): void {
    const message =
      error instanceof ConnectionError ? `${error.reason}: ${error.message}` : 'the list could not be read';
    this.markNotReady(message);
    this.#options.onTrouble();
  }

  #requiredLine(): Line {
    if (this.#line === undefined) throw new Error(`${connectionText(this.name)} was not configured`);
    return this.#line;
  }
}
