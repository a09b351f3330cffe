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

/** How long a write that need not be durable at once waits for others to join it. */
const COALESCE_MS = 250;

/** How long a failed write waits before it is retried. */
const RETRY_MS = 5_000;

/** The size from which a state is not written whole for each change. */
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
 * Stores the state of directory mode between runs in one file, which one process at a time holds. `set` and `delete`
 * change memory at once and reach the file a moment later; `landed` waits for that. A large file has a journal of the
 * changes since it was written. The file is written whole again when the journal is as long as the file, and on close.
 */
export class StateFile {
  readonly path: string;
  readonly #lock: Lock;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #resources: Map<string, ResourceState>;
  readonly #journal: StateJournal;
  /** The keys changed since the last write, or undefined if the file must be written whole. */
  #changedKeys: Set<string> | undefined;
  /** The size of the file after its last whole write. */
  #wholeBytes = 0;
  /** True if the file was written so that a journal may continue it. */
  #isOpen: boolean;
  #keyID: string;
  #closing = false;
  #cancelTimer: (() => void) | undefined;
  /** The write that has not begun yet. It includes everything that changes before it begins. */
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
   * Locks and reads the file. A missing file is empty. Throws an ExpectedError if another process holds the file, if it
   * is damaged, or if a newer version of the program wrote it.
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

  /** The ID of the key that made the hashes; '' in a new file. */
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

  /** Resolves after all changes so far would survive a power loss. Rejects if they could not be written. */
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

  /** Writes the pending changes and releases the lock. Rejects if they could not be written. */
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
      // The journal may hold any part of this write.
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

  /** Writes the whole file. A large file is written so that a journal may continue it, except on close. */
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

/** Locks the file, and creates its folder if it is missing. */
async function lockIn(path: string, clock: Clock): Promise<Lock> {
  // A path that would be refused later is refused before anything is written beside it.
  await readTrusted(path);
  await makeStateFolder(path);
  return acquireLock(`${path}.lock`, clock);
}

/** Creates the folder of a state file if it is missing. */
export async function makeStateFolder(path: string): Promise<void> {
  const folder = dirname(path);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error: unknown) => {
    // On a read-only file system, a recursive mkdir fails with ENOENT. A single mkdir reports the real cause.
    if (errorCode(error) === 'ENOENT') await mkdir(folder, { mode: 0o700 });
    throw error;
  });
  // The folder is in a user's repository, and neither the state nor the key belongs in version control.
  if (made !== undefined) await writeFile(join(folder, '.gitignore'), '*\n');
}
