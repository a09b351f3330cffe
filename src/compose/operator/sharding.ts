import type { OpenCluster } from '../../kubernetes/cluster/cluster-adapter.ts';
import type { RunConfig } from '../../config.ts';
import { type ConnectionName, DEFAULTS } from '../../model/connection/connection.ts';
import { selects } from '../../model/connection/namespace-selector.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
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

/** Returns the shard of a process in a cluster: its selector, and with leader election the claims of its Lease. */
export function shardOf(
  { shardSelector }: Pick<RunConfig, 'shardSelector'>,
  ours: string | undefined,
  leases: LeaseWatch,
): Shard | undefined {
  if (shardSelector === undefined && ours === undefined) return undefined;
  return {
    selects: (labels) =>
      shardSelector === undefined || selects(shardSelector.selector, { labels, complete: true }),
    claims: ours === undefined ? undefined : { ours, leases },
  };
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
