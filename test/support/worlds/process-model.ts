import { isDeepStrictEqual } from 'node:util';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import {
  CLUSTER_CONNECTION_KIND,
  type ConnectionResource,
  isConnectionKey,
} from '../../../src/api/connection.ts';
import { type Key, keyOf, keyText, type ObjectMeta } from '../../../src/api/metadata.ts';
import { type OperatorMetrics, operatorPhases } from '../../../src/compose/operator/operator-phases.ts';
import type { Oversight } from '../../../src/compose/operator/oversight.ts';
import { DIRECT } from '../../../src/model/connection/egress.ts';
import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import { knownLabels, servesNamespace } from '../../../src/model/connection/namespace-selector.ts';
import { connectionReferences, dataReferences } from '../../../src/model/connection/data-references.ts';
import type { ChangeSource } from '../../../src/ports/stores/change-source.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { ConnectionAccess } from '../../../src/ports/service/connections.ts';
import type { Digester } from '../../../src/ports/process/digester.ts';
import type { EventRecorder } from '../../../src/ports/stores/event-recorder.ts';
import type { Fence } from '../../../src/ports/process/fence.ts';
import type { Logger } from '../../../src/ports/process/logger.ts';
import type { SecretReader } from '../../../src/ports/stores/secret-reader.ts';
import type { Shard } from '../../../src/reconcile/shard/shard-connection-reconciler.ts';
import { Manager } from '../../../src/runtime/process/manager.ts';
import type { MemoryConnectionStore } from '../doubles/memory-connections.ts';
import type { MemoryStore } from '../doubles/memory-store.ts';
import type { SimulatedService } from '../../../src/simulator/server/simulated-service.ts';
import { inProcessExchange } from '../doubles/in-process-exchange.ts';
import { type ExchangeMoments, ProcessLife } from './process-life.ts';

/** The parts that outlast a process: its world. */
export interface ProcessParts {
  readonly clock: Clock;
  readonly service: SimulatedService;
  readonly store: MemoryStore;
  readonly secrets: SecretReader;
  readonly events: EventRecorder;
  readonly connections: MemoryConnectionStore;
  readonly digester: Digester;
  readonly logger: Logger;
  readonly metrics: OperatorMetrics;
  /** Points of an exchange at which a test acts. */
  readonly moments?: ExchangeMoments;
  readonly dryRun?: boolean;
  readonly shard?: Shard;
  readonly fence?: Fence;
  readonly oversight?: Oversight;
  /** True while the namespace of every resource is being deleted. */
  readonly terminating?: () => boolean;
}

/** The namespace of the Secrets of ClusterConnections. */
const OPERATOR_NAMESPACE = 'dms-operator';

/**
 * The operator as `run` assembles it, on stores in memory and a simulated service in process. It can be killed at any
 * effect. Another one, started on the same parts, is the restarted process.
 */
export class ProcessModel {
  readonly #life = new ProcessLife();
  readonly #parts: ProcessParts;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  readonly #tellDeployments = new Set<(key: Key) => void>();
  readonly #tellConnections = new Set<(key: Key) => void>();

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    const clock = this.#life.clock(parts.clock);
    const manager = new Manager({
      phases: this.#phases(clock),
      clock,
      logger: this.#life.logger(parts.logger),
    });
    this.#running = manager.run(this.#ending.signal);
  }

  /** Looks at a deployment resource again, as after a resync. */
  poke(key: Key): void {
    for (const tell of this.#tellDeployments) tell(key);
  }

  /** Acts as the watch of Secrets and ConfigMaps: wakes the resources that take values from the object. */
  dataChanged(kind: 'Secret' | 'ConfigMap', namespace: string, name: string): void {
    const takes = (resource: Parameters<typeof dataReferences>[0]): boolean =>
      (resource.metadata.namespace ?? OPERATOR_NAMESPACE) === namespace &&
      dataReferences(resource).some((reference) => reference.kind === kind && reference.name === name);
    for (const resource of this.#parts.store.list()) if (takes(resource)) this.poke(keyOf(resource));
    for (const connection of this.#parts.connections.list())
      if (takes(connection)) for (const tell of this.#tellConnections) tell(keyOf(connection));
  }

  /** Ends it as SIGKILL does. */
  kill(): void {
    this.#life.kill();
    this.#ending.abort();
  }

  /** Ends it as SIGTERM does. Resolves when it has drained, which takes virtual time. */
  stop(): Promise<void> {
    this.#ending.abort();
    return this.#running;
  }

  #phases(clock: Clock): ReturnType<typeof operatorPhases> {
    const { service, store, secrets, events, connections, moments = {}, ...rest } = this.#parts;
    return operatorPhases({
      ...rest,
      clock,
      logger: this.#life.logger(rest.logger),
      adapter: {
        deploymentStore: this.#life.store(store),
        connectionStore: this.#life.connectionStore(connections),
        connectionHolds: this.#life.connectionHolds(connections),
        connectionAccess: accessBy(connections),
        namespaces: { isTerminating: () => this.#parts.terminating?.() === true },
        secretReader: this.#life.secretReader(secrets),
        events: this.#life.events(events),
        sources: {
          deployments: this.#source(this.#tellDeployments, deploymentChanges(store, connections)),
          connections: this.#source(
            this.#tellConnections,
            meantChanges(connections, connections, servedByOf),
          ),
        },
      },
      fleet: store.fleet,
      operatorNamespace: OPERATOR_NAMESPACE,
      userAgent: 'dms-operator/test',
      workers: 64,
      dryRun: this.#parts.dryRun ?? false,
      inCluster: true,
      egress: DIRECT,
      open: (settings: ConnectionSettings) =>
        this.#life.exchange(inProcessExchange(service, settings, clock), moments, settings.name),
    });
  }

  #source(listeners: Set<(key: Key) => void>, source: ChangeSource): ChangeSource {
    return {
      start: (onChange, signal) => {
        const tell = (key: Key): void => {
          if (!this.#life.dead) onChange(key);
        };
        listeners.add(tell);
        signal.addEventListener('abort', () => listeners.delete(tell), { once: true });
        return source.start(tell, signal);
      },
    };
  }
}

interface Kept {
  readonly metadata: ObjectMeta;
}

/** Returns a view over a store that reports changes as the watch of a cluster does: without our own writes. */
function meantChanges(
  source: ChangeSource,
  store: { peek(key: Key): Kept | undefined },
  signature: (object: Kept) => unknown = () => undefined,
): ChangeSource {
  const known = new Map<string, unknown>();
  return {
    start: (onChange, signal) =>
      source.start((key) => {
        const object = store.peek(key);
        const { generation, deletionTimestamp, annotations, labels } = object?.metadata ?? {};
        const seen = object && [generation, deletionTimestamp, annotations, labels, signature(object)];
        const text = keyText(key);
        if (known.has(text) && isDeepStrictEqual(known.get(text), seen)) return;
        known.set(text, seen);
        onChange(key);
      }, signal),
  };
}

/** Returns the changes that wake deployment resources: their own changes, and those of their connection. */
function deploymentChanges(store: MemoryStore, connections: MemoryConnectionStore): ChangeSource {
  const own = meantChanges(store, store);
  const theirs = meantChanges(connections, connections, (object) => readinessOf(object));
  return {
    async start(onChange, signal) {
      await theirs.start((key) => {
        for (const resource of store.list()) if (usesConnection(resource, key)) onChange(keyOf(resource));
      }, signal);
      await own.start(onChange, signal);
    },
  };
}

/** Returns the access to connections. Namespaces have only the label with their name. */
function accessBy(connections: MemoryConnectionStore): ConnectionAccess {
  return {
    selects(name, namespace) {
      const found = connections.peek({ kind: CLUSTER_CONNECTION_KIND, namespace: '', name });
      return servesNamespace(found, knownLabels(namespace, {}));
    },
  };
}

function usesConnection(resource: DeploymentResource, key: Key): boolean {
  return (
    isConnectionKey(key) && connectionReferences(resource).some((other) => keyText(other) === keyText(key))
  );
}

function servedByOf(object: object): unknown {
  return (object as ConnectionResource).status?.servedBy;
}

function readinessOf(object: object): unknown {
  const { status } = object as {
    status?: { conditions?: readonly { type: string; status: string; reason: string }[] };
  };
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready && [ready.status, ready.reason];
}
