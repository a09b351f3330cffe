import type { DeploymentResource } from '../../api/deployment.ts';
import type { ConnectionName, ConnectionSettings } from '../../model/connection/connection.ts';
import type { ConnectionTrouble } from '../../model/connection/failure.ts';
import type { Learned } from '../../model/effects/learned.ts';
import type { ObservedProvider } from '../../model/external/inventory.ts';
import type { ExternalClient } from './external-client.ts';

/** The result of a check of a connection. */
export interface ConnectionCheck {
  /** Absent while a long list is read for the first time: that the service lists is known, how much it lists is not. */
  readonly deployments?: { readonly total: number };
  readonly providers: readonly ObservedProvider[];
  /** The verdicts so far about how the service behaves. */
  readonly learned: Learned;
  /** The address it was known of. */
  readonly endpoint: string;
  /** Something worth telling although the connection works, such as an offset that does not advance. */
  readonly message?: string;
  /** The service's notice about the end of an endpoint; only in the first check after the notice. */
  readonly deprecation?: string;
}

/** The connections of this process: one client, one limiter and one poller each. */
export interface Connections {
  /**
   * The client for the connection that a resource names: `connectionRef`, else Connection "default" beside it, else
   * ClusterConnection "default". Waits for the first check of a connection that was only just seen. Throws a
   * FailureError of kind waiting: ConnectionNotFound, ConnectionNotReady.
   */
  for(resource: DeploymentResource, signal: AbortSignal): Promise<ExternalClient>;
  /** True while `for` would choose this client, whether or not its connection can be used. */
  isFor(resource: DeploymentResource, client: ExternalClient): boolean;
  /** Says that a connection exists, so that its resources wait for it instead of missing it. */
  expect(name: ConnectionName): void;
  /**
   * Makes or changes a connection; what it learned and its snapshot survive unless the address changed. `learned` is
   * what an earlier process wrote down, and `shown` the reason that it gave: a doubt goes on where it stood.
   */
  configure(settings: ConnectionSettings, learned: Learned, shown?: string): void;
  /** True where settings of a connection are at hand, of now or of before. */
  isConfigured(name: ConnectionName): boolean;
  /** Says that a connection exists and cannot be used, with the text its deployments should show. */
  markNotReady(name: ConnectionName, trouble: ConnectionTrouble): void;
  /** Forgets a connection; reads are aborted, a write under way may end. */
  remove(name: ConnectionName): void;
  /** Ends what a connection does and lets nothing begin; it stays known. Resolves when its last exchange has ended. */
  close(name: ConnectionName): Promise<void>;
  /**
   * One list sweep (4.3), the first page of it where it is long and nothing is known yet, and the provider inventory
   * (4.1); on success the connection is ready, on a
   * ConnectionError, which is thrown on, it is not.
   */
  check(name: ConnectionName, signal: AbortSignal): Promise<ConnectionCheck>;
}

/** Who may use a ClusterConnection. */
export interface ConnectionAccess {
  /** True when the ClusterConnection of this name, as it stands now, selects the namespace. Never waits or throws. */
  selects(clusterConnection: string, namespace: string): boolean;
}
