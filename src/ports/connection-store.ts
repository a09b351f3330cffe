import type { ConnectionResource, ConnectionStatus } from '../api/connection.ts';
import type { Key } from '../api/metadata.ts';

/** Where connection resources live. */
export interface ConnectionStore {
  get(key: Key): Promise<ConnectionResource | undefined>;
  /** Writes the status; a conflict answers 'stale', since the next pass computes it again. */
  saveStatus(connection: ConnectionResource, status: ConnectionStatus): Promise<ConnectionResource | 'stale'>;
  /** Whether the connection at hand is what is stored at this moment; writes nothing. */
  isCurrent(connection: ConnectionResource): Promise<boolean>;
}
