import type { ConnectionResource, ConnectionStatus } from '../../api/connection.ts';
import type { Key } from '../../api/metadata.ts';

/** Holds connections back from their removal, where they live in a place that can. */
export interface ConnectionHolds {
  /**
   * Puts our mark on this version of the connection, or takes it off. 'stale' after a conflict, or where it is gone;
   * 'forbidden' where this process has no right to.
   */
  setHeld(connection: ConnectionResource, held: boolean): Promise<ConnectionResource | 'stale' | 'forbidden'>;
}

/** Where connection resources live. */
export interface ConnectionStore {
  get(key: Key): Promise<ConnectionResource | undefined>;
  /** Writes the status; a conflict answers 'stale', since the next pass computes it again. */
  saveStatus(connection: ConnectionResource, status: ConnectionStatus): Promise<ConnectionResource | 'stale'>;
  /** Whether the connection at hand is what is stored at this moment; writes nothing. */
  isCurrent(connection: ConnectionResource): Promise<boolean>;
}
