import {
  CLUSTER_CONNECTION_KIND,
  type ClusterConnection,
  type ConnectionResource,
  type ConnectionStatus,
  type NamespacedConnection,
} from '../api/connection.ts';
import type { Key } from '../api/metadata.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { isApiError } from './errors.ts';
import type { ObjectWriter } from './object-writer.ts';

/** Connection and ClusterConnection resources in the Kubernetes API. */
export class KubernetesConnectionStore implements ConnectionStore {
  readonly #namespaced: ObjectWriter<NamespacedConnection>;
  readonly #cluster: ObjectWriter<ClusterConnection>;

  constructor(namespaced: ObjectWriter<NamespacedConnection>, cluster: ObjectWriter<ClusterConnection>) {
    this.#namespaced = namespaced;
    this.#cluster = cluster;
  }

  async get(key: Key): Promise<ConnectionResource | undefined> {
    return key.kind === CLUSTER_CONNECTION_KIND ? this.#cluster.known(key) : this.#namespaced.known(key);
  }

  async saveStatus(
    connection: ConnectionResource,
    status: ConnectionStatus,
  ): Promise<ConnectionResource | 'stale'> {
    try {
      return connection.kind === CLUSTER_CONNECTION_KIND
        ? await this.#cluster.setStatus(connection, status)
        : await this.#namespaced.setStatus(connection, status);
    } catch (error) {
      if (isApiError(error, 'conflict', 'notFound')) return 'stale';
      throw error;
    }
  }

  async isCurrent(connection: ConnectionResource): Promise<boolean> {
    try {
      await (connection.kind === CLUSTER_CONNECTION_KIND
        ? this.#cluster.confirm(connection)
        : this.#namespaced.confirm(connection));
      return true;
    } catch (error) {
      if (isApiError(error, 'conflict', 'notFound')) return false;
      throw error;
    }
  }
}
