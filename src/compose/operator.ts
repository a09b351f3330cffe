import { type Key, keyOf, keyText } from '../api/metadata.ts';
import { type ConnectionName, connectionText, DEFAULTS } from '../model/connection.ts';
import { DeploymentReconciler } from '../reconcile/deployment-reconciler.ts';
import { ConnectionReconciler } from '../reconcile/connection-reconciler.ts';
import type { ChangeSource } from '../ports/change-source.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { DesiredStore } from '../ports/desired-store.ts';
import type { Digester } from '../ports/digester.ts';
import type { EventRecorder } from '../ports/event-recorder.ts';
import type { Logger } from '../ports/logger.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { SecretReader } from '../ports/secret-reader.ts';
import { Backoff } from '../runtime/backoff.ts';
import { Controller } from '../runtime/controller.ts';
import type { Part, Phase } from '../runtime/manager.ts';
import { feed } from '../runtime/source.ts';
import { WorkQueue } from '../runtime/work-queue.ts';
import { ConnectionPool } from '../service/connection-pool.ts';
import { type Fleet, keysTouchedBy } from './fleet.ts';

/** What a desired state store, whichever it is, gives to the operator. */
export interface OperatorAdapter {
  readonly deploymentStore: DesiredStore;
  readonly connectionStore: ConnectionStore;
  readonly secretReader: SecretReader;
  readonly events: EventRecorder;
  readonly sources: { readonly deployments: ChangeSource; readonly connections: ChangeSource };
}

/** Everything an operator is put together from. */
export interface OperatorParts {
  readonly adapter: OperatorAdapter;
  readonly fleet: Fleet;
  readonly digester: Digester;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly operatorNamespace: string;
  readonly userAgent: string;
  readonly workers: number;
  readonly dryRun: boolean;
  /** Loopback addresses are refused when true. */
  readonly inCluster: boolean;
  readonly allowHosts: readonly string[];
}

/** Two queues, two controllers and one pool of connections, in the order in which they start. */
export function operatorPhases(parts: OperatorParts): readonly Phase[] {
  const { adapter, fleet, clock, logger } = parts;
  const pool: ConnectionPool = new ConnectionPool({
    clock,
    logger,
    metrics: parts.metrics,
    userAgent: parts.userAgent,
    inCluster: parts.inCluster,
    allowHosts: parts.allowHosts,
    onServiceChange: (connection, change) => {
      for (const key of keysTouchedBy(fleet, connection, change)) deployments.add(key, 'rollout');
    },
    onConnectionChange: (connection) => connections.add(connection, 'rollout'),
  });
  const deployments = new WorkQueue({
    clock,
    laneOf: (key) => laneOf(pool, fleet, key),
    laneLimit: (lane) => pool.concurrencyOf(lane),
  });
  const connections = new WorkQueue({ clock });
  return [
    { name: 'connections to the service', parts: [poolPart(pool)] },
    {
      name: 'controllers',
      parts: [
        controllerPart('connections', connections, connectionReconciler(parts, pool), parts, 8),
        controllerPart('deployments', deployments, deploymentReconciler(parts, pool), parts, parts.workers),
      ],
    },
    {
      name: 'sources',
      parts: [
        feedPart('connections', adapter.sources.connections, connections),
        feedPart('deployments', adapter.sources.deployments, deployments),
      ],
    },
  ];
}

function laneOf(pool: ConnectionPool, fleet: Fleet, key: Key): string | undefined {
  const resource = fleet.get(key);
  const connection = resource === undefined ? undefined : pool.nameFor(resource);
  return connection === undefined ? undefined : connectionText(connection);
}

function deploymentReconciler(parts: OperatorParts, pool: ConnectionPool): DeploymentReconciler {
  const { adapter, digester, clock, logger, metrics, dryRun } = parts;
  return new DeploymentReconciler({
    store: adapter.deploymentStore,
    connections: pool,
    secrets: adapter.secretReader,
    events: adapter.events,
    digests: digester,
    clock,
    logger,
    metrics,
    dryRun,
  });
}

function connectionReconciler(parts: OperatorParts, pool: ConnectionPool): ConnectionReconciler {
  const { adapter, fleet, clock, logger, operatorNamespace } = parts;
  return new ConnectionReconciler({
    store: adapter.connectionStore,
    connections: pool,
    secrets: adapter.secretReader,
    events: adapter.events,
    clock,
    logger,
    operatorNamespace,
    managed: (name: ConnectionName) => fleet.usersOf(name).length,
  });
}

function poolPart(pool: ConnectionPool): Part {
  return {
    name: 'connection pool',
    start: async (signal) => pool.start(signal),
    stop: async () => pool.stop(),
  };
}

function controllerPart(
  name: string,
  queue: WorkQueue,
  reconciler: DeploymentReconciler | ConnectionReconciler,
  { clock, logger }: OperatorParts,
  workers: number,
): Part {
  const backoff = new Backoff({ clock, baseMs: DEFAULTS.retryBaseMs, capMs: DEFAULTS.retryCapMs });
  const controller = new Controller({ name, queue, reconciler, backoff, clock, logger, workers });
  return {
    name: `controller of ${name}`,
    start: async () => controller.start(),
    stop: (withinMs) => controller.stop(withinMs),
  };
}

function feedPart(name: string, source: ChangeSource, queue: WorkQueue): Part {
  return {
    name: `source of ${name}`,
    start: (signal) => feed({ source, queue, priority: 'user' }, signal),
  };
}
