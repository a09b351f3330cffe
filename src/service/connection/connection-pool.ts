import type { DeploymentResource } from '../../api/deployment.ts';
import {
  type ConnectionName,
  connectionNameOf,
  type ConnectionSettings,
  connectionText,
  type ProxySettings,
} from '../../model/connection/connection.ts';
import type { Expected } from '../../model/external/doubt.ts';
import { type ConnectionTrouble, FailureError } from '../../model/connection/failure.ts';
import { connectionReferences } from '../../model/connection/data-references.ts';
import type { Learned } from '../../model/effects/learned.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ConnectionAccess, ConnectionCheck, Connections } from '../../ports/service/connections.ts';
import type { CallPriority, ExternalClient, News } from '../../ports/service/external-client.ts';
import type { Logger } from '../../ports/process/logger.ts';
import type { ConnectionMetrics, Metrics } from '../../ports/process/metrics.ts';
import type { Exchange } from '../http/exchange.ts';
import { PooledConnection } from './pooled-connection.ts';
import { type SharedMemory, sharedMemory } from '../calls/shared-memory.ts';
import type { SnapshotChange, Wanted } from '../list/snapshot.ts';

/** The parts of a pool. */
export interface ConnectionPoolOptions {
  readonly clock: Clock;
  readonly metrics: Metrics & ConnectionMetrics;
  readonly logger: Logger;
  readonly access: ConnectionAccess;
  /** Opens the exchange of a connection. */
  readonly open: (settings: ConnectionSettings) => Exchange;
  /** The proxy of connections that name none; absent: the operator reaches them directly. */
  readonly environmentProxy?: ProxySettings | undefined;
  /** Called when deployments at the service are shown differently than before. */
  readonly onServiceChange: (connection: ConnectionName, change: SnapshotChange) => void;
  /** Called when a connection was replaced or removed: the statuses of its resources may be outdated. */
  readonly onConnectionChange: (connection: ConnectionName) => void;
  /** Called when a connection met trouble by itself and needs a check. */
  readonly onTrouble: (connection: ConnectionName) => void;
  /** Returns the deployments to which resources are bound through a connection. */
  readonly expected: (connection: ConnectionName) => readonly Expected[];
  /** Returns the deployments that resources look for through a connection. */
  readonly wanted: (connection: ConnectionName) => Wanted;
  /**
   * Returns the deployments whose resources next wait for a pass of this urgency through a connection, at most `most`.
   */
  readonly upNext?: (connection: ConnectionName, priority: CallPriority, most: number) => readonly string[];
  /**
   * The longest time, in milliseconds, that a check waits for the service, whatever the request timeout of its
   * connection (H59); absent: until the read ends.
   */
  readonly checkLimitMs?: number | undefined;
  /** The largest size of the heap. */
  readonly heapBytes: number;
  /** Called when a sweep over the list of a connection has ended well. */
  readonly onSwept?: ((connection: ConnectionName) => void) | undefined;
  /** Called when the operator learned something about the service of a connection. */
  readonly onLearned: (connection: ConnectionName, news: News) => void;
}

/**
 * Reports a connection that exists and cannot be used. The message is short, since deployments show it beside the
 * connection.
 */
export class ConnectionNotReadyError extends FailureError {
  readonly connection: ConnectionName;
  readonly trouble: ConnectionTrouble;

  constructor(connection: ConnectionName, trouble: ConnectionTrouble, pollMs?: number) {
    const message = `${connection.kind} ${connection.name} cannot be used: ${shownTo(connection, trouble)}`;
    super(message, { kind: 'waiting', reason: 'ConnectionNotReady', sent: 'no', pollMs });
    this.connection = connection;
    this.trouble = trouble;
  }
}

/**
 * Returns the text for Deployments. Teams share a ClusterConnection, whose message may name things of its
 * administrator, so the Deployments show only the reason.
 */
function shownTo({ kind }: ConnectionName, { reason, message }: ConnectionTrouble): string {
  return kind === 'ClusterConnection' ? `${reason}; its status says more` : `${reason}: ${message}`;
}

/** The connections of this process: one client, one limiter and one poller each. */
export class ConnectionPool implements Connections {
  readonly #options: ConnectionPoolOptions;
  readonly #connections = new Map<string, PooledConnection>();
  readonly #shared: SharedMemory;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#shared = sharedMemory(options.heapBytes, options.clock);
  }

  async for(resource: DeploymentResource, signal: AbortSignal): Promise<ExternalClient> {
    const connection = this.#find(resource);
    if (connection === undefined) throw this.#notFound(resource);
    const verdict = await connection.verdictFor(resource, signal);
    // The connection may have been withdrawn from this namespace during the wait for its first check.
    if (!this.#serves(connection.name, resource)) throw this.#notFound(resource);
    if (verdict.ready) return connection.client;
    const pollMs = connection.isConfigured ? connection.client.settings.poll.intervalMs : undefined;
    throw new ConnectionNotReadyError(connection.name, verdict.trouble, pollMs);
  }

  isFor(resource: DeploymentResource, client: ExternalClient): boolean {
    return this.#find(resource)?.client === client;
  }

  /**
   * Returns a connection by its name, for a caller that only looks. Waits for its first check. Throws a FailureError
   * of kind waiting: ConnectionNotFound, ConnectionNotReady.
   */
  async at(name: ConnectionName, signal: AbortSignal): Promise<PooledConnection> {
    const connection = this.#connections.get(connectionText(name));
    if (connection === undefined) throw notFound(`there is no ${name.kind} ${name.name}`);
    const verdict = await connection.verdict(signal);
    if (verdict.ready) return connection;
    throw new ConnectionNotReadyError(name, verdict.trouble);
  }

  expect(name: ConnectionName): void {
    const text = connectionText(name);
    if (this.#connections.has(text)) return;
    const { clock, metrics, logger, open, checkLimitMs } = this.#options;
    const { onServiceChange, onTrouble, onSwept, onLearned, expected, wanted, upNext } = this.#options;
    const connection = new PooledConnection(name, {
      ...{ clock, metrics, logger, open, checkLimitMs, shared: this.#shared },
      onServiceChange: (change) => onServiceChange(name, change),
      onTrouble: () => onTrouble(name),
      onSwept: () => onSwept?.(name),
      onLearned: (news) => onLearned(name, news),
      expected: () => expected(name),
      wanted: () => wanted(name),
      upNext: (priority, most) => upNext?.(name, priority, most) ?? [],
    });
    this.#connections.set(text, connection);
    metrics.connectionSeen(text, () => connection.state);
  }

  configure(declared: ConnectionSettings, learned: Learned, shown?: string): void {
    const { name } = declared;
    this.expect(name);
    const { environmentProxy } = this.#options;
    const settings = environmentProxy === undefined ? declared : { proxy: environmentProxy, ...declared };
    const replaced = this.#connections.get(connectionText(name))?.configure(settings, learned, shown);
    if (replaced === true) this.#options.onConnectionChange(name);
  }

  isConfigured(name: ConnectionName): boolean {
    return this.#connections.get(connectionText(name))?.isConfigured ?? false;
  }

  markNotReady(name: ConnectionName, trouble: ConnectionTrouble): void {
    this.#connections.get(connectionText(name))?.markNotReady(trouble);
  }

  remove(name: ConnectionName): void {
    const text = connectionText(name);
    const connection = this.#connections.get(text);
    if (connection === undefined) return;
    this.#connections.delete(text);
    this.#options.metrics.connectionGone(text);
    // The last write continues, and nothing here waits for it; its own caller sees its outcome.
    connection.close().catch(() => undefined);
    this.#options.onConnectionChange(name);
  }

  async close(name: ConnectionName): Promise<void> {
    await this.#connections.get(connectionText(name))?.close();
  }

  async check(name: ConnectionName, signal: AbortSignal): Promise<ConnectionCheck> {
    const connection = this.#connections.get(connectionText(name));
    if (connection === undefined) throw new Error(`${connectionText(name)} was not configured`);
    return connection.check(signal);
  }

  /** Returns the connection that a resource uses, if it is known. */
  nameFor(resource: DeploymentResource): ConnectionName | undefined {
    return this.#find(resource)?.name;
  }

  /** Returns the address at which a resource looks for its deployment, if it is known. */
  addressFor(resource: DeploymentResource): string | undefined {
    const found = this.#find(resource);
    return found?.isConfigured === true ? found.client.settings.baseURL : undefined;
  }

  /** Returns how many exchanges a connection may have at once; `text` is its key. */
  concurrencyOf(text: string): number {
    return this.#connections.get(text)?.concurrency ?? 1;
  }

  /**
   * Returns a fault in the sweeps of a connection that only a restart of the process can fix; undefined without one.
   */
  unhealthy(): string | undefined {
    for (const [text, connection] of this.#connections) {
      const complaint = connection.unhealthy();
      if (complaint !== undefined) return `${text}: ${complaint}`;
    }
    return undefined;
  }

  /** Ends every connection. */
  async stop(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
    this.#connections.clear();
  }

  #find(resource: DeploymentResource): PooledConnection | undefined {
    for (const reference of connectionReferences(resource)) {
      const found = this.#connections.get(connectionText(connectionNameOf(reference)));
      if (found !== undefined && this.#serves(found.name, resource)) return found;
    }
    return undefined;
  }

  /**
   * True if a resource may use a connection: a Connection serves its own namespace, a ClusterConnection the namespaces
   * that it selects.
   */
  #serves({ kind, name }: ConnectionName, { metadata }: DeploymentResource): boolean {
    return kind === 'Connection' || this.#options.access.selects(name, metadata.namespace ?? '');
  }

  #notFound(resource: DeploymentResource): FailureError {
    const why = connectionReferences(resource).map((reference) => {
      const called = `${reference.kind} ${reference.name}`;
      return this.#connections.has(connectionText(connectionNameOf(reference)))
        ? `${called} does not select namespace ${resource.metadata.namespace ?? ''}`
        : `there is no ${called}`;
    });
    return notFound(why.join(' and '));
  }
}

function notFound(message: string): FailureError {
  return new FailureError(message, { kind: 'waiting', reason: 'ConnectionNotFound', sent: 'no' });
}
