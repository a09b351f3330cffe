import type { Clock } from '../../ports/process/clock.ts';
import type { LogFields, Logger } from '../../ports/process/logger.ts';
import { linkAbort } from '../client/link-abort.ts';
import type { ClusterMetrics } from '../client/cluster-metrics.ts';
import { type ApiError, isApiError, networkError } from '../client/api-error.ts';
import { CorruptLineError } from '../objects/json-lines.ts';
import { type Listed, Lister } from './lister.ts';
import { type ListWatch, parseWatchEvent, type WatchEvent } from './list-watch.ts';
import type { ListedAt } from './count-missed.ts';
import {
  afterList,
  afterListFailure,
  afterWatch,
  AT_FIRST,
  type ListingState,
  type ReflectorState,
  type ReflectorTuning,
  type WatchEnd,
  type WatchingState,
} from './reflector-state.ts';
import type { KubernetesObject } from '../objects/resource-type.ts';
import { SilenceGuard } from '../client/silence-guard.ts';
import type { Semaphore } from '../client/semaphore.ts';

/** Receives the objects and changes of a reflector. No method may throw. */
export interface ReflectorSink<Item> {
  /**
   * Reduces an object of a list to the part that is kept. Called as the list arrives, which spreads the work of a
   * long one.
   */
  prepared(object: KubernetesObject): Item;
  /** Receives all objects that exist now, prepared: they replace the earlier ones. */
  replaced(items: readonly Item[], listed: ListedAt): void;
  changed(change: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubernetesObject): void;
  /** Reports that a list or watch failed; the reflector continues by itself. */
  failed(error: ApiError): void;
}

/** The parts of a reflector. */
export interface ReflectorOptions<Item> {
  /** The kind, for logs and metrics. */
  readonly kind: string;
  /** The namespace that it watches; empty for all namespaces. */
  readonly namespace: string;
  readonly source: ListWatch;
  readonly sink: ReflectorSink<Item>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: ClusterMetrics | undefined;
  readonly tuning: ReflectorTuning;
  /** The semaphore for lists, shared with other reflectors; absent: this reflector never waits. */
  readonly lists?: Semaphore | undefined;
  /** True for a failure that belongs to the set-up and is not reported. */
  readonly isExpected?: (error: ApiError) => boolean;
}

/** The time after which a lasting failure is reported again. */
const TOLD_AGAIN_MS = 600_000;

/**
 * Keeps a sink equal to the objects of the API server: it makes one list, and then watches for ever. It retries after
 * every failure and never rejects.
 */
export class Reflector<Item> {
  readonly #options: ReflectorOptions<Item>;
  readonly #lister: Lister<Item>;
  #position: string | undefined;
  #lastHeardMs: number | undefined;
  #told: { readonly message: string; readonly atMs: number } | undefined;
  #steppedMs: number | undefined;

  constructor(options: ReflectorOptions<Item>) {
    this.#options = options;
    const { clock, sink, source, tuning } = options;
    this.#lister = new Lister({
      ...{ source, clock },
      prepared: (object) => sink.prepared(object),
      pageLimit: tuning.pageLimit,
      idleMs: tuning.listIdleMs,
    });
  }

  /** The last time at which a list or a watch received anything, by our clock in milliseconds. */
  get lastHeardMs(): number | undefined {
    return this.#lastHeardMs;
  }

  /** The last time at which it received or did something, or the end of its pause; undefined before it runs. */
  get lastAliveMs(): number | undefined {
    return this.#steppedMs === undefined ? undefined : Math.max(this.#steppedMs, this.#lastHeardMs ?? 0);
  }

  /** Runs until `signal` aborts, and resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    let state: ReflectorState = AT_FIRST;
    while (!signal.aborted) state = await this.#step(state, signal);
  }

  async #step(state: ReflectorState, signal: AbortSignal): Promise<ReflectorState> {
    this.#steppedMs = this.#options.clock.now() + (state.kind === 'backing-off' ? state.ms : 0);
    switch (state.kind) {
      case 'listing':
        return await this.#list(state, signal);
      case 'watching':
        return await this.#watch(state, signal);
      case 'backing-off':
        // Only the signal ends a sleep early, and the loop checks it next.
        await this.#options.clock.sleep(state.ms, signal).catch(() => undefined);
        return state.next;
    }
  }

  async #list(state: ListingState, signal: AbortSignal): Promise<ReflectorState> {
    const { clock, kind, lists, metrics, sink, tuning } = this.#options;
    try {
      const read = async (): Promise<Listed<Item>> => await this.#lister.read(signal);
      const { items, version } = await (lists === undefined ? read() : lists.take(signal, read));
      if (signal.aborted) return state;
      metrics?.relisted(kind);
      this.#heard();
      this.#told = undefined;
      sink.replaced(items, { version, position: this.#position });
      this.#position = version;
      return afterList(state, version);
    } catch (error) {
      if (signal.aborted) return state;
      const failure = isApiError(error) ? error : networkError(`list of ${kind}`, error);
      this.#failed('list failed', failure, { kind });
      return afterListFailure(state, failure, { random: clock.random(), tuning });
    }
  }

  async #watch(state: WatchingState, signal: AbortSignal): Promise<ReflectorState> {
    const { clock, kind, logger, tuning } = this.#options;
    const began = clock.now();
    this.#position = state.from;
    const { end, events } = await this.#follow(state.from, signal);
    if (signal.aborted) return state;
    const run = { end, version: this.#position, events, lastedMs: clock.now() - began };
    const fields = { kind, lastedMs: run.lastedMs, events };
    if (run.lastedMs >= tuning.stableMs) this.#told = undefined;
    if (end.kind === 'failed') this.#failed('watch failed', end.error, fields);
    else if (end.kind === 'corrupt') logger.warn('watch given up: corrupt', fields);
    // A server that sends no bookmarks for a quiet kind looks like one that is gone.
    else logger.debug(`watch ended: ${end.kind}`, fields);
    return afterWatch(state, run, { random: clock.random(), tuning });
  }

  /** Logs a failure once, and again while it lasts, but not for every try. */
  #failed(what: string, error: ApiError, fields: LogFields): void {
    const { clock, isExpected, logger, sink } = this.#options;
    const message = `${what}: ${error.message}`;
    const now = clock.now();
    const told = this.#told;
    const isNews = told?.message !== message || now - told.atMs >= TOLD_AGAIN_MS;
    const isWarning = isNews && isExpected?.(error) !== true;
    if (isWarning) this.#told = { message, atMs: now };
    logger[isWarning ? 'warn' : 'debug'](what, { ...fields, error: error.message });
    sink.failed(error);
  }

  /** Runs one watch and passes its changes to the sink as they arrive. Never rejects. */
  async #follow(from: string, signal: AbortSignal): Promise<{ end: WatchEnd; events: number }> {
    const link = linkAbort(signal);
    const { clock, source, tuning } = this.#options;
    const silence = new SilenceGuard(clock, tuning.idleMs, () =>
      link.abort(new Error('the watch fell silent')),
    );
    let events = 0;
    try {
      const options = { from, timeoutSeconds: this.#watchSeconds() };
      for await (const line of source.watch(options, link.signal)) {
        if (link.signal.aborted) break;
        this.#heard();
        silence.heard();
        const event = parseWatchEvent(line);
        if (event.kind === 'error') return { end: { kind: 'failed', error: event.error }, events };
        events += 1;
        this.#tell(event);
      }
      return { end: silence.fired ? { kind: 'idle' } : { kind: 'closed' }, events };
    } catch (error) {
      return { end: silence.fired ? { kind: 'idle' } : this.#endOf(error), events };
    } finally {
      silence.cancel();
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
    this.#options.metrics?.heard(this.#options.kind, this.#options.namespace, now);
  }
}
