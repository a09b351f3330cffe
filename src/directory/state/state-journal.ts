import { constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { syncFolder, withFile } from '../files/replace-file.ts';
import { type JournalEntry, journalPath } from './state-content.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/** Appends the changes since the state file was written, one per line. One process at a time writes it. */
export class StateJournal {
  readonly #path: string;
  #sequence: number;
  #bytes = 0;

  /** `sequence` is the number of the last change in the file or an earlier journal. */
  constructor(stateFile: string, sequence: number) {
    this.#path = journalPath(stateFile);
    this.#sequence = sequence;
  }

  /** The number of the last change. */
  get sequence(): number {
    return this.#sequence;
  }

  /** The number of characters appended since the file was written. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends changes. When it resolves, they survive a power loss. A failed write may leave the beginning of a line. */
  async append(changes: readonly Omit<JournalEntry, 'sequence'>[]): Promise<void> {
    const lines = changes.map((change) => {
      this.#sequence += 1;
      return `${JSON.stringify({ sequence: this.#sequence, ...change })}\n`;
    });
    const text = lines.join('');
    const isNew = this.#bytes === 0;
    this.#bytes += text.length;
    await withFile(this.#path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, async (file) => {
      await file.writeFile(text);
      await file.sync();
    });
    if (isNew) await syncFolder(this.#path);
  }

  /** Removes the journal, because the file now contains every change. */
  async clear(): Promise<void> {
    await rm(this.#path, { force: true });
    this.#bytes = 0;
  }
}
