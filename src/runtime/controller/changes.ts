import type { Clock } from '../../ports/process/clock.ts';

/** Wakes the callers that wait for the next change. */
export class Changes {
  #next = Promise.withResolvers<void>();

  tell(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }

  /** Resolves at the next call of `tell`. */
  next(): Promise<void> {
    return this.#next.promise;
  }
}

/**
 * The pause after a look, as a multiple of the time that the look took: looking then takes at most a tenth of the time.
 */
const PAUSE_PER_LOOK = 9;

/**
 * Calls `look` now and after every change until it finds a value. Looks at most once in `everyMs`, and less often if a
 * look takes long. Resolves with undefined if `signal` aborts first.
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
