import type { Clock } from '../ports/clock.ts';

/** True when `work` settles within `ms`, however it settles; leaves no timer behind. */
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
