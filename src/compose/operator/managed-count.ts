import { type ConnectionName, connectionText } from '../../model/connection/connection.ts';
import { type Fleet, type NameFor, boundBy } from './fleet.ts';

/** Counts the bound resources of each connection, and notices when the count that a status shows is outdated. */
export class ManagedCount {
  readonly #fleet: Fleet;
  readonly #nameFor: NameFor;
  /** The counts that statuses show and that are not known to be outdated, by the text of the connection. */
  readonly #shown = new Map<string, number>();

  constructor(fleet: Fleet, nameFor: NameFor) {
    this.#fleet = fleet;
    this.#nameFor = nameFor;
  }

  /** Returns the number of resources that use a connection and are bound, for its status. */
  forStatus(connection: ConnectionName): number {
    const count = this.#now(connection);
    this.#shown.set(connectionText(connection), count);
    return count;
  }

  /**
   * Returns true if the status of a connection shows another number than there are now. Returns it once until the next
   * count, so that a check which fails, and therefore counts nothing, is not requested again and again.
   */
  becameOutdated(connection: ConnectionName): boolean {
    const text = connectionText(connection);
    const shown = this.#shown.get(text);
    if (shown === undefined || shown === this.#now(connection)) return false;
    this.#shown.delete(text);
    return true;
  }

  /** Forgets the count of a connection that was replaced or removed; the next check counts again. */
  forget(connection: ConnectionName): void {
    this.#shown.delete(connectionText(connection));
  }

  #now(connection: ConnectionName): number {
    return boundBy(this.#fleet, connection, this.#nameFor);
  }
}
