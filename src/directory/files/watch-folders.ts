import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';

/** Everything read at one time. */
export interface Reading {
  /** Changes when, and only when, something that was read changes. */
  readonly contentHash: string;
  /** Folders whose changes are worth a look at once. */
  readonly folders: readonly string[];
}

/** Folders that are read again and again, and what follows from each reading. */
export interface FolderWatch<T extends Reading> {
  readonly first: T;
  readonly read: () => Promise<T>;
  readonly onReading: (reading: T, settled: boolean) => void;
  /** Called at every reading that is not the one before it, whether or not it is passed on later. */
  readonly onUnsettled?: (reading: T) => void;
  /** Called at every reading that is what was passed on last: time has passed, and nothing else. */
  readonly onUnchanged?: (reading: T) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often everything is read again: hints of the file system can be lost, and some file systems give none. */
const POLL_MS = 5_000;

/**
 * How long nothing may change before a change counts, so that half a checkout is not taken for the whole; and how long
 * a hint waits for others, so that a busy folder is not read without end.
 */
const QUIET_MS = 300;

/** After so many changes in a row a reading is passed on although the next may differ. */
const MAX_RESTLESS_READINGS = 20;

/**
 * Reads again and again and passes on what changed, with the word whether two readings agreed; the first one too.
 * Change is judged by content, so that swapped symbolic links count and touched files do not. Runs until `signal`
 * aborts.
 */
export async function watchFolders<T extends Reading>(
  watched: FolderWatch<T>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, logger, onReading } = watched;
  const hints = new FolderHints();
  signal.addEventListener('abort', () => hints.wake(), { once: true });
  let last = watched.first;
  let passedOn: T | undefined;
  let restless = 0;
  try {
    while (!signal.aborted) {
      hints.listenTo(last.folders);
      const waiting = passedOn === last && restless === 0;
      if (waiting) await hints.orAfter(POLL_MS, clock);
      else await hints.pause(QUIET_MS, clock);
      if (signal.aborted) return;
      const reading = await watched.read().catch((error: unknown) => {
        logger.warn('the folder could not be read', {
          error: error instanceof Error ? error.message : error,
        });
        return undefined;
      });
      if (reading === undefined) continue;
      const settled = reading.contentHash === last.contentHash;
      if (!settled) watched.onUnsettled?.(reading);
      restless = settled ? 0 : restless + 1;
      last = settled ? last : reading;
      if (passedOn !== last && (settled || restless > MAX_RESTLESS_READINGS)) {
        onReading(last, settled);
        // A reading that was passed on unsettled is passed on once more when it settles.
        passedOn = settled ? last : undefined;
      } else if (passedOn === last && settled) watched.onUnchanged?.(last);
    }
  } finally {
    hints.close();
  }
}

/** Word from the file system that something may have changed. Lost hints are made up for by polling. */
class FolderHints {
  readonly #watchers = new Map<string, FSWatcher>();
  #sleep = new AbortController();
  #listening = false;
  #hinted = false;

  /** Listens to these folders and no longer to others. */
  listenTo(folders: readonly string[]): void {
    for (const [folder, watcher] of this.#watchers) {
      if (!folders.includes(folder)) this.#drop(folder, watcher);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#add(folder);
  }

  /** Resolves after `ms`, or a moment after a hint; hints given before count. */
  async orAfter(ms: number, clock: Clock): Promise<void> {
    this.#listening = true;
    if (!this.#hinted) await this.pause(ms, clock);
    this.#listening = false;
    if (!this.#hinted) return;
    await this.pause(QUIET_MS, clock);
    this.#hinted = false;
  }

  /** Resolves after `ms`, or at `wake`. */
  async pause(ms: number, clock: Clock): Promise<void> {
    this.#sleep = new AbortController();
    await clock.sleep(ms, this.#sleep.signal).catch(() => undefined);
  }

  /** Ends the pause that is under way. */
  wake(): void {
    this.#sleep.abort();
  }

  close(): void {
    for (const [folder, watcher] of this.#watchers) this.#drop(folder, watcher);
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => {
        this.#hinted = true;
        if (this.#listening) this.wake();
      });
      watcher.on('error', () => this.#drop(folder, watcher));
      this.#watchers.set(folder, watcher);
    } catch {
      // No more watches, or a file system without them: polling finds the change.
    }
  }

  #drop(folder: string, watcher: FSWatcher): void {
    this.#watchers.delete(folder);
    watcher.close();
  }
}
