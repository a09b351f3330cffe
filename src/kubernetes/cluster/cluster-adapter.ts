import { getHeapStatistics } from 'node:v8';
import type { ClusterConnection, NamespacedConnection } from '../../api/connection.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import type { ClusterAccess } from '../../model/connection/cluster-access.ts';
import { OPERATOR_NAMESPACE } from '../../model/connection/connection.ts';
import { knownLabels, servesNamespace } from '../../model/connection/namespace-selector.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionAccess } from '../../ports/service/connections.ts';
import type { ConnectionHolds, ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { EventRecorder } from '../../ports/stores/event-recorder.ts';
import type { Fence } from '../../ports/process/fence.ts';
import type { LeaseStore } from '../../ports/stores/lease-store.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { Namespaces } from '../../ports/stores/namespaces.ts';
import type { SecretReader } from '../../ports/stores/secret-reader.ts';
import { linkAbort } from '../client/link-abort.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { changeSources, type ClusterSources } from './change-sources.ts';
import { clusterInformers, type ClusterInformers, everyInformer } from './cluster-informers.ts';
import type { ClusterMetrics } from '../client/cluster-metrics.ts';
import { KubernetesConnectionStore } from '../stores/kubernetes-connection-store.ts';
import { asClusterConnection, asConnection, asDeployment } from '../objects/decoders.ts';
import { KubernetesDeploymentStore } from '../stores/kubernetes-deployment-store.ts';
import { KubernetesEventRecorder } from '../stores/kubernetes-event-recorder.ts';
import { fencedTransport } from '../client/fenced-transport.ts';
import type { Informer } from '../watch/informer.ts';
import { InstalledSchemas } from '../stores/installed-schemas.ts';
import { type ClusterConfig, loadClusterConfig } from '../client/load-cluster-config.ts';
import { KubernetesLeaseStore, type LeaseName } from '../stores/kubernetes-lease-store.ts';
import { ObjectWriter } from '../stores/object-writer.ts';
import { OwnCopies } from '../stores/own-copies.ts';
import type { ReflectorTuning } from '../watch/reflector-state.ts';
import type { KubernetesObject } from '../objects/resource-type.ts';
import { KubernetesSecretReader } from '../stores/kubernetes-secret-reader.ts';
import type { Transport } from '../client/exchange.ts';
import { createTransport, type TransportOptions } from '../client/create-transport.ts';
import { stuckWatches } from '../watch/stuck-watches.ts';

/** The cluster, the watched part of it, and the identity of the caller. */
export interface ClusterOptions extends ClusterAccess {
  /** Empty or absent: all namespaces. */
  readonly namespaces?: readonly string[];
  /** Default: the namespace of the pod; outside a cluster dms-operator. */
  readonly operatorNamespace?: string | undefined;
  /** The name of this process in events, for example that of the pod. */
  readonly instance: string;
  readonly userAgent: string;
  readonly tuning?: Partial<ReflectorTuning>;
}

/** The parts of the process that the adapter uses. */
export interface ClusterEnvironment {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: ClusterMetrics | undefined;
}

/** A cluster that is configured, and that received no request yet. */
export interface OpenCluster {
  readonly operatorNamespace: string;
  /** Returns the store of a Lease. It has its own TCP connections, so other hanging calls do not delay a renewal. */
  leaseStore(name: LeaseName): LeaseStore;
  /**
   * Returns the cluster behind the ports. Every write asks the fence; without a fence all writes are permitted. Called
   * once.
   */
  adapter(fence?: Fence): ClusterAdapter;
}

/** The cluster behind the ports of the core. */
export interface ClusterAdapter {
  readonly transport: Transport;
  readonly operatorNamespace: string;
  readonly deploymentStore: DesiredStore;
  readonly connectionStore: ConnectionStore;
  readonly connectionHolds: ConnectionHolds;
  readonly connectionAccess: ConnectionAccess;
  readonly namespaces: Namespaces;
  readonly secretReader: SecretReader;
  readonly events: EventRecorder;
  readonly sources: ClusterSources;
  readonly informers: ClusterInformers;
  /**
   * Starts the watches and resolves when every cache is filled; a second call waits for the same. Watches end with
   * `signal` or with `stop`.
   */
  start(signal: AbortSignal): Promise<void>;
  /** Sends the waiting events; later events are not recorded. */
  flushEvents(): Promise<void>;
  /** Sends the waiting events, ends watches and writes under way, and closes every connection. */
  stop(): Promise<void>;
  /** Returns a fault of the watches that only a restart of the process can fix; undefined without one. */
  unhealthy(): string | undefined;
}

/** Reads the configuration; sends no request before something needs it. */
export async function openCluster(
  options: ClusterOptions,
  environment: ClusterEnvironment,
): Promise<OpenCluster> {
  const { clock, metrics } = environment;
  const config = await loadClusterConfig(options, clock);
  const operatorNamespace = options.operatorNamespace ?? config.podNamespace ?? OPERATOR_NAMESPACE;
  const transports = new ClusterTransports(config, { clock, userAgent: options.userAgent, metrics });
  return {
    operatorNamespace,
    leaseStore: (name) => transports.leaseStore(name),
    adapter: (fence) => adapterOf({ ...options, operatorNamespace, transports, fence }, environment),
  };
}

/** A cluster, and the watched part of it. */
interface ReachedCluster extends Pick<ClusterOptions, 'namespaces' | 'tuning' | 'instance'> {
  readonly operatorNamespace: string;
  readonly transports: ClusterTransports;
  readonly fence: Fence | undefined;
}

function adapterOf(cluster: ReachedCluster, environment: ClusterEnvironment): ClusterAdapter {
  const { operatorNamespace, transports, fence, namespaces = [], tuning, instance } = cluster;
  const { clock, logger } = environment;
  const transport = fence === undefined ? transports.main : fencedTransport(transports.main, fence);
  const heapBytes = getHeapStatistics().heap_size_limit;
  const informers = clusterInformers(
    { namespaces, operatorNamespace, tuning, heapBytes },
    { transport, ...environment },
  );
  const ending = new AbortController();
  const events = new KubernetesEventRecorder({ transport, clock, logger, instance });
  const connectionStore = new KubernetesConnectionStore(
    writerOf<NamespacedConnection>(transport, informers.connections, asConnection),
    writerOf<ClusterConnection>(transport, informers.clusterConnections, asClusterConnection),
  );
  const schemas = new InstalledSchemas({ transport, clock, logger });
  return {
    transport,
    operatorNamespace,
    deploymentStore: new KubernetesDeploymentStore({
      writer: writerOf<DeploymentResource>(transport, informers.deployments, asDeployment),
      schemas,
      clock,
      ended: ending.signal,
    }),
    connectionStore,
    connectionHolds: connectionStore,
    connectionAccess: accessBy(informers),
    namespaces: namespacesBy(informers),
    secretReader: new KubernetesSecretReader(transport),
    events,
    sources: changeSources(informers, namespaces),
    informers,
    flushEvents: () => events.flush(),
    ...lifeOf(informers, { schemas, events, transports, ending }),
    unhealthy: () => stuckWatches(everyInformer(informers), clock.now()),
  };
}

/** The transports to one API server. */
class ClusterTransports {
  readonly main: Transport;
  readonly #make: () => Transport;
  #leases: Transport | undefined;

  constructor(config: ClusterConfig, options: TransportOptions) {
    this.#make = () => createTransport(config, options);
    this.main = this.#make();
  }

  leaseStore(name: LeaseName): LeaseStore {
    this.#leases ??= this.#make();
    return new KubernetesLeaseStore(this.#leases, name);
  }

  async close(): Promise<void> {
    await Promise.all([this.main.close(), this.#leases?.close()]);
  }
}

function namespacesBy({ namespaces }: ClusterInformers): Namespaces {
  return { isTerminating: (name) => namespaces.get('', name)?.metadata.deletionTimestamp !== undefined };
}

function accessBy({ clusterConnections, namespaces }: ClusterInformers): ConnectionAccess {
  return {
    selects(clusterConnection, namespace) {
      const found = clusterConnections.get('', clusterConnection);
      const read = namespaces.get('', namespace);
      return servesNamespace(found, knownLabels(namespace, read && (read.metadata.labels ?? {})));
    },
  };
}

function lifeOf(
  informers: ClusterInformers,
  parts: {
    readonly schemas: InstalledSchemas;
    readonly events: KubernetesEventRecorder;
    readonly transports: ClusterTransports;
    readonly ending: AbortController;
  },
): Pick<ClusterAdapter, 'start' | 'stop'> {
  const { schemas, events, transports, ending } = parts;
  const all = everyInformer(informers);
  let watching: Promise<unknown> | undefined;
  return {
    async start(signal) {
      if (watching === undefined) {
        const link = linkAbort(signal);
        ending.signal.addEventListener('abort', () => link.abort(ending.signal.reason), { once: true });
        const filled = Promise.all(all.map((informer) => informer.start(link.signal)));
        watching = filled.then(() => schemas.look(link.signal));
      }
      await untilAborted(watching, signal);
    },
    async stop() {
      await events.flush();
      ending.abort(new Error('the cluster adapter was stopped'));
      if (watching !== undefined) await Promise.all(all.map((informer) => informer.ended()));
      await transports.close();
    },
  };
}

function writerOf<T extends KubernetesObject & { readonly status?: object }>(
  transport: Transport,
  informer: Pick<Informer<T>, 'type' | 'get' | 'subscribe'>,
  decode: (object: KubernetesObject) => T,
): ObjectWriter<T> {
  const cached = (namespace: string, name: string): T | undefined => informer.get(namespace, name);
  const copies = new OwnCopies<T>();
  // Without this, a copy of every object that was ever written would stay until the next read of it.
  informer.subscribe({
    onChange: ({ namespace, name }) =>
      copies.newest({ metadata: { namespace, name } }, cached(namespace, name)),
  });
  return new ObjectWriter({ transport, type: informer.type, decode, cached, copies });
}
