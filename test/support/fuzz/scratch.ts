import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One folder for all inputs of a target that reads files: one for each input would take most of the time. */
export class Scratch {
  #folder: string | undefined;

  /** Writes an input under a name; answers its path. */
  write(name: string, input: Uint8Array): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'dms-operator-fuzz-'));
    const path = join(this.#folder, name);
    writeFileSync(path, input);
    return path;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }
}
