import { type Key, keyText } from '../../../src/api/metadata.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { StoreWrite } from './store-write.ts';

/** The writes of a trouble; an omitted part matches everything. */
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

/** Troubles of an API server with writes: it takes long, and refuses them because another client wrote first. */
export class StoreTroubles {
  readonly #clock: Clock;
  readonly #delays: Trouble[] = [];
  readonly #conflicts: Trouble[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The writes to come take so long before they land. */
  slow(seconds: number, writes: TroubledWrites = {}): void {
    this.#delays.push({ writes, delayMs: seconds * 1000, met: 0 });
  }

  /** Makes the next tries meet a version that another writer wrote. */
  conflict(writes: TroubledWrites = {}): void {
    this.#conflicts.push({ writes, delayMs: 0, met: 0 });
  }

  /** Drops everything that waits for a write. */
  clear(): void {
    this.#delays.length = 0;
    this.#conflicts.length = 0;
  }

  /** Resolves when a write may land, as far as time goes. */
  async waited(write: StoreWrite): Promise<void> {
    const trouble = due(this.#delays, write);
    if (trouble !== undefined) await this.#clock.sleep(trouble.delayMs);
  }

  /** Returns whether another writer writes right before this try. */
  meetsConflict(write: StoreWrite): boolean {
    return due(this.#conflicts, write) !== undefined;
  }
}

/** The first trouble that waits for this write; one that is used up leaves. */
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
