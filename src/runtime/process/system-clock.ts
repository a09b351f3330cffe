import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Instant } from '../../base/instant.ts';
import type { Clock } from '../../ports/process/clock.ts';

/** The longest delay that a timer of the platform supports. It fires at once for a longer one. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * The most that a timer of the platform may fire early according to `Date`. It then waits for the rest, so that no
 * timer wakes too early. A larger difference means that the clock was set back; the timer then runs its task at once.
 */
const EARLINESS_MS = 2;

/**
 * Returns a clock that runs `speed` times as fast as real time, for demonstrations that would take an hour. It starts
 * at the current time. Throws a RangeError for a speed that is not a positive number.
 */
export function scaledClock(speed: number): Clock {
  if (!(speed > 0 && Number.isFinite(speed)))
    throw new RangeError(`speed must be a positive number, not ${speed}`);
  const startMs = Date.now();
  const now = (): number => (speed === 1 ? Date.now() : startMs + Math.floor((Date.now() - startMs) * speed));
  const after = (ms: number, task: () => void): (() => void) => startTimer(ms / speed, task);
  return {
    now,
    after,
    sleep: (ms, signal) => sleep(after, ms, signal),
    turn: () => eventLoopTurn(),
    random: () => Math.random(),
  };
}

/** The clock of real time and real random numbers. */
export const systemClock: Clock = scaledClock(1);

/** Returns the current time on both clocks of the platform. */
export function systemInstant(): Instant {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

function startTimer(delayMs: number, task: () => void): () => void {
  if (Number.isNaN(delayMs)) throw new RangeError('a timer needs a number of milliseconds');
  const dueMs = Date.now() + delayMs;
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(Math.max(0, leftMs), LONGEST_TIMER_MS);
    timer = setTimeout(() => {
      const earlyMs = dueMs - Date.now();
      if (leftMs > stepMs) wait(leftMs - stepMs);
      else if (earlyMs > 0 && earlyMs <= EARLINESS_MS) wait(earlyMs);
      else task();
    }, stepMs);
  };
  wait(delayMs);
  return () => clearTimeout(timer);
}

function sleep(after: Clock['after'], ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
