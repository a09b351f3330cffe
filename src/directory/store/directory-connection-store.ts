import type { ConnectionResource, ConnectionStatus } from '../../api/connection.ts';
import { type Key, keyOf } from '../../api/metadata.ts';
import { readinessText } from '../../model/status/connection-status.ts';
import type { ConnectionStore } from '../../ports/stores/connection-store.ts';
import type { DirectoryObjects } from './directory-objects.ts';

/** Stores the connections of a folder. Their status is in the state file. */
export class DirectoryConnectionStore implements ConnectionStore {
  readonly #objects: DirectoryObjects;

  constructor(objects: DirectoryObjects) {
    this.#objects = objects;
  }

  async get(key: Key): Promise<ConnectionResource | undefined> {
    return this.#objects.connection(key);
  }

  async saveStatus(
    connection: ConnectionResource,
    status: ConnectionStatus,
  ): Promise<ConnectionResource | 'stale'> {
    const key = keyOf(connection);
    const current = this.#objects.connection(key);
    if (current === undefined || !(await this.isCurrent(connection))) return 'stale';
    await this.#objects.writeStatus(key, status, false);
    if (readinessText(current.status) !== readinessText(status)) this.#objects.tell(key, 'readiness');
    return this.#objects.connection(key) ?? 'stale';
  }

  async isCurrent(connection: ConnectionResource): Promise<boolean> {
    const current = this.#objects.connection(keyOf(connection))?.metadata;
    const { uid, resourceVersion } = connection.metadata;
    return current?.uid === uid && current?.resourceVersion === resourceVersion;
  }
}
