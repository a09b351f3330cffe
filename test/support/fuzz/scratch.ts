import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * One folder for all inputs of a target that reads files: one for each input would take most of the time. It goes with
 * the folder for temporary files that the process was given.
 */
export class Scratch {
  #folder: string | undefined;

  /** Writes an input under a name; answers its path. */
  write(name: string, input: Uint8Array): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'fuzz-'));
    const path = join(this.#folder, name);
    writeFileSync(path, input);
    return path;
  }
}
