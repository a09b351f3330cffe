import { finalizersOf, type ConnectionResource, type ConnectionStatus } from '../../../src/api/connection.ts';
import { type Key, keyOf } from '../../../src/api/metadata.ts';
import type { ChangeSource } from '../../../src/ports/stores/change-source.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { ConnectionHolds, ConnectionStore } from '../../../src/ports/stores/connection-store.ts';
import { noteTold } from '../leaks/told.ts';
import { MemoryObjects } from './memory-objects.ts';

/** Connections and cluster connections in memory. `apply` and `remove` are actions of users. */
export class MemoryConnectionStore implements ConnectionStore, ConnectionHolds, ChangeSource {
  readonly #objects: MemoryObjects<ConnectionResource>;
  #statusWrites = 0;

  constructor(clock: Clock) {
    this.#objects = new MemoryObjects(clock);
  }

  /** Creates the connection or replaces its spec, labels and annotations. */
  apply(connection: ConnectionResource): ConnectionResource {
    return this.#objects.apply(connection);
  }

  /** Changes a connection as a user would: spec, labels, annotations, finalizers. */
  edit(key: Key, change: (connection: ConnectionResource) => ConnectionResource): void {
    this.#objects.edit(key, change);
  }

  /** Deletes the connection, or marks it as being deleted while finalizers hold it. */
  remove(key: Key): void {
    this.#objects.remove(key);
  }

  /** Returns the current connection, without a wait. */
  peek(key: Key): ConnectionResource | undefined {
    return this.#objects.get(key);
  }

  /** Every connection. */
  list(): readonly ConnectionResource[] {
    return this.#objects.list();
  }

  /** The number of status writes that took effect. */
  get statusWrites(): number {
    return this.#statusWrites;
  }

  async start(onChange: (key: Key) => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const stop = this.#objects.watch(onChange);
    signal.addEventListener('abort', stop, { once: true });
    for (const connection of this.#objects.list()) onChange(keyOf(connection));
  }

  async get(key: Key): Promise<ConnectionResource | undefined> {
    return this.#objects.get(key);
  }

  async saveStatus(
    connection: ConnectionResource,
    status: ConnectionStatus,
  ): Promise<ConnectionResource | 'stale'> {
    noteTold('a status', status);
    if (!(await this.isCurrent(connection))) return 'stale';
    this.#statusWrites += 1;
    return this.#objects.setStatus(keyOf(connection), status) ?? 'stale';
  }

  async setHeld(connection: ConnectionResource, held: boolean): Promise<ConnectionResource | 'stale'> {
    if (!(await this.isCurrent(connection))) return 'stale';
    return this.#objects.edit(keyOf(connection), (current) => ({
      ...current,
      metadata: { ...current.metadata, finalizers: finalizersOf(current, held) },
    }));
  }

  async isCurrent(connection: ConnectionResource): Promise<boolean> {
    const current = this.#objects.get(keyOf(connection))?.metadata;
    const { uid, resourceVersion } = connection.metadata;
    return current?.uid === uid && current?.resourceVersion === resourceVersion;
  }
}
