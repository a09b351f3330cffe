import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ExpectedError } from '../../base/expected-error.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';
import { replaceFile } from '../files/replace-file.ts';
import { errorCode } from '../files/file-tree.ts';
import { readState, type ResourceState, stateText, type StoredState } from './state-content.ts';
import { StateJournal } from './state-journal.ts';
import { acquireLock, type Lock } from './acquire-lock.ts';
import { readTrusted } from './read-trusted.ts';
import { cannotKeepState, writeTrouble } from '../files/write-trouble.ts';

/** How long writes that may be lost wait for others to go with them. */
const COALESCE_MS = 250;

/** How long a write that failed waits before it is tried again. */
const RETRY_MS = 5_000;

/** A state of so many bytes is not written whole for each change. */
const LARGE_BYTES = 64 * 1024;

/** A state file that this process has locked and read. */
interface OpenedState {
  readonly path: string;
  readonly lock: Lock;
  readonly content: StoredState;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The memory of directory mode between runs, in one file. One process at a time holds it. `set` and `delete` act at
 * once in memory and reach the file a moment later; `landed` waits until they have. Beside a large file a journal has
 * what changed since the file was written, until it is as long as the file, or the file is closed.
 */
export class StateFile {
  readonly path: string;
  readonly #lock: Lock;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #resources: Map<string, ResourceState>;
  readonly #journal: StateJournal;
  /** The changes since the last write; undefined where the file has to be written whole. */
  #changedKeys: Set<string> | undefined;
  /** The size of the file as it was written last. */
  #wholeBytes = 0;
  /** The file was written so that a journal may follow it. */
  #isOpen: boolean;
  #keyID: string;
  #closing = false;
  #cancelTimer: (() => void) | undefined;
  /** The write that has not begun yet: everything that changed before it begins goes with it. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  private constructor({ path, lock, content, clock, logger }: OpenedState) {
    this.path = path;
    this.#lock = lock;
    this.#clock = clock;
    this.#logger = logger;
    this.#resources = content.resources;
    this.#keyID = content.keyID;
    this.#journal = new StateJournal(path, content.sequence);
    this.#isOpen = content.isOpen;
  }

  /**
   * Locks and reads the file; one that does not exist is empty. Throws an ExpectedError when another process holds it,
   * when it is damaged, or when a newer version of the program wrote it.
   */
  static async open(path: string, clock: Clock, logger: Logger): Promise<StateFile> {
    const lock = await lockIn(path, clock).catch((error: unknown) => {
      throw cannotKeepState(path, error);
    });
    try {
      return new StateFile({ path, lock, content: await readState(path), clock, logger });
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Which key made the hashes; '' in a new file. */
  get keyID(): string {
    return this.#keyID;
  }

  set keyID(keyID: string) {
    if (keyID === this.#keyID) return;
    this.#keyID = keyID;
    this.#changedKeys = undefined;
    this.#changed();
  }

  get(key: string): ResourceState | undefined {
    return this.#resources.get(key);
  }

  entries(): readonly (readonly [string, ResourceState])[] {
    return [...this.#resources];
  }

  set(key: string, state: ResourceState): void {
    this.#resources.set(key, state);
    this.#changedKeys?.add(key);
    this.#changed();
  }

  delete(key: string): void {
    if (!this.#resources.delete(key)) return;
    this.#changedKeys?.add(key);
    this.#changed();
  }

  /** Resolves when everything set so far would survive a loss of power; rejects when it could not be written. */
  landed(): Promise<void> {
    this.#next ??= this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#write();
      });
    this.#last = this.#next;
    return this.#next;
  }

  /** Writes what is left and gives the lock back. Rejects when it could not be written. */
  async close(): Promise<void> {
    this.#closing = true;
    try {
      await this.#last.catch(() => undefined);
      if (this.#isOpen) this.#changedKeys = undefined;
      if (this.#cancelTimer !== undefined || this.#isOpen) await this.landed();
    } finally {
      this.#cancelTimer?.();
      await this.#lock.release();
    }
  }

  #changed(afterMs = COALESCE_MS): void {
    this.#cancelTimer ??= this.#clock.after(afterMs, () => {
      this.landed().catch((error: unknown) => {
        this.#logger.error('the state file could not be written', {
          file: this.path,
          error: error instanceof ExpectedError ? error.message : writeTrouble(error),
        });
      });
    });
  }

  async #write(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    try {
      if (!(await this.#lock.isHeld())) {
        throw new ExpectedError(`${this.path}: another process took this state over; stop one of the two`);
      }
      const changed = this.#changedKeys;
      this.#changedKeys = new Set();
      const isShort = this.#journal.bytes < this.#wholeBytes;
      if (changed !== undefined && this.#wholeBytes >= LARGE_BYTES && isShort) await this.#append(changed);
      else await this.#replace();
    } catch (error) {
      // How much of this write the journal holds is not known.
      this.#changedKeys = undefined;
      this.#changed(RETRY_MS);
      throw error;
    }
  }

  #append(changed: ReadonlySet<string>): Promise<void> {
    return this.#journal.append(
      [...changed].map((key) => ({ key, state: this.#resources.get(key) ?? null })),
    );
  }

  /** A large file is written so that a journal may follow it; when it is closed, none does. */
  async #replace(): Promise<void> {
    const content = { keyID: this.#keyID, resources: this.#resources };
    const whole = stateText(content);
    const isOpen = whole.length >= LARGE_BYTES && !this.#closing;
    await replaceFile(this.path, isOpen ? stateText(content, this.#journal.sequence) : whole);
    this.#isOpen = isOpen;
    this.#wholeBytes = whole.length;
    await this.#journal.clear();
  }
}

/** Locks the file, in a folder that is made where there is none. */
async function lockIn(path: string, clock: Clock): Promise<Lock> {
  // A path that would be refused later is refused before anything is written beside it.
  await readTrusted(path);
  await makeStateFolder(path);
  return acquireLock(`${path}.lock`, clock);
}

/** Makes the folder of a state file where there is none. */
export async function makeStateFolder(path: string): Promise<void> {
  const folder = dirname(path);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error: unknown) => {
    // Of a read-only file system it says that there is no such folder; a single step says why.
    if (errorCode(error) === 'ENOENT') await mkdir(folder, { mode: 0o700 });
    throw error;
  });
  // A folder of ours in somebody's repository: neither state nor key belong into version control.
  if (made !== undefined) await writeFile(join(folder, '.gitignore'), '*\n');
}
