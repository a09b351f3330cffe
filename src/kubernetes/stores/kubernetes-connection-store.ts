import {
  CLUSTER_CONNECTION_KIND,
  type ClusterConnection,
  finalizersOf,
  type ConnectionResource,
  type ConnectionStatus,
  type NamespacedConnection,
} from '../../api/connection.ts';
import type { Key } from '../../api/metadata.ts';
import type { ConnectionHolds, ConnectionStore } from '../../ports/stores/connection-store.ts';
import { isApiError } from '../client/api-error.ts';
import type { ObjectWriter } from './object-writer.ts';

/** Stores Connection and ClusterConnection resources in the Kubernetes API. A finalizer holds a connection back. */
export class KubernetesConnectionStore implements ConnectionStore, ConnectionHolds {
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

  async setHeld(
    connection: ConnectionResource,
    held: boolean,
  ): Promise<ConnectionResource | 'stale' | 'forbidden'> {
    const finalizers = finalizersOf(connection, held);
    try {
      return connection.kind === CLUSTER_CONNECTION_KIND
        ? await setFinalizers(this.#cluster, connection, finalizers)
        : await setFinalizers(this.#namespaced, connection, finalizers);
    } catch (error) {
      if (isApiError(error, 'conflict', 'notFound')) return 'stale';
      if (isApiError(error, 'forbidden')) return 'forbidden';
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

async function setFinalizers<T extends ConnectionResource>(
  writer: ObjectWriter<T>,
  connection: T,
  finalizers: readonly string[],
): Promise<T> {
  const written = await writer.setFinalizers(connection, finalizers);
  // The answer to the removal of the last finalizer shows the object although it is already gone.
  if (written.metadata.deletionTimestamp !== undefined && finalizers.length === 0) writer.forget(written);
  return written;
}
