import { hostname } from 'node:os';
import type { RunConfig } from '../../config.ts';
import { keyText } from '../../api/metadata.ts';
import { type ClusterAdapter, openCluster } from '../../kubernetes/cluster/cluster-adapter.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Fence } from '../../ports/process/fence.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { Part, Phase } from '../../runtime/process/manager.ts';
import type { MetricsRegistry } from '../../telemetry/metrics-registry.ts';
import { ClusterDigester } from './cluster-digester.ts';
import { electionPart, newElector, newIdentity } from './election-part.ts';
import type { Fleet } from '../operator/fleet.ts';
import { operatorPhases } from '../operator/operator-phases.ts';
import { leaseWatch, shardOf } from '../operator/sharding.ts';
import { userAgent } from '../operator/version.ts';

/** The parts that the process gives to an operator in a cluster. */
export interface ClusterEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/** An operator in a cluster. */
export interface ClusterOperator {
  /** The phases in the order in which they start. */
  readonly phases: readonly Phase[];
  /** The fence of the leader election; it closes with a LeadershipLostError when this replica may not continue. */
  readonly fence: Fence | undefined;
}

/**
 * Makes an operator whose desired state is a Kubernetes cluster. The operator fills its caches before it enters the
 * election, so that a standby replica can take over at once.
 */
export async function clusterOperator(
  config: RunConfig,
  environment: ClusterEnvironment,
): Promise<ClusterOperator> {
  const identity = newIdentity(hostname());
  const { access, namespaces, operatorNamespace } = config;
  const cluster = await openCluster(
    { ...access, namespaces, operatorNamespace, instance: hostname(), userAgent: userAgent() },
    { ...environment, metrics: environment.metrics.cluster },
  );
  const elector = config.leaderElect ? newElector(config, cluster, { ...environment, identity }) : undefined;
  const adapter = cluster.adapter(elector);
  const digester = new ClusterDigester(adapter, environment);
  const phases = [
    phase('cluster', watching(adapter)),
    ...(elector === undefined ? [] : [phase('leader election', electionPart(elector))]),
    // The operator sends pending events before it releases the Lease.
    phase('events', { start: async () => undefined, stop: () => adapter.flushEvents() }),
    phase('digest key', { start: (signal) => digester.load(signal) }),
    ...operatorPhases({
      ...environment,
      adapter,
      fleet: clusterFleet(adapter),
      digester,
      operatorNamespace: adapter.operatorNamespace,
      userAgent: userAgent(identity),
      workers: config.workers,
      dryRun: config.dryRun,
      inCluster: config.inCluster,
      egress: config.egress,
      fence: elector,
      shard: shardOf(
        { ...config, access: adapter.connectionAccess },
        elector?.lease,
        leaseWatch(cluster, environment.clock),
      ),
    }),
  ];
  return { phases, fence: elector };
}

function watching(adapter: ClusterAdapter): Omit<Part, 'name'> {
  return {
    start: (signal) => adapter.start(signal),
    stop: () => adapter.stop(),
    unhealthy: () => adapter.unhealthy(),
  };
}

function phase(name: string, part: Omit<Part, 'name'>): Phase {
  return { name, parts: [{ name, ...part }] };
}

/** Returns look-ups over the informers' caches and indexes. */
function clusterFleet({ informers: { deployments } }: ClusterAdapter): Fleet {
  return {
    get: ({ namespace, name }) => deployments.get(namespace, name),
    boundTo: (id) => deployments.byIndex('deploymentID', id),
    named: (name) => deployments.byIndex('name', name),
    usersOf: (connection) => deployments.byIndex('connection', keyText(connection)),
  };
}
