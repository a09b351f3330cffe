import { type Key, keyText } from '../../../src/api/metadata.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { StoreWrite } from './store-write.ts';

/** The writes that a fault affects; an omitted part matches everything. */
export interface TroubledWrites {
  readonly operation?: StoreWrite['operation'];
  readonly key?: Key;
  /** The number of affected writes. Default: 1; 0 means all. */
  readonly times?: number;
}

interface Trouble {
  readonly writes: TroubledWrites;
  readonly delayMs: number;
  met: number;
}

/** Faults of an API server with writes: it is slow, and refuses writes because another client wrote first. */
export class StoreTroubles {
  readonly #clock: Clock;
  readonly #delays: Trouble[] = [];
  readonly #conflicts: Trouble[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Delays the next writes by this time before they land. */
  slow(seconds: number, writes: TroubledWrites = {}): void {
    this.#delays.push({ writes, delayMs: seconds * 1000, met: 0 });
  }

  /** Lets the next tries meet a version of another writer. */
  conflict(writes: TroubledWrites = {}): void {
    this.#conflicts.push({ writes, delayMs: 0, met: 0 });
  }

  /** Drops all faults that wait for a write. */
  clear(): void {
    this.#delays.length = 0;
    this.#conflicts.length = 0;
  }

  /** Resolves when a write may land, after its delay. */
  async waited(write: StoreWrite): Promise<void> {
    const trouble = due(this.#delays, write);
    if (trouble !== undefined) await this.#clock.sleep(trouble.delayMs);
  }

  /** True if another writer writes right before this try. */
  meetsConflict(write: StoreWrite): boolean {
    return due(this.#conflicts, write) !== undefined;
  }
}

/** Returns the first fault that waits for this write. Removes it if it was used up. */
function due(troubles: Trouble[], write: StoreWrite): Trouble | undefined {
  const found = troubles.find(({ writes }) => concerns(writes, write));
  if (found === undefined) return undefined;
  found.met += 1;
  if (found.met === (found.writes.times ?? 1)) troubles.splice(troubles.indexOf(found), 1);
  return found;
}

function concerns({ operation, key }: TroubledWrites, write: StoreWrite): boolean {
  return (
    (operation === undefined || operation === write.operation) &&
    (key === undefined || keyText(key) === keyText(write.key))
  );
}
