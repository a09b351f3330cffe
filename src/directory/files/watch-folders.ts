import { type FSWatcher, watch } from 'node:fs';
import type { Clock } from '../../ports/process/clock.ts';
import type { Logger } from '../../ports/process/logger.ts';

/** The result of one reading. */
export interface Reading {
  /** Changes if and only if something that was read changes. */
  readonly contentHash: string;
  /** Folders to watch for hints of a change. */
  readonly folders: readonly string[];
}

/** Folders to read repeatedly, and the callbacks for each reading. */
export interface FolderWatch<T extends Reading> {
  readonly first: T;
  readonly read: () => Promise<T>;
  readonly onReading: (reading: T, settled: boolean) => void;
  /** Called for every reading that differs from the previous one, whether or not it is passed on later. */
  readonly onUnsettled?: (reading: T) => void;
  /** Called for every reading that equals the last one passed on: only time has passed. */
  readonly onUnchanged?: (reading: T) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often everything is read again. Hints of the file system can be lost, and some file systems give none. */
const POLL_MS = 5_000;

/**
 * The time without changes before a change counts, so that half a checkout is not taken for the whole. A hint waits the
 * same time for others, so that a busy folder is not read in a tight loop.
 */
const QUIET_MS = 300;

/** After this many changes in a row, a reading is passed on although the next may differ. */
const MAX_RESTLESS_READINGS = 20;

/**
 * Reads repeatedly and passes on the first reading and every change, with a flag that says whether two readings agreed.
 * Compares content, so that a swapped symbolic link counts and a touched file does not. Runs until `signal` aborts.
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
        // A reading that was passed on unsettled is passed on again when it settles.
        passedOn = settled ? last : undefined;
      } else if (passedOn === last && settled) watched.onUnchanged?.(last);
    }
  } finally {
    hints.close();
  }
}

/** Hints of the file system that something may have changed. Polling makes up for lost hints. */
class FolderHints {
  readonly #watchers = new Map<string, FSWatcher>();
  #sleep = new AbortController();
  #listening = false;
  #hinted = false;

  /** Listens to exactly these folders. */
  listenTo(folders: readonly string[]): void {
    for (const [folder, watcher] of this.#watchers) {
      if (!folders.includes(folder)) this.#drop(folder, watcher);
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#add(folder);
  }

  /** Resolves after `ms`, or shortly after a hint. Hints from before the call count. */
  async orAfter(ms: number, clock: Clock): Promise<void> {
    this.#listening = true;
    if (!this.#hinted) await this.pause(ms, clock);
    this.#listening = false;
    if (!this.#hinted) return;
    await this.pause(QUIET_MS, clock);
    this.#hinted = false;
  }

  /** Resolves after `ms`, or when `wake` is called. */
  async pause(ms: number, clock: Clock): Promise<void> {
    this.#sleep = new AbortController();
    await clock.sleep(ms, this.#sleep.signal).catch(() => undefined);
  }

  /** Ends the current pause. */
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
      // The process has no watches left, or the file system has none. Polling finds the change.
    }
  }

  #drop(folder: string, watcher: FSWatcher): void {
    this.#watchers.delete(folder);
    watcher.close();
  }
}
