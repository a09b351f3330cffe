import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { linkAbort } from './abort.ts';
import type { ClusterMetrics } from './cluster-metrics.ts';
import { type ApiError, isApiError, networkError } from './errors.ts';
import { CorruptLineError } from './json-lines.ts';
import { type ListWatch, parseWatchEvent, type WatchEvent } from './list-watch.ts';
import {
  afterList,
  afterListFailure,
  afterWatch,
  type ListingState,
  type ReflectorState,
  type ReflectorTuning,
  type WatchEnd,
  type WatchingState,
} from './reflector-state.ts';
import type { KubernetesObject } from './resources.ts';

/** Where a reflector puts what it learns. Neither method may throw. */
export interface ReflectorSink {
  /**
   * Everything that exists now. `position` is the version up to which the watch before had told all changes;
   * absent for the first list.
   */
  replaced(items: readonly KubernetesObject[], position: string | undefined): void;
  changed(change: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubernetesObject): void;
  /** A list or watch failed; the reflector goes on by itself. */
  failed(error: ApiError): void;
}

/** What a reflector is made of. */
export interface ReflectorOptions {
  /** Kind, for logs and metrics. */
  readonly kind: string;
  readonly source: ListWatch;
  readonly sink: ReflectorSink;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: ClusterMetrics | undefined;
  readonly tuning: ReflectorTuning;
}

/**
 * Keeps a sink equal to what the API server has: one list, then watches, for ever. Whatever goes wrong ends in a
 * retry, never in a rejection.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  #position: string | undefined;
  #lastHeardMs: number | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  /** When a list or a watch last said anything, by our clock in milliseconds. */
  get lastHeardMs(): number | undefined {
    return this.#lastHeardMs;
  }

  /** Resolves when `signal` aborts, and not before. */
  async run(signal: AbortSignal): Promise<void> {
    let state: ReflectorState = { kind: 'listing', failures: 0 };
    while (!signal.aborted) state = await this.#step(state, signal);
  }

  async #step(state: ReflectorState, signal: AbortSignal): Promise<ReflectorState> {
    switch (state.kind) {
      case 'listing':
        return await this.#list(state, signal);
      case 'watching':
        return await this.#watch(state, signal);
      case 'backing-off':
        // Only the signal ends a sleep early, and the loop looks at it next.
        await this.#options.clock.sleep(state.ms, signal).catch(() => undefined);
        return state.next;
    }
  }

  async #list(state: ListingState, signal: AbortSignal): Promise<ReflectorState> {
    const { clock, kind, metrics, sink, tuning } = this.#options;
    try {
      const { items, version } = await this.#pages(signal);
      if (signal.aborted) return state;
      metrics?.relisted(kind);
      this.#heard();
      sink.replaced(items, this.#position);
      this.#position = version;
      return afterList(state, version);
    } catch (error) {
      if (signal.aborted) return state;
      const failure = isApiError(error) ? error : networkError(`list of ${kind}`, error);
      this.#options.logger.warn('list failed', { kind, error: failure.message });
      sink.failed(failure);
      return afterListFailure(state, failure, clock.random(), tuning);
    }
  }

  async #pages(signal: AbortSignal): Promise<{ items: KubernetesObject[]; version: string }> {
    const { source, tuning } = this.#options;
    const items: KubernetesObject[] = [];
    let page = await source.page({ limit: tuning.pageLimit }, signal);
    items.push(...page.items);
    while (page.continueToken !== undefined && !signal.aborted) {
      page = await source.page({ limit: tuning.pageLimit, continueToken: page.continueToken }, signal);
      items.push(...page.items);
    }
    return { items, version: page.resourceVersion };
  }

  async #watch(state: WatchingState, signal: AbortSignal): Promise<ReflectorState> {
    const { clock, kind, logger, sink, tuning } = this.#options;
    const began = clock.now();
    this.#position = state.from;
    const { end, events } = await this.#follow(state.from, signal);
    if (signal.aborted) return state;
    const run = { end, version: this.#position, events, lastedMs: clock.now() - began };
    const fields = { kind, lastedMs: run.lastedMs, events };
    if (end.kind === 'failed') {
      logger.warn('watch failed', { ...fields, error: end.error.message });
      sink.failed(end.error);
    } else if (end.kind === 'closed') logger.debug('watch ended', fields);
    else logger.warn(`watch given up: ${end.kind}`, fields);
    return afterWatch(state, run, clock.random(), tuning);
  }

  /** One watch, told to the sink as it comes. Never rejects. */
  async #follow(from: string, signal: AbortSignal): Promise<{ end: WatchEnd; events: number }> {
    const link = linkAbort(signal);
    const idle = this.#idleGuard((reason) => link.abort(reason));
    let events = 0;
    try {
      const options = { from, timeoutSeconds: this.#watchSeconds() };
      for await (const line of this.#options.source.watch(options, link.signal)) {
        if (link.signal.aborted) break;
        this.#heard();
        const event = parseWatchEvent(line);
        if (event.kind === 'error') return { end: { kind: 'failed', error: event.error }, events };
        events += 1;
        this.#tell(event);
      }
      return { end: idle.fired() ? { kind: 'idle' } : { kind: 'closed' }, events };
    } catch (error) {
      return { end: idle.fired() ? { kind: 'idle' } : this.#endOf(error), events };
    } finally {
      idle.cancel();
      link.unlink();
    }
  }

  #tell(event: Exclude<WatchEvent, { kind: 'error' }>): void {
    if (event.kind === 'changed') this.#options.sink.changed(event.change, event.object);
    this.#position = event.version;
  }

  #endOf(error: unknown): WatchEnd {
    if (error instanceof CorruptLineError) return { kind: 'corrupt' };
    return { kind: 'failed', error: isApiError(error) ? error : networkError('watch', error) };
  }

  #watchSeconds(): number {
    const { min, max } = this.#options.tuning.watchSeconds;
    return Math.floor(min + this.#options.clock.random() * (max - min));
  }

  #heard(): void {
    const now = this.#options.clock.now();
    this.#lastHeardMs = now;
    this.#options.metrics?.heard(this.#options.kind, now);
  }

  /** Gives the watch up after too long a silence. One timer that looks back, not one for every event. */
  #idleGuard(giveUp: (reason: unknown) => void): { fired: () => boolean; cancel: () => void } {
    const { clock, tuning } = this.#options;
    let fired = false;
    const began = clock.now();
    const check = (): void => {
      const silentMs = clock.now() - Math.max(began, this.#lastHeardMs ?? began);
      if (silentMs < tuning.idleMs) {
        cancel = clock.after(tuning.idleMs - silentMs, check);
        return;
      }
      fired = true;
      giveUp(new Error('the watch fell silent'));
    };
    let cancel = clock.after(tuning.idleMs, check);
    return { fired: () => fired, cancel: () => cancel() };
  }
}
