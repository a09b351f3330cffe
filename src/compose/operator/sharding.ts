import { CLUSTER_CONNECTION_KIND, type ConnectionResource, isHeld } from '../../api/connection.ts';
import type { OpenCluster } from '../../kubernetes/cluster/cluster-adapter.ts';
import type { RunConfig } from '../../config.ts';
import { type ConnectionName, DEFAULTS } from '../../model/connection/connection.ts';
import { selects } from '../../model/connection/namespace-selector.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionAccess } from '../../ports/service/connections.ts';
import type { ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { ShardLeases } from '../../ports/stores/lease-store.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { ResourceMetrics } from '../../ports/process/metrics.ts';
import type { Reconciler } from '../../ports/process/reconciler.ts';
import { ServedConnections } from '../../reconcile/shard/served-connections.ts';
import {
  type Shard,
  ShardConnectionReconciler,
  ShardDeploymentReconciler,
} from '../../reconcile/shard/shard-connection-reconciler.ts';
import { LeaseWatch } from '../../runtime/election/lease-watch.ts';
import { systemInstant } from '../../runtime/process/system-clock.ts';
import type { ConnectionPool } from '../../service/connection/connection-pool.ts';

/** The two reconcilers of an operator, and the parts for a shard. */
export interface Sharded {
  readonly connections: Reconciler;
  readonly deployments: Reconciler;
  readonly pool: ConnectionPool;
  readonly parts: {
    readonly adapter: { readonly connectionStore: ConnectionStore; readonly deploymentStore: DesiredStore };
    readonly logger: Logger;
    readonly metrics: ResourceMetrics;
  };
  readonly onServed: (name: ConnectionName) => void;
}

/** Returns the same reconcilers, limited to a shard if there is one. */
export function ofShard(
  shard: Shard | undefined,
  { connections, deployments, pool, parts, onServed }: Sharded,
): { readonly connections: Reconciler; readonly deployments: Reconciler } {
  if (shard === undefined) return { connections, deployments };
  const { adapter, logger, metrics } = parts;
  const served = new ServedConnections();
  const common = { served, metrics };
  return {
    connections: new ShardConnectionReconciler(connections, {
      ...common,
      ...{ shard, logger, onServed },
      store: adapter.connectionStore,
      connections: pool,
    }),
    deployments: new ShardDeploymentReconciler(deployments, {
      ...common,
      store: adapter.deploymentStore,
      connectionOf: (resource) => pool.nameFor(resource),
    }),
  };
}

/** The flags of a process in a cluster that limit the connections which it serves. */
export interface ShardLimits extends Pick<RunConfig, 'shardSelector' | 'namespaces' | 'dryRun'> {
  readonly access: ConnectionAccess;
}

/** Returns the shard of a process in a cluster: its limits, and with leader election the claims of its Lease. */
export function shardOf(
  limits: ShardLimits,
  ours: string | undefined,
  leases: ShardLeases,
): Shard | undefined {
  const { shardSelector, namespaces } = limits;
  if (shardSelector === undefined && namespaces.length === 0 && ours === undefined) return undefined;
  return {
    selects: (connection) =>
      isLabelled(connection, shardSelector) &&
      (servesUs(connection, limits) || isHeldBy(connection, ours, limits)),
    claims: ours === undefined ? undefined : { ours, leases },
  };
}

function isLabelled({ metadata }: ConnectionResource, shardSelector: RunConfig['shardSelector']): boolean {
  const labels = metadata.labels ?? {};
  return shardSelector === undefined || selects(shardSelector.selector, { labels, complete: true });
}

/**
 * False for a ClusterConnection that selects none of the namespaces of this process. Another controller may need it,
 * and a claim would keep it from that one.
 */
function servesUs({ kind, metadata }: ConnectionResource, { namespaces, access }: ShardLimits): boolean {
  if (kind !== CLUSTER_CONNECTION_KIND || namespaces.length === 0) return true;
  return namespaces.some((namespace) => access.selects(metadata.name, namespace));
}

/**
 * True while a connection that we claimed carries the finalizer, which the next pass may have to remove. A dry run
 * removes none.
 */
function isHeldBy(
  connection: ConnectionResource,
  ours: string | undefined,
  { dryRun }: ShardLimits,
): boolean {
  return !dryRun && ours !== undefined && connection.status?.servedBy === ours && isHeld(connection);
}

/** Watches the Leases of other shards. */
export function leaseWatch(cluster: Pick<OpenCluster, 'leaseStore'>, clock: Clock): LeaseWatch {
  return new LeaseWatch({
    storeOf: (lease) => {
      const [namespace = '', name = ''] = lease.split('/');
      return cluster.leaseStore({ namespace, name });
    },
    clock,
    instant: systemInstant,
    leaseMs: DEFAULTS.leaseMs,
    timeoutMs: DEFAULTS.renewDeadlineMs,
  });
}
