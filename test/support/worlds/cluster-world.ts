import { afterEach, expect } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { API_VERSION, type Key } from '../../../src/api/metadata.ts';
import {
  type ClusterAdapter,
  type ClusterOptions,
  openCluster,
} from '../../../src/kubernetes/cluster/cluster-adapter.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import type { ApiResponse, ControlPlane } from '../control-plane/control-plane.ts';
import { CountingMetrics } from '../doubles/counting-metrics.ts';
import { MemoryLogger } from '../doubles/memory-logger.ts';

/** The part of a real cluster that one test uses: a namespace, and the adapter that watches it. */
export interface ClusterWorld {
  readonly plane: ControlPlane;
  readonly namespace: string;
  readonly adapter: ClusterAdapter;
  readonly logger: MemoryLogger;
  readonly counted: CountingMetrics;
  /** Returns the key of a deployment resource in the namespace. */
  key(name: string): Key;
  /** Makes a request of a user, as the administrator; throws if the API server refuses it. */
  api(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Returns the path of a deployment resource in the namespace, or of all. */
  deployments(name?: string): string;
  /** Returns the path of an object of the core group in the namespace, or of all objects of a plural. */
  core(plural: string, name?: string): string;
  /** Resolves when the adapter has seen every change of the deployment resources in the namespace so far. */
  caughtUp(): Promise<void>;
  /** Creates a deployment resource. */
  create(name: string, change?: { spec?: object; metadata?: object }): Promise<void>;
}

/** Gives tests their own namespaces, and closes after each test what the test opened. */
export function useClusterWorlds(
  plane: () => ControlPlane,
): (options?: Partial<ClusterOptions> & { readonly namespace?: string }) => Promise<ClusterWorld> {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  return async ({ namespace: given, ...options } = {}) => {
    await plane().installCRDs();
    const namespace = given ?? (await plane().createNamespace());
    const logger = new MemoryLogger();
    const counted = new CountingMetrics();
    const cluster = await openCluster(
      {
        kubeconfig: plane().kubeconfigFile,
        namespaces: [namespace],
        operatorNamespace: namespace,
        instance: 'test',
        userAgent: 'dms-operator/test',
        ...options,
      },
      { clock: systemClock, logger, metrics: counted },
    );
    const adapter = cluster.adapter();
    ends.push(() => adapter.stop());
    return worldOf(plane(), namespace, adapter, logger, counted);
  };
}

function worldOf(
  plane: ControlPlane,
  namespace: string,
  adapter: ClusterAdapter,
  logger: MemoryLogger,
  counted: CountingMetrics,
): ClusterWorld {
  const at = (path: string, name?: string): string => (name === undefined ? path : `${path}/${name}`);
  const world: ClusterWorld = {
    plane,
    namespace,
    adapter,
    logger,
    counted,
    key: (name) => ({ kind: 'Deployment', namespace, name }),
    async api(method, path, body) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      return succeeded(await plane.request(method, path, body, type));
    },
    deployments: (name) => at(`/apis/${API_VERSION}/namespaces/${namespace}/deployments`, name),
    core: (plural, name) => at(`/api/v1/namespaces/${namespace}/${plural}`, name),
    async caughtUp() {
      const { items } = (await world.api('GET', world.deployments())) as { items: DeploymentResource[] };
      const versions = (all: readonly DeploymentResource[]): string[] =>
        all.map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`).toSorted();
      await expect
        .poll(() => versions(adapter.informers.deployments.list()), { timeout: 5000 })
        .toEqual(versions(items));
    },
    async create(name, change = {}) {
      await world.api('POST', world.deployments(), {
        apiVersion: API_VERSION,
        kind: 'Deployment',
        metadata: { name, namespace, ...change.metadata },
        spec: { source: 'external_container', ...change.spec },
      });
    },
  };
  return world;
}

function succeeded(response: ApiResponse): Record<string, unknown> {
  if (response.status >= 400) throw new Error(`the API server answered ${response.status}: ${response.text}`);
  return response.json ?? {};
}
