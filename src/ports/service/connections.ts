import type { DeploymentResource } from '../../api/deployment.ts';
import type { ConnectionName, ConnectionSettings } from '../../model/connection/connection.ts';
import type { ConnectionTrouble } from '../../model/connection/failure.ts';
import type { Learned } from '../../model/effects/learned.ts';
import type { ObservedProvider } from '../../model/external/inventory.ts';
import type { ExternalClient } from './external-client.ts';

/** The result of a check of a connection. */
export interface ConnectionCheck {
  /** Absent during the first sweep of a long list: the service lists deployments, but their number is not known yet. */
  readonly deployments?: { readonly total: number };
  readonly providers: readonly ObservedProvider[];
  /** The lessons so far about the behaviour of the service. */
  readonly learned: Learned;
  /** The address that the check used. */
  readonly endpoint: string;
  /** A notice about a working connection, such as an offset that does not advance. */
  readonly message?: string;
  /** The service's notice about the end of an endpoint. Only in the first check after the notice. */
  readonly deprecation?: string;
}

/** Manages the connections of this process. Each has one client, one limiter and one poller. */
export interface Connections {
  /**
   * Returns the client for the connection that a resource names: `connectionRef`, else Connection "default" in its
   * namespace, else ClusterConnection "default". Waits for the first check of a new connection. Throws a FailureError
   * of kind waiting: ConnectionNotFound, ConnectionNotReady.
   */
  for(resource: DeploymentResource, signal: AbortSignal): Promise<ExternalClient>;
  /** True if `for` would return this client, whether or not its connection can be used. */
  isFor(resource: DeploymentResource, client: ExternalClient): boolean;
  /** Records that a connection exists, so that its resources wait for it instead of reporting it missing. */
  expect(name: ConnectionName): void;
  /**
   * Creates or changes a connection. Its lessons and its snapshot survive unless the address changed. `learned`
   * contains the lessons that an earlier process stored, and `shown` the reason that it reported, so that an open doubt
   * continues.
   */
  configure(settings: ConnectionSettings, learned: Learned, shown?: string): void;
  /** True if settings of a connection are known, whether current or earlier ones. */
  isConfigured(name: ConnectionName): boolean;
  /** Records that a connection exists but cannot be used, with the text that its deployments show. */
  markNotReady(name: ConnectionName, trouble: ConnectionTrouble): void;
  /** Forgets a connection. Aborts its reads; a write that was sent may finish. */
  remove(name: ConnectionName): void;
  /**
   * Ends the work of a connection and allows no more, but keeps it known. Resolves when its last exchange has ended.
   */
  close(name: ConnectionName): Promise<void>;
  /**
   * Sweeps the list once (4.3), or reads only its first page if the list is long and nothing is known yet, and reads
   * the provider inventory (4.1). After success the connection is ready. After a ConnectionError it is not, and the
   * error is thrown.
   */
  check(name: ConnectionName, signal: AbortSignal): Promise<ConnectionCheck>;
}

/** Decides which namespaces may use a ClusterConnection. */
export interface ConnectionAccess {
  /** True if the current ClusterConnection of this name selects the namespace. Never waits or throws. */
  selects(clusterConnection: string, namespace: string): boolean;
}
