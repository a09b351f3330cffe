import { isDeepStrictEqual } from 'node:util';
import { type ClusterAdapter, openCluster } from '../../../../src/kubernetes/cluster/cluster-adapter.ts';
import { systemClock } from '../../../../src/runtime/process/system-clock.ts';
import { CountingMetrics } from '../../doubles/counting-metrics.ts';
import type { FaultProxy } from '../../fault-proxy/fault-proxy.ts';
import { MemoryLogger } from '../../doubles/memory-logger.ts';
import type { Cluster } from '../cluster.ts';

/** The caches of the product in this process, where the test can read them, behind a faulty proxy. */
export interface Observer {
  /** Number of changes that a list showed and the watch before it should have reported. */
  readonly lost: number;
  /** Returns the objects in a cache that differ from those of the API server; empty if every cache is equal. */
  unequal(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

interface Named {
  readonly metadata: { readonly name: string; readonly uid?: string; readonly resourceVersion?: string };
}

/** Starts to watch the namespace. Resolves when every cache was filled once. */
export async function startObserver(cluster: Cluster, proxy: FaultProxy): Promise<Observer> {
  const metrics = new CountingMetrics();
  const opened = await openCluster(
    {
      kubeconfig: proxy.kubeconfigFile,
      namespaces: [cluster.namespace],
      operatorNamespace: cluster.namespace,
      instance: 'observer',
      userAgent: 'observer',
    },
    { clock: systemClock, logger: new MemoryLogger(), metrics },
  );
  const adapter = opened.adapter();
  await adapter.start(new AbortController().signal);
  return {
    get lost() {
      return metrics.lost;
    },
    unequal: () => unequalCaches(cluster, adapter),
    stop: () => adapter.stop(),
  };
}

async function unequalCaches(cluster: Cluster, { informers }: ClusterAdapter): Promise<readonly string[]> {
  const caches = [
    ['deployments', cluster.ours('deployments'), informers.deployments.list()],
    ['connections', cluster.ours('connections'), informers.connections.list()],
    ['secrets', cluster.core('secrets'), informers.secrets.list()],
    ['configmaps', cluster.core('configmaps'), informers.configMaps.list()],
  ] as const;
  const wrongs: string[] = [];
  for (const [what, path, cached] of caches) {
    const stored = await cluster.items<Named>(path);
    if (!isDeepStrictEqual(versions(stored), versions(cached))) {
      wrongs.push(`the cache of ${what} has ${cached.length} objects, the API server ${stored.length}`);
    }
  }
  return wrongs;
}

/** Returns name, identity and version of every object. The result is equal for equal objects. */
function versions(objects: readonly Named[]): readonly string[] {
  return objects
    .map(({ metadata: { name, resourceVersion, uid } }) => `${name} ${uid} ${resourceVersion}`)
    .toSorted();
}
