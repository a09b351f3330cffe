import type { Clock } from '../../ports/process/clock.ts';

/** True if `work` settles within `ms`, whether it resolves or rejects. Leaves no timer behind. */
export async function endsWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const settled = new AbortController();
  const late = clock.sleep(ms, settled.signal).then(
    () => false,
    () => true,
  );
  const ended = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    settled.abort();
  }
}

/** The time limit of work: it ends after `ms`, or when `signal` aborts. */
export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/** Returns the result of `work`. At its time limit, rejects and aborts the signal of `work`. */
export async function withinTime<T>(
  { clock, ms, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (reason: Error): void => {
    ending.abort(reason);
    ended.reject(reason);
  };
  const onAbort = (): void => end(signal?.reason as Error);
  signal?.addEventListener('abort', onAbort, { once: true });
  const cancel = clock.after(ms, () => end(new Error(`there was no answer within ${Math.round(ms)} ms`)));
  try {
    return await Promise.race([work(ending.signal), ended.promise]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
