import { existsSync, openSync, readFileSync, writevSync } from 'node:fs';
import { join } from 'node:path';

/** An input and its origin; '' for a random one. */
export interface Noted {
  readonly from: string;
  readonly input: Uint8Array;
}

/** Keeps the current input in a file, which still exists if the reader ends the whole process. */
export class BlackBox {
  readonly #file: number;

  constructor(folder: string) {
    this.#file = openSync(join(folder, NAME), 'w');
  }

  /** Records the next input. */
  note({ from, input }: Noted): void {
    const name = Buffer.from(from);
    const lengths = Buffer.alloc(LENGTHS);
    lengths.writeUInt32LE(name.length);
    lengths.writeUInt32LE(input.length, LENGTHS / 2);
    writevSync(this.#file, [lengths, name, input], 0);
  }
}

/** Returns the last recorded input of a folder; undefined without one. */
export function lastNoted(folder: string): Noted | undefined {
  const path = join(folder, NAME);
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.of();
  if (bytes.length < LENGTHS) return undefined;
  const beginning = LENGTHS + bytes.readUInt32LE();
  return {
    from: bytes.toString('utf8', LENGTHS, beginning),
    input: bytes.subarray(beginning, beginning + bytes.readUInt32LE(LENGTHS / 2)),
  };
}

const NAME = 'black-box';

/** The size of both lengths in bytes. A shorter input leaves the end of a longer one after it. */
const LENGTHS = 8;
