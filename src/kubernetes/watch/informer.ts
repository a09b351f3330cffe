import { type Key, keyText } from '../../api/metadata.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { ClusterMetrics } from '../client/cluster-metrics.ts';
import type { ApiError } from '../client/api-error.ts';
import { listWatch, type ListWatch } from './list-watch.ts';
import { withoutBookkeeping } from '../objects/decoders.ts';
import type { NamespaceBytes } from '../objects/namespace-bytes.ts';
import { countMissed, type ListedAt } from './count-missed.ts';
import { type CacheChange, type Indexers, ObjectCache, type Prepared } from './object-cache.ts';
import { Reflector } from './reflector.ts';
import { EXPECTED_REFUSAL_CAP_MS, REFLECTOR_TUNING, type ReflectorTuning } from './reflector-state.ts';
import { keyIn, type KubernetesObject, type ResourceType } from '../objects/resource-type.ts';
import type { Transport } from '../client/exchange.ts';
import type { Semaphore } from '../client/semaphore.ts';

/** The parts of an informer. */
export interface InformerOptions<T extends KubernetesObject, Index extends string> {
  readonly type: ResourceType;
  /** Each has a reflector; [''] means everything. */
  readonly namespaces: readonly string[];
  /** Asks for metadata only; values never leave the API server. */
  readonly metadataOnly?: boolean;
  /** If the right to list is missing, the informer is empty; it still asks again. */
  readonly emptyWhenForbidden?: boolean;
  /**
   * The namespaces ('' for all) in which the right may be missing permanently. The informer asks there ever less
   * often, without a warning.
   */
  readonly refusedIn?: readonly string[];
  /** Makes the kept object from an object of the API server, without its bookkeeping. Must not throw. */
  readonly decode: (object: KubernetesObject) => T;
  readonly indexers: Indexers<T, Index>;
  readonly tuning?: Partial<ReflectorTuning>;
}

/** The parts that all informers of a cluster share. */
export interface InformerEnvironment {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: ClusterMetrics | undefined;
  /** Limits how many informers list at once; absent: no limit. */
  readonly lists?: Semaphore | undefined;
  /** Limits the memory that the objects of each namespace occupy, over all kinds; absent: no limit. */
  readonly kept?: NamespaceBytes | undefined;
}

/** Receives changes. */
export interface Subscription<T> {
  /**
   * Returns false for changes that are not reported; called with the kept objects, not with copies. Default: all
   * changes are reported.
   */
  readonly concerns?: (change: CacheChange<T>) => boolean;
  readonly onChange: (key: Key) => void;
}

/**
 * Keeps the objects of one type as the API server last sent them, and reports what changed. A report is a key without
 * an object, since a subscriber reads the current state. So a deletion that only a list shows needs no mark that the
 * final state is unknown, and changes that merge into one lose nothing.
 */
export class Informer<T extends KubernetesObject, Index extends string = never> {
  readonly type: ResourceType;
  readonly #options: InformerOptions<T, Index>;
  readonly #environment: InformerEnvironment;
  readonly #cache: ObjectCache<T, Index>;
  readonly #subscriptions = new Set<Subscription<T>>();
  readonly #reflectors: readonly Reflector<Prepared<T>>[];
  readonly #unsynced: Set<string>;
  readonly #synced = Promise.withResolvers<void>();
  #running: Promise<unknown> | undefined;

  constructor(options: InformerOptions<T, Index>, environment: InformerEnvironment) {
    this.type = options.type;
    this.#options = options;
    this.#environment = environment;
    this.#cache = new ObjectCache(guarded(options.indexers, environment.logger), environment.kept);
    const namespaces = [...new Set(options.namespaces)];
    this.#unsynced = new Set(namespaces);
    this.#reflectors = namespaces.map((namespace) => this.#reflector(namespace));
  }

  /** Returns the object, or undefined if there is none. */
  get(namespace: string, name: string): T | undefined {
    return this.#cache.get(namespace, name);
  }

  list(): readonly T[] {
    return this.#cache.list();
  }

  /** Returns the objects that an index finds under `value`. */
  byIndex(index: Index, value: string): readonly T[] {
    return this.#cache.byIndex(index, value);
  }

  /** True once every namespace was listed. */
  get hasSynced(): boolean {
    return this.#unsynced.size === 0;
  }

  /** The last time at which the quietest watch received something; undefined before the first list. */
  get lastHeardMs(): number | undefined {
    const times = this.#reflectors.map((reflector) => reflector.lastHeardMs);
    return times.includes(undefined) ? undefined : Math.min(...times.filter((time) => time !== undefined));
  }

  /**
   * The last time at which the least active reflector received or did something; undefined before the reflectors run.
   */
  get lastAliveMs(): number | undefined {
    const times = this.#reflectors.flatMap(({ lastAliveMs }) => lastAliveMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /**
   * Reports changes from now on, until the returned function is called. A subscriber that throws does not affect the
   * others.
   */
  subscribe(subscription: Subscription<T>): () => void {
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  /**
   * Begins to list and watch until `signal` aborts, and resolves when everything was listed once. A second call
   * begins nothing and waits for the same. Rejects only with the signal's reason.
   */
  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#running ??= Promise.all(this.#reflectors.map((reflector) => reflector.run(signal)));
    await this.whenSynced(signal);
  }

  /** Resolves when everything was listed once; rejects with the signal's reason. */
  async whenSynced(signal: AbortSignal): Promise<void> {
    await untilAborted(this.#synced.promise, signal);
  }

  /** Resolves when the last watch has ended, after the signal of `start` was aborted. */
  async ended(): Promise<void> {
    await this.#running;
  }

  #reflector(namespace: string): Reflector<Prepared<T>> {
    const { metadataOnly, refusedIn, tuning, type } = this.#options;
    const mayBeRefused = refusedIn?.includes(namespace) === true;
    const { clock, lists, logger, metrics, transport } = this.#environment;
    const source: ListWatch = listWatch(transport, { type, namespace, metadataOnly });
    return new Reflector({
      kind: type.kind,
      namespace,
      source,
      sink: {
        prepared: (object) => this.#prepared(object),
        replaced: (items, listed) => this.#replaced(namespace, items, listed),
        changed: (change, object) => this.#changed(change, object),
        failed: (error) => this.#failed(namespace, error),
      },
      isExpected: (error) => error.kind === 'forbidden' && mayBeRefused,
      lists,
      clock,
      logger,
      metrics,
      tuning: {
        ...REFLECTOR_TUNING,
        ...(mayBeRefused ? { refusedCapMs: EXPECTED_REFUSAL_CAP_MS } : {}),
        ...tuning,
      },
    });
  }

  #prepared(object: KubernetesObject): Prepared<T> {
    return this.#cache.prepare(object, (open) => this.#options.decode(withoutBookkeeping(open)));
  }

  #replaced(namespace: string, items: readonly Prepared<T>[], listed: ListedAt): void {
    const changes = this.#cache.replace(namespace, items);
    this.#tellMissed(countMissed(changes, listed));
    this.#tell(changes);
    this.#markSynced(namespace);
  }

  #changed(change: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubernetesObject): void {
    this.#tell(change === 'DELETED' ? this.#cache.remove(object) : this.#cache.put(this.#prepared(object)));
  }

  #failed(namespace: string, error: ApiError): void {
    if (error.kind === 'forbidden' && this.#options.emptyWhenForbidden === true) this.#markSynced(namespace);
  }

  #tellMissed(count: number): void {
    if (count === 0) return;
    this.#environment.metrics?.missed(this.type.kind, count);
    this.#environment.logger.error('watch events were lost', { kind: this.type.kind, count });
  }

  #markSynced(namespace: string): void {
    this.#unsynced.delete(namespace);
    if (this.hasSynced) this.#synced.resolve();
  }

  #tell(changes: readonly CacheChange<T>[]): void {
    for (const change of changes) {
      const object = change.after ?? change.before;
      if (object === undefined) continue;
      const key = keyIn(this.type, object);
      for (const subscription of this.#subscriptions) this.#tellOne(subscription, change, key);
    }
  }

  #tellOne(subscription: Subscription<T>, change: CacheChange<T>, key: Key): void {
    try {
      if (subscription.concerns?.(change) === false) return;
      subscription.onChange(key);
    } catch (error) {
      this.#environment.logger.error('a subscriber to changes failed', { key: keyText(key), error });
    }
  }
}

/**
 * Returns indexers that find an object nowhere if they fail on it: one strange object must not end the watch of all.
 */
function guarded<T extends KubernetesObject, Index extends string>(
  indexers: Indexers<T, Index>,
  logger: Logger,
): Indexers<T, Index> {
  const guard =
    (index: string, values: (object: T) => readonly string[]) =>
    (object: T): readonly string[] => {
      try {
        return values(object);
      } catch (error) {
        const { namespace = '', name } = object.metadata;
        logger.error('an object cannot be indexed', { index, namespace, name, error });
        return [];
      }
    };
  const entries = Object.entries<(object: T) => readonly string[]>(indexers);
  return Object.fromEntries(entries.map(([name, values]) => [name, guard(name, values)])) as Indexers<
    T,
    Index
  >;
}
