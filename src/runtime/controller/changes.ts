import type { Clock } from '../../ports/process/clock.ts';

/** Wakes those who wait for the next change. */
export class Changes {
  #next = Promise.withResolvers<void>();

  tell(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Resolves when `tell` is called after this. */
  next(): Promise<void> {
    return this.#next.promise;
  }
}

/** Of the time at most a tenth is spent on looking, however long a look takes. */
const PAUSE_PER_LOOK = 9;

/**
 * Looks now and after every change, at most once in `everyMs` and less often where a look takes long, until something is
 * found; undefined when `signal` aborts before.
 */
export async function untilFound<T>(
  look: () => T | undefined,
  after: { readonly changes: Changes; readonly clock: Clock; readonly everyMs: number },
  signal: AbortSignal,
): Promise<T | undefined> {
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for (;;) {
    const changed = after.changes.next();
    const beganMs = after.clock.now();
    const found = look();
    const tookMs = after.clock.now() - beganMs;
    if (found !== undefined || signal.aborted) return found;
    await Promise.race([changed, stopped]);
    await after.clock.sleep(Math.max(after.everyMs, PAUSE_PER_LOOK * tookMs));
  }
}
