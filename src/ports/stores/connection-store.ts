import type { ConnectionResource, ConnectionStatus } from '../../api/connection.ts';
import type { Key } from '../../api/metadata.ts';

/** Protects connections from removal, in stores that can do so. */
export interface ConnectionHolds {
  /**
   * Adds our finalizer to this version of the connection, or removes it. Returns 'stale' after a conflict or if the
   * connection no longer exists, and 'forbidden' if this process lacks the permission.
   */
  setHeld(connection: ConnectionResource, held: boolean): Promise<ConnectionResource | 'stale' | 'forbidden'>;
}

/** Stores connection resources. */
export interface ConnectionStore {
  get(key: Key): Promise<ConnectionResource | undefined>;
  /** Writes the status. Returns 'stale' on a conflict, since the next pass computes the status again. */
  saveStatus(connection: ConnectionResource, status: ConnectionStatus): Promise<ConnectionResource | 'stale'>;
  /** True if the given connection equals the stored one. Writes nothing. */
  isCurrent(connection: ConnectionResource): Promise<boolean>;
}
