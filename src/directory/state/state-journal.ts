import { constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { syncFolder, withFile } from '../files/replace-file.ts';
import { type JournalEntry, journalPath } from './state-content.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;

/** The changes of a state since its file was written, a line for each. One process at a time writes it. */
export class StateJournal {
  readonly #path: string;
  #sequence: number;
  #bytes = 0;

  /** `sequence` is the number of the last change that the file or an earlier journal has. */
  constructor(stateFile: string, sequence: number) {
    this.#path = journalPath(stateFile);
    this.#sequence = sequence;
  }

  /** The number of the last change. */
  get sequence(): number {
    return this.#sequence;
  }

  /** How much was appended since the file was written. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds changes; when it resolves, they survive a loss of power. A write that fails may have left the beginning of a
   * line.
   */
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

  /** Ends the journal: the file says everything now. */
  async clear(): Promise<void> {
    await rm(this.#path, { force: true });
    this.#bytes = 0;
  }
}
