import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * One folder for all inputs of a target that reads files, since a folder for each input would take most of the time. It
 * is removed with the process's folder for temporary files.
 */
export class Scratch {
  #folder: string | undefined;

  /** Writes an input under a name and returns its path. */
  write(name: string, input: Uint8Array): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'fuzz-'));
    const path = join(this.#folder, name);
    writeFileSync(path, input);
    return path;
  }
}
