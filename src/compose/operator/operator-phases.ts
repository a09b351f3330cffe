import { defined } from '../../base/defined.ts';
import type { DeploymentResource } from '../../api/deployment.ts';
import { type Key, keyOf } from '../../api/metadata.ts';
import { connectionNameOf, type ConnectionSettings } from '../../model/connection/connection.ts';
import type { Egress } from '../../model/connection/egress.ts';
import { isServedBy, type Shard } from '../../reconcile/shard/shard-connection-reconciler.ts';
import { DeploymentReconciler } from '../../reconcile/deployment/deployment-reconciler.ts';
import { needsConnection } from '../../model/decide/deletion.ts';
import { ConnectionHold } from '../../reconcile/connection/connection-hold.ts';
import { ConnectionReconciler } from '../../reconcile/connection/connection-reconciler.ts';
import { HoldingReconciler } from '../../reconcile/connection/holding-reconciler.ts';
import { Sightings } from '../../reconcile/deployment/sightings.ts';
import { priorityOf } from '../../reconcile/deployment/priority-of.ts';
import { checkLanes, connectionLanes, keysUpNext } from './connection-lanes.ts';
import type { ChangeSource } from '../../ports/stores/change-source.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionAccess } from '../../ports/service/connections.ts';
import type { ConnectionHolds, ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { DesiredStore } from '../../ports/stores/desired-store.ts';
import type { Digester } from '../../ports/process/digester.ts';
import type { EventRecorder } from '../../ports/stores/event-recorder.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import type { Fence } from '../../ports/process/fence.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type {
  ConnectionMetrics,
  Metrics,
  QueueReporter,
  QueueState,
  ResourceMetrics,
} from '../../ports/process/metrics.ts';
import type { Namespaces } from '../../ports/stores/namespaces.ts';
import type { Reconciler } from '../../ports/process/reconciler.ts';
import type { SecretReader } from '../../ports/stores/secret-reader.ts';
import { Backoff } from '../../runtime/controller/backoff.ts';
import { Controller } from '../../runtime/controller/controller.ts';
import type { LaneRules } from '../../runtime/queue/fair-order.ts';
import type { Part, Phase } from '../../runtime/process/manager.ts';
import { feed } from '../../runtime/controller/feed.ts';
import { WorkQueue } from '../../runtime/queue/work-queue.ts';
import { ConnectionPool } from '../../service/connection/connection-pool.ts';
import type { Exchange } from '../../service/http/exchange.ts';
import { fencedExchange } from '../../service/http/fenced-exchange.ts';
import { httpExchange } from '../../service/http/http-exchange.ts';
import {
  creatorsOf,
  expectedAt,
  type Fleet,
  keysTouchedBy,
  servedBy,
  waitsForLessons,
  waitsForList,
  wantedAt,
} from './fleet.ts';
import { heapLimitBytes } from './heap-limit-bytes.ts';
import { ManagedCount } from './managed-count.ts';
import type { Oversight } from './oversight.ts';
import { ofShard } from './sharding.ts';

/** The parts that depend on the store of declarations, a cluster or a folder. */
export interface OperatorAdapter {
  readonly deploymentStore: DesiredStore;
  readonly connectionStore: ConnectionStore;
  /** Holds that delay the removal of connections; if absent, nothing delays it. */
  readonly connectionHolds?: ConnectionHolds | undefined;
  readonly connectionAccess: ConnectionAccess;
  readonly namespaces: Namespaces;
  readonly secretReader: SecretReader;
  readonly events: EventRecorder;
  readonly sources: { readonly deployments: ChangeSource; readonly connections: ChangeSource };
}

/** The metrics of an operator. */
export interface OperatorMetrics extends Metrics, ConnectionMetrics, ResourceMetrics {
  /** Adds a work queue; reads of the metrics call `state`. */
  queue(name: string, state: () => QueueState): QueueReporter;
}

/** The parts of an operator. */
export interface OperatorParts {
  readonly adapter: OperatorAdapter;
  readonly fleet: Fleet;
  readonly digester: Digester;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: OperatorMetrics;
  readonly operatorNamespace: string;
  readonly userAgent: string;
  readonly workers: number;
  readonly dryRun: boolean;
  /** True to refuse loopback addresses. */
  readonly inCluster: boolean;
  readonly egress: Egress;
  /** Permits each exchange with a service; if absent, every exchange may be sent. */
  readonly fence?: Fence | undefined;
  /** Selects the connections to serve; if absent, all of them. */
  readonly shard?: Shard | undefined;
  /** Approves writes; if absent, writes need no approval. */
  readonly oversight?: Oversight | undefined;
  /** Opens the exchange with a service. Default: HTTP. */
  readonly open?: (settings: ConnectionSettings) => Exchange;
}

/** The number of workers for connections: many, since they mostly wait. */
const CONNECTION_WORKERS = 64;

/** The time after which a check releases its worker (H59). */
const CHECK_LIMIT_MS = 30_000;

/** The queues of both controllers. They are made last, after the parts that wake keys in them. */
interface Queues {
  readonly connections: WorkQueue;
  readonly deployments: WorkQueue;
}

/** The parts with the pool of connections and the queues: everything that the reconcilers need. */
interface WiredParts extends OperatorParts {
  readonly pool: ConnectionPool;
  readonly queues: Queues;
  readonly managed: ManagedCount;
}

/**
 * Returns the phases of an operator with two queues, two controllers and one pool of connections, in the order in which
 * they start.
 */
export function operatorPhases(parts: OperatorParts): readonly Phase[] {
  const { adapter, fleet } = parts;
  const queues: Queues = {
    get connections() {
      return connections.queue;
    },
    get deployments() {
      return deployments.queue;
    },
  };
  const managed = new ManagedCount(fleet, (resource) => pool.nameFor(resource));
  const pool: ConnectionPool = connectionPool(parts, queues, managed);
  const wired = { ...parts, pool, queues, managed };
  const sightings = new Sightings();
  const hold = connectionHold(wired);
  const reconcilers = ofShard(parts.shard, {
    connections: connectionReconciler(wired, hold),
    deployments: holding(deploymentReconciler(wired, sightings), wired, hold),
    ...{ parts, pool },
    onServed: (connection) => wake(queues, fleet.usersOf(connection), priorityOf),
  });
  const connections = workOn(parts, {
    ...{ name: 'connections', reconciler: reconcilers.connections },
    workers: CONNECTION_WORKERS,
    lanes: checkLanes(CONNECTION_WORKERS),
    readsOnly: true,
  });
  const deployments = workOn(parts, {
    ...{ name: 'deployments', reconciler: reconcilers.deployments },
    workers: parts.workers,
    lanes: connectionLanes(pool, fleet, parts.workers),
  });
  return [
    // Parts that running passes still need are the last to stop.
    { name: 'connection pool', parts: [poolPart(pool)] },
    { name: 'controllers', parts: [connections.part, deployments.part] },
    { name: 'connections', parts: [connectionFeed(adapter.sources.connections, connections.queue, pool)] },
    { name: 'deployments', parts: [deploymentFeed(parts, deployments.queue, sightings)] },
  ];
}

function wake(
  { deployments }: Queues,
  resources: Iterable<DeploymentResource>,
  priority: (of: DeploymentResource) => CallPriority,
): void {
  for (const resource of resources) deployments.add(keyOf(resource), priority(resource));
}

/** Makes the pool of connections, which wakes the affected keys when something about a connection changes. */
function connectionPool(parts: OperatorParts, queues: Queues, managed: ManagedCount): ConnectionPool {
  const { adapter, fleet, clock, metrics, logger } = parts;
  const pool: ConnectionPool = new ConnectionPool({
    ...{ clock, metrics, logger },
    access: adapter.connectionAccess,
    open: (settings) => openExchange(settings, parts),
    environmentProxy: parts.egress.environmentProxy,
    onServiceChange: (connection, change) => {
      for (const key of keysTouchedBy(fleet, connection, change)) queues.deployments.add(key, 'rollout');
    },
    onConnectionChange: (connection) => {
      managed.forget(connection);
      wake(queues, fleet.usersOf(connection), () => 'user');
    },
    onTrouble: (connection) => queues.connections.add(connection, 'user'),
    onSwept: (connection) => {
      if (managed.becameOutdated(connection)) queues.connections.add(connection, 'resync');
    },
    expected: (connection) => expectedAt(fleet, connection, (resource) => pool.nameFor(resource)),
    wanted: (connection) => wantedAt(fleet, connection),
    upNext: (connection, priority, most) => {
      const keys = keysUpNext(queues.deployments, { connection, priority, most });
      return keys.map((key) => fleet.get(key)?.status?.deploymentID).filter((id) => id !== undefined);
    },
    checkLimitMs: CHECK_LIMIT_MS,
    heapBytes: heapLimitBytes(),
    onLearned: (connection, news) => {
      if (news.kind === 'watched') {
        const held = news.waiting.flatMap((id) => fleet.boundTo(id));
        wake(queues, held, priorityOf);
        return;
      }
      if (news.kind === 'lesson') queues.connections.add(connection, 'resync');
      const waits = news.kind === 'readable' ? waitsForList : waitsForLessons;
      const held = servedBy(fleet, connection, (resource) => pool.nameFor(resource)).filter(waits);
      wake(queues, held, () => 'rollout');
    },
  });
  return pool;
}

function deploymentReconciler(parts: WiredParts, sightings: Sightings): DeploymentReconciler {
  const { adapter, pool, digester, clock, fleet, logger, metrics, dryRun, oversight } = parts;
  return new DeploymentReconciler({
    store: adapter.deploymentStore,
    connections: pool,
    sightings,
    secrets: adapter.secretReader,
    namespaces: adapter.namespaces,
    events: adapter.events,
    digests: digester,
    rivals: ({ metadata }, id) => fleet.boundTo(id).filter((other) => other.metadata.uid !== metadata.uid),
    creators: (resource) => creatorsOf(fleet, resource, (of) => pool.addressFor(of)),
    clock,
    logger,
    metrics,
    dryRun,
    gate: oversight?.gate,
    holdUnprovenSecrets: oversight?.holdUnprovenSecrets,
    waitsForRotations: oversight?.waitsForRotations,
    looksBeforeWriting: oversight?.looksBeforeWriting,
  });
}

/** Returns the hold on connections. A dry run has none, as it holds no deployment. */
function connectionHold(parts: WiredParts): ConnectionHold | undefined {
  const { adapter, pool, fleet, dryRun, logger } = parts;
  const { connectionHolds: holds, deploymentStore } = adapter;
  if (holds === undefined || dryRun) return undefined;
  return new ConnectionHold({
    ...{ holds, logger },
    async needing(name, atMost) {
      let count = 0;
      for (const user of servedBy(fleet, name, (resource) => pool.nameFor(resource))) {
        // The store already contains the status of the write a moment ago.
        const newest = await deploymentStore.get(keyOf(user));
        if (newest !== undefined && needsConnection(newest)) count += 1;
        if (count >= atMost) break;
      }
      return count;
    },
  });
}

/**
 * Returns a reconciler that runs the same passes and, after each of them, holds the connection if the deployment needs
 * it.
 */
function holding(
  story: DeploymentReconciler,
  { adapter, logger, pool, queues, shard }: WiredParts,
  hold: ConnectionHold | undefined,
): Reconciler {
  if (hold === undefined) return story;
  return new HoldingReconciler(story, {
    ...{ hold, logger },
    store: adapter.deploymentStore,
    connections: adapter.connectionStore,
    connectionOf: (resource) => pool.nameFor(resource),
    serves: (connection) => isServedBy(shard, connection),
    wake: (name) => queues.connections.add(name, 'user'),
  });
}

function connectionReconciler(parts: WiredParts, hold: ConnectionHold | undefined): ConnectionReconciler {
  const { adapter, pool, managed, clock, logger, metrics, operatorNamespace } = parts;
  return new ConnectionReconciler({
    store: adapter.connectionStore,
    connections: pool,
    secrets: adapter.secretReader,
    namespaces: adapter.namespaces,
    events: adapter.events,
    clock,
    logger,
    metrics,
    operatorNamespace,
    hold,
    managed: (name) => managed.forStatus(name),
  });
}

/** Opens the exchange with a service. There is no other way to the service, and every request passes the fence. */
function openExchange(settings: ConnectionSettings, parts: OperatorParts): Exchange {
  const { clock, userAgent, inCluster, fence, open } = parts;
  const { allowHosts, proxyHosts } = parts.egress;
  const rules = { refuseLoopback: inCluster, allowHosts };
  const mayLeave = fence && (() => fence.isOpen());
  const how = { clock, userAgent, rules, proxyHosts, mayLeave };
  const exchange = open?.(settings) ?? httpExchange(settings, how);
  return fence === undefined ? exchange : fencedExchange(exchange, fence);
}

function poolPart(pool: ConnectionPool): Part {
  return {
    name: 'connection pool',
    start: async () => undefined,
    stop: () => pool.stop(),
    unhealthy: () => pool.unhealthy(),
  };
}

/** The work on keys of one kind, and the workers for it. */
interface Work {
  readonly name: string;
  readonly reconciler: Reconciler;
  readonly workers: number;
  readonly lanes?: LaneRules;
  readonly readsOnly?: boolean;
}

/** Returns a queue, and workers that take keys from it. */
function workOn(
  { clock, logger, metrics, oversight }: OperatorParts,
  work: Work,
): { readonly queue: WorkQueue; readonly part: Part } {
  const { name, reconciler, workers } = work;
  const reporter: QueueReporter = metrics.queue(name, () => queue.state());
  const queue: WorkQueue = new WorkQueue({ clock, reporter, ...work.lanes });
  const controller = new Controller({
    name,
    queue,
    reconciler,
    backoff: new Backoff({ clock }),
    clock,
    logger,
    reporter,
    workers,
    ...defined({ readsOnly: work.readsOnly }),
    passed: (key, result, seconds) => {
      if (result.kind !== 'answered') metrics.reconciled(key.kind, result.kind, seconds);
      oversight?.onPass(key, result);
    },
  });
  const part = {
    name: `controller of ${name}`,
    start: async () => controller.start(),
    stop: (withinMs: number) => controller.stop(withinMs),
    unhealthy: () => controller.unhealthy(),
  };
  return { queue, part };
}

/**
 * Registers connections with the pool when the source reports them, so that no deployment misses an existing
 * connection.
 */
function connectionFeed(source: ChangeSource, queue: WorkQueue, pool: ConnectionPool): Part {
  const keysFor = (key: Key): readonly Key[] => {
    pool.expect(connectionNameOf(key));
    return [key];
  };
  return {
    name: 'source of connections',
    start: (signal) => feed({ source, queue, priority: 'user', keysFor }, signal),
  };
}

/**
 * Feeds the queue of deployments. Resources that were edited while no process ran come before unchanged ones. Records
 * the time of each edit before its pass.
 */
function deploymentFeed(
  { adapter, fleet, clock }: OperatorParts,
  queue: WorkQueue,
  sightings: Sightings,
): Part {
  const source = adapter.sources.deployments;
  const priorityAtStart = (key: Key): CallPriority => {
    const resource = fleet.get(key);
    return resource === undefined ? 'resync' : priorityOf(resource);
  };
  const keysFor = (key: Key): readonly Key[] => {
    const resource = fleet.get(key);
    if (resource !== undefined) sightings.of(resource, clock.now());
    return [key];
  };
  return {
    name: 'source of deployments',
    start: (signal) => feed({ source, queue, priority: 'user', priorityAtStart, keysFor }, signal),
  };
}
