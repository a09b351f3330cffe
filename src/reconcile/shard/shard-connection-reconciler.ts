import { type ConnectionResource, isHeld } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { Key } from '../../api/metadata.ts';
import {
  type ConnectionName,
  connectionNameOf,
  connectionText,
  DEFAULTS,
} from '../../model/connection/connection.ts';
import type { Requeue } from '../../model/outcome/outcome.ts';
import { servingStep } from '../../model/election/serving-step.ts';
import type { ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { Connections } from '../../ports/service/connections.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { ResourceMetrics } from '../../ports/process/metrics.ts';
import type { Reconciler } from '../../ports/process/reconciler.ts';
import type { ShardLeases } from '../../ports/stores/lease-store.ts';
import type { ServedConnections } from './served-connections.ts';

/** The claims of this process on connections. */
export interface Shard {
  /** True for a connection that this process may serve. */
  readonly selects: (connection: ConnectionResource) => boolean;
  /** The claims through our Lease and those of other processes; without leader election no process claims anything. */
  readonly claims?: Claims | undefined;
}

interface Claims {
  /** The name of our Lease, as `namespace/name`. */
  readonly ours: string;
  readonly leases: ShardLeases;
}

/** True for a connection that a process serves, by its shard and by the claim in the status of the connection. */
export function isServedBy(shard: Shard | undefined, connection: ConnectionResource): boolean {
  if (shard === undefined) return true;
  const { selects, claims } = shard;
  return selects(connection) && (claims === undefined || connection.status?.servedBy === claims.ours);
}

/** The parts that serve connections. */
export interface ShardConnectionParts {
  readonly shard: Shard;
  readonly served: ServedConnections;
  readonly store: ConnectionStore;
  readonly connections: Pick<Connections, 'close' | 'remove' | 'expect'>;
  readonly logger: Logger;
  readonly metrics: Pick<ResourceMetrics, 'resourceGone'>;
  /** Called when this process begins to serve a connection: a pass is due for each of its deployments. */
  readonly onServed: (name: ConnectionName) => void;
}

const ON_CHANGE: Requeue = { kind: 'on-change' };

/**
 * Runs before the reconciler of a connection, and decides whether this shard serves the connection. Exactly one shard
 * serves it at a time.
 */
export class ShardConnectionReconciler implements Reconciler {
  readonly #parts: ShardConnectionParts;
  readonly #inner: Reconciler;
  /**
   * Connections that carry our name, with the Lease that they were taken from. They do not count as ours before another
   * look at that Lease.
   */
  readonly #doubts = new Map<string, string>();
  /** The Leases of the controllers that serve connections which we select, as last reported. */
  readonly #holders = new Map<string, string>();

  constructor(inner: Reconciler, parts: ShardConnectionParts) {
    this.#inner = inner;
    this.#parts = parts;
  }

  async reconcile(key: Key, signal: AbortSignal): Promise<Requeue> {
    const { shard, store } = this.#parts;
    const name = connectionNameOf(key);
    const resource = await store.get(key);
    // Releases a connection that is gone. If its namespace is being deleted too, only the shard that served it
    // continues with the last good credentials.
    if (resource === undefined) return this.#inner.reconcile(key, signal);
    const selected = shard.selects(resource);
    const decided =
      shard.claims === undefined
        ? await this.#unclaimed(selected || (this.#parts.served.has(name) && isHeld(resource)), name)
        : await this.#claimed(resource, selected, name, shard.claims);
    return decided === 'ours' ? this.#inner.reconcile(key, signal) : decided;
  }

  async #unclaimed(selected: boolean, name: ConnectionName): Promise<'ours' | Requeue> {
    if (selected) return this.#serve(name);
    await this.#stop(name);
    return ON_CHANGE;
  }

  async #claimed(
    resource: ConnectionResource,
    selected: boolean,
    name: ConnectionName,
    claims: Claims,
  ): Promise<'ours' | Requeue> {
    switch (servingStep(selected, resource.status?.servedBy, claims.ours)) {
      case 'serve':
        return this.#goOn(resource, name, claims);
      case 'take':
        return this.#take(resource, name, claims);
      case 'wait for its holder':
        await this.#stop(name);
        return this.#takeFrom(resource, name, claims);
      case 'give up':
        await this.#stop(name);
        return (await this.#save(resource, undefined)) === 'stale' ? { kind: 'backoff' } : ON_CHANGE;
      case 'leave alone':
        await this.#stop(name);
        return ON_CHANGE;
    }
  }

  /**
   * Another shard may now serve a connection that our Lease served before, so the first pass of a process only reads
   * and writes nothing.
   */
  async #goOn(resource: ConnectionResource, name: ConnectionName, claims: Claims): Promise<'ours' | Requeue> {
    if (this.#doubts.has(connectionText(name))) return this.#confirm(resource, name, claims);
    if (!this.#parts.served.has(name) && !(await this.#parts.store.isCurrent(resource)))
      return { kind: 'backoff' };
    return this.#serve(name);
  }

  async #takeFrom(
    resource: ConnectionResource,
    name: ConnectionName,
    claims: Claims,
  ): Promise<'ours' | Requeue> {
    const holder = resource.status?.servedBy ?? '';
    const leftMs = await claims.leases.leftMs(holder);
    if (leftMs > 0) this.#noteHolder(name, holder);
    if (leftMs > 0) return { kind: 'after', ms: Math.max(leftMs, DEFAULTS.leaseRetryMs), priority: 'resync' };
    return this.#take(resource, name, claims);
  }

  /**
   * Looks at the Lease again after the claim is stored: a holder that returned before the claim would have seen neither
   * us nor a reason to ask.
   */
  async #take(resource: ConnectionResource, name: ConnectionName, claims: Claims): Promise<'ours' | Requeue> {
    const before = resource.status?.servedBy;
    if (before !== undefined) this.#doubts.set(connectionText(name), before);
    const claimed = await this.#save(resource, claims.ours);
    return claimed === 'stale' ? { kind: 'backoff' } : this.#confirm(claimed, name, claims);
  }

  async #confirm(
    resource: ConnectionResource,
    name: ConnectionName,
    { leases }: Claims,
  ): Promise<'ours' | Requeue> {
    const before = this.#doubts.get(connectionText(name));
    if (before !== undefined && (await leases.leftMs(before)) > 0) {
      await this.#save(resource, before);
      return { kind: 'backoff' };
    }
    this.#doubts.delete(connectionText(name));
    return this.#serve(name);
  }

  /** Reports a new holder: resources in our namespaces wait, silently, if it does not watch those. */
  #noteHolder(name: ConnectionName, holder: string): void {
    const connection = connectionText(name);
    if (this.#holders.get(connection) === holder) return;
    this.#holders.set(connection, holder);
    this.#parts.logger.info('another controller serves a connection', { connection, lease: holder });
  }

  #serve(name: ConnectionName): 'ours' {
    const { served, onServed, logger } = this.#parts;
    this.#holders.delete(connectionText(name));
    const began = !served.has(name);
    served.begin(name);
    if (began) {
      logger.info('serving a connection', { connection: connectionText(name) });
      onServed(name);
    }
    return 'ours';
  }

  /**
   * Resolves when this process makes no more calls through the connection and has written the results of all its calls.
   */
  async #stop(name: ConnectionName): Promise<void> {
    const { served, connections, logger, metrics } = this.#parts;
    if (!served.has(name)) return;
    served.end(name);
    await connections.close(name);
    await served.drained(name);
    // Keeps the connection registered as a new one: if it returns, its deployments wait for its first check.
    connections.remove(name);
    connections.expect(name);
    metrics.resourceGone(name);
    logger.info('a connection is not served any more', { connection: connectionText(name) });
  }

  #save(resource: ConnectionResource, servedBy: string | undefined): Promise<ConnectionResource | 'stale'> {
    const { servedBy: _, ...status } = resource.status ?? {};
    return this.#parts.store.saveStatus(resource, servedBy === undefined ? status : { ...status, servedBy });
  }
}

/** The parts that filter the deployments of a shard. */
export interface ShardDeploymentParts {
  readonly served: ServedConnections;
  readonly store: Pick<DesiredStore, 'get'>;
  readonly metrics: Pick<ResourceMetrics, 'resourceGone'>;
  /** Returns the connection that a resource uses, if there is one. */
  readonly connectionOf: (resource: DeploymentResource) => ConnectionName | undefined;
}

/**
 * Skips, without a message, the resources of a connection that another shard serves. Every shard handles a resource
 * without a connection, and all of them write the same status.
 */
export class ShardDeploymentReconciler implements Reconciler {
  readonly #parts: ShardDeploymentParts;
  readonly #inner: Reconciler;

  constructor(inner: Reconciler, parts: ShardDeploymentParts) {
    this.#inner = inner;
    this.#parts = parts;
  }

  async reconcile(key: Key, signal: AbortSignal, overtaken?: AbortSignal): Promise<Requeue> {
    const { served, store, metrics, connectionOf } = this.#parts;
    const resource = await store.get(key);
    const name = resource && connectionOf(resource);
    if (name === undefined) return this.#inner.reconcile(key, signal, overtaken);
    if (!served.has(name)) {
      metrics.resourceGone(key);
      return ON_CHANGE;
    }
    return served.during(name, () => this.#inner.reconcile(key, signal, overtaken));
  }
}
