import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { RunConfig } from '../config.ts';
import { keyText } from '../api/metadata.ts';
import { type ClusterAdapter, connectCluster } from '../kubernetes/cluster-adapter.ts';
import { loadOrCreateDigestKey } from '../kubernetes/digest-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import { hmacDigester } from '../runtime/digester.ts';
import type { Phase } from '../runtime/manager.ts';
import type { Fleet } from './fleet.ts';
import { operatorPhases } from './operator.ts';
import type { MetricsRegistry } from '../telemetry/metrics-registry.ts';
import { userAgent } from './version.ts';

/** What the process gives to an operator in a cluster. */
export interface ClusterEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
}

/**
 * An operator whose desired state is a Kubernetes cluster, in the order in which its parts start. Asks the API server
 * for the digest key, and makes one where there is none.
 */
export async function clusterPhases(
  config: RunConfig,
  environment: ClusterEnvironment,
): Promise<readonly Phase[]> {
  const adapter = await connectCluster(
    {
      kubeconfig: config.kubeconfig,
      context: config.context,
      namespaces: config.namespaces,
      operatorNamespace: config.operatorNamespace,
      instance: hostname(),
      userAgent: userAgent(),
    },
    { ...environment, metrics: environment.metrics.cluster },
  );
  const digestKey = await loadOrCreateDigestKey(
    adapter.transport,
    adapter.operatorNamespace,
    randomBytes(32),
  );
  return [
    {
      name: 'watches',
      parts: [{ name: 'cluster', start: (signal) => adapter.start(signal), stop: () => adapter.stop() }],
    },
    ...operatorPhases({
      ...environment,
      adapter,
      fleet: clusterFleet(adapter),
      digester: hmacDigester(digestKey),
      operatorNamespace: adapter.operatorNamespace,
      userAgent: userAgent(),
      workers: config.workers,
      dryRun: config.dryRun,
      inCluster: config.inCluster,
      allowHosts: config.allowHosts,
    }),
  ];
}

/** Look-ups over the informers' caches and indexes. */
function clusterFleet({ informers: { deployments } }: ClusterAdapter): Fleet {
  return {
    get: ({ namespace, name }) => deployments.get(namespace, name),
    boundTo: (id) => deployments.byIndex('deploymentID', id),
    named: (name) => deployments.byIndex('name', name),
    usersOf: (connection) => deployments.byIndex('connection', keyText(connection)),
  };
}
