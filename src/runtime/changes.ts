import type { Clock } from '../ports/clock.ts';

/** Word that something changed, for whoever waits for it. */
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

/**
 * Looks now and after every change, at most once in `everyMs`, until something is found; undefined when `signal` aborts
 * before.
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
    const found = look();
    if (found !== undefined || signal.aborted) return found;
    await Promise.race([changed, stopped]);
    await after.clock.sleep(after.everyMs);
  }
}
