import { type ConnectionResource, isHeld } from '../../api/connection.ts';
import { type ConnectionName, connectionText } from '../../model/connection/connection.ts';
import type { ConnectionHolds } from '../../ports/stores/connection-store.ts';
import type { Logger } from '../../ports/process/logger.ts';

/** The parts that hold connections. */
export interface ConnectionHoldParts {
  readonly holds: ConnectionHolds;
  /** Counts the deployment resources that need a connection for their deletion, up to `atMost`. */
  readonly needing: (name: ConnectionName, atMost: number) => Promise<number>;
  readonly logger: Logger;
}

/**
 * A connection after the check of who needs it; `needing` is the number of those resources if its deletion was
 * requested.
 */
export interface Held {
  readonly connection: ConnectionResource;
  readonly needing: number;
}

/** Keeps a finalizer on each connection that resources need for their deletion, and on no other (R17). */
export class ConnectionHold {
  readonly #parts: ConnectionHoldParts;

  constructor(parts: ConnectionHoldParts) {
    this.#parts = parts;
  }

  /** Adds or removes the finalizer if necessary. Returns 'gone' if nothing holds the connection any more. */
  async settle(connection: ConnectionResource, name: ConnectionName): Promise<Held | 'stale' | 'gone'> {
    const { holds, needing: count, logger } = this.#parts;
    const { deletionTimestamp } = connection.metadata;
    const isDeleting = deletionTimestamp !== undefined;
    const needing = await count(name, isDeleting ? Number.POSITIVE_INFINITY : 1);
    const held = isHeld(connection);
    // An API server accepts no new finalizer once the deletion was requested.
    if (held === needing > 0 || (!held && isDeleting)) return { connection, needing };
    const written = await holds.setHeld(connection, !held);
    if (written === 'stale') return 'stale';
    if (written === 'forbidden') {
      const message =
        'a connection cannot be held for its users: the role of the controller lacks "patch" on it';
      logger.warn(message, { connection: connectionText(name) });
      return { connection, needing };
    }
    logger.debug(held ? 'a connection is not held any more' : 'a connection is held for its users', {
      connection: connectionText(name),
    });
    const gone = isDeleting && (written.metadata.finalizers ?? []).length === 0;
    return gone ? 'gone' : { connection: written, needing };
  }
}
