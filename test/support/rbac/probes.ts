import { randomBytes } from 'node:crypto';
import type { NamespacedConnection } from '../../../src/api/connection.ts';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import type { ClusterAdapter } from '../../../src/kubernetes/cluster/cluster-adapter.ts';
import { loadOrCreateDigestKey } from '../../../src/kubernetes/stores/digest-key.ts';
import { listWatch } from '../../../src/kubernetes/watch/list-watch.ts';
import {
  CLUSTER_CONNECTIONS,
  CONFIG_MAPS,
  CONNECTIONS,
  DEPLOYMENTS,
  NAMESPACES,
  type ResourceType,
  SECRETS,
} from '../../../src/kubernetes/objects/resource-type.ts';
import type { LeaseName } from '../../../src/kubernetes/stores/kubernetes-lease-store.ts';
import { DIGEST_KEY_SECRET } from '../../../src/model/connection/connection.ts';
import { normal } from '../../../src/model/outcome/event.ts';
import type { LeaseStore } from '../../../src/ports/stores/lease-store.ts';

/** The parts that a probe can use. */
export interface ProbeWorld {
  /** An adapter that acts as the probed user. */
  readonly adapter: ClusterAdapter;
  readonly leaseStore: (name: LeaseName) => LeaseStore;
  /** The namespace of the probe's objects, and a unique name. */
  readonly namespace: string;
  readonly name: string;
  /** The namespace of the operator. */
  readonly home: string;
  /** Makes a request as the administrator, for a person. Returns the object. */
  api(method: string, path: string, body?: object): Promise<object>;
  /** Repeats a look until `holds`. */
  until(holds: () => boolean | Promise<boolean>): Promise<void>;
  /** Aborts when the probe ends without success. */
  readonly signal: AbortSignal;
}

/** An action of the controller, done by the controller's code. */
export interface Probe {
  readonly does: string;
  /** Resolves only if it worked. */
  run(world: ProbeWorld): Promise<void>;
}

const ours = (namespace: string, plural: string): string =>
  `/apis/${API_VERSION}/namespaces/${namespace}/${plural}`;
const core = (namespace: string, plural: string): string => `/api/v1/namespaces/${namespace}/${plural}`;

async function aDeployment({ api, namespace, name }: ProbeWorld): Promise<DeploymentResource> {
  const body = {
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata: { name },
    spec: { source: 'external_container' },
  };
  return (await api('POST', ours(namespace, 'deployments'), body)) as DeploymentResource;
}

const CONNECTION_SPEC = { baseURL: 'https://service.example.com/api' };

async function aConnection({ api, namespace, name }: ProbeWorld): Promise<NamespacedConnection> {
  const body = { apiVersion: API_VERSION, kind: 'Connection', metadata: { name }, spec: CONNECTION_SPEC };
  return (await api('POST', ours(namespace, 'connections'), body)) as NamespacedConnection;
}

async function aClusterConnection({ api, name }: ProbeWorld): Promise<NamespacedConnection> {
  const body = {
    apiVersion: API_VERSION,
    kind: 'ClusterConnection',
    metadata: { name },
    spec: CONNECTION_SPEC,
  };
  return (await api('POST', `/apis/${API_VERSION}/clusterconnections`, body)) as NamespacedConnection;
}

const aDataObject =
  (plural: 'secrets' | 'configmaps') =>
  async ({ api, namespace, name }: ProbeWorld): Promise<object> =>
    await api('POST', core(namespace, plural), { metadata: { name } });

/** Returns a probe that lists first, so that only the watch can show objects that are created afterwards. */
function follows(
  kind: keyof ClusterAdapter['informers'],
  make: (world: ProbeWorld) => Promise<object>,
  isNamespaced = true,
): Probe {
  return {
    does: `follows ${kind}`,
    async run(world) {
      const informer = world.adapter.informers[kind];
      await informer.start(world.signal);
      await make(world);
      const namespace = isNamespaced ? world.namespace : '';
      await world.until(() => informer.get(namespace, world.name) !== undefined);
    },
  };
}

/** Returns a probe that reads page by page, as with API servers without streamed lists. */
function lists(type: ResourceType): Probe {
  return {
    does: `lists ${type.plural} in pages`,
    async run({ adapter, signal }) {
      await listWatch(adapter.transport, { type, namespace: '', metadataOnly: true }).page(
        { limit: 500 },
        signal,
      );
    },
  };
}

function writesStatusOf(make: (world: ProbeWorld) => Promise<NamespacedConnection>): Probe {
  return {
    does: `writes the status of what ${make.name} makes`,
    async run(world) {
      const connection = await make(world);
      await world.adapter.connectionStore.saveStatus(connection, { observedGeneration: 1 });
    },
  };
}

function holds(make: (world: ProbeWorld) => Promise<NamespacedConnection>): Probe {
  return {
    does: `holds what ${make.name} makes, and lets it go`,
    async run(world) {
      const { connectionHolds } = world.adapter;
      const held = await connectionHolds.setHeld(await make(world), true);
      if (typeof held === 'string') throw new Error(held);
      const free = await connectionHolds.setHeld(held, false);
      if (typeof free === 'string') throw new Error(free);
    },
  };
}

/** Probes of the rules on objects without a namespace. */
export const CLUSTER_SCOPED_PROBES: readonly Probe[] = [
  ...[CLUSTER_CONNECTIONS, NAMESPACES].map(lists),
  follows('clusterConnections', aClusterConnection, false),
  follows('namespaces', ({ api, name }) => api('POST', '/api/v1/namespaces', { metadata: { name } }), false),
  writesStatusOf(aClusterConnection),
  holds(aClusterConnection),
];

/** Probes of the rules on objects of every namespace. */
export const NAMESPACED_PROBES: readonly Probe[] = [
  ...[DEPLOYMENTS, CONNECTIONS, SECRETS, CONFIG_MAPS].map(lists),
  follows('deployments', aDeployment),
  follows('connections', aConnection),
  follows('secrets', aDataObject('secrets')),
  follows('configMaps', aDataObject('configmaps')),
  {
    does: 'claims a deployment resource that somebody else has changed meanwhile',
    async run(world) {
      const old = await aDeployment(world);
      await world.api('PATCH', `${ours(world.namespace, 'deployments')}/${world.name}`, {
        metadata: { labels: { team: 'a' } },
      });
      await world.adapter.deploymentStore.claim(old);
    },
  },
  {
    does: 'writes the status of a deployment resource',
    async run(world) {
      const resource = await aDeployment(world);
      await world.adapter.deploymentStore.saveStatus(
        resource,
        { observedGeneration: 1 },
        { mustLand: false },
      );
    },
  },
  writesStatusOf(aConnection),
  holds(aConnection),
  ...(['Secret', 'ConfigMap'] as const).map((kind) => ({
    does: `reads a ${kind}`,
    async run(world: ProbeWorld) {
      await aDataObject(kind === 'Secret' ? 'secrets' : 'configmaps')(world);
      const { namespace, name } = world;
      const read = await world.adapter.secretReader.read({ kind, namespace, name });
      if (read === undefined) throw new Error('it was not there');
    },
  })),
  {
    does: 'tells an event, and that it came again',
    async run(world) {
      const about = await aDeployment(world);
      const told = async (count: number): Promise<boolean> => {
        const path = `/apis/events.k8s.io/v1/namespaces/${world.namespace}/events`;
        const { items } = (await world.api('GET', path)) as {
          items: { regarding: { name: string }; series?: { count: number } }[];
        };
        return items.some(
          ({ regarding, series }) => regarding.name === world.name && (series?.count ?? 1) >= count,
        );
      };
      for (const count of [1, 2]) {
        world.adapter.events.record(about, normal('Bound', 'Bind', 'It is bound.'));
        await world.until(() => told(count));
      }
    },
  },
];

/** Probes of the rules of the operator's own namespace, which allow nothing else. */
export const HOME_PROBES: readonly Probe[] = [
  {
    does: 'makes the key of digests, and reads it',
    async run({ adapter, api, home }) {
      await api('DELETE', `${core(home, 'secrets')}/${DIGEST_KEY_SECRET}`).catch(() => undefined);
      await loadOrCreateDigestKey(adapter.transport, home, randomBytes(32));
    },
  },
  {
    does: 'makes the Lease of the replicas, reads it and renews it',
    async run({ leaseStore, api, home, name, signal }) {
      const lease = { namespace: home, name: 'dms-operator' };
      await api('DELETE', `/apis/coordination.k8s.io/v1/namespaces/${home}/leases/${lease.name}`).catch(
        () => undefined,
      );
      const store = leaseStore(lease);
      const record = { holder: name, durationMs: 15_000, acquiredMs: 0, renewedMs: 0, transitions: 0 };
      await store.write(record, undefined, signal);
      const stored = await store.read(signal);
      await store.write({ ...record, renewedMs: 1 }, stored?.version, signal);
    },
  },
];
