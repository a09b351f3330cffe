import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Instant } from '../../base/instant.ts';
import type { Clock } from '../../ports/process/clock.ts';

/** The longest delay that a timer of the platform supports. It fires at once for a longer one. */
const LONGEST_TIMER_MS = 2_147_483_647;

/**
 * Returns a clock that follows the wall clock forwards but never goes back: if the wall clock is set back, time goes on
 * from where it was. Otherwise a wait would last longer by the time by which the clock was set back, and what was read
 * since would seem older than what was read before.
 */
export function neverBack(wallMs: () => number, steadyMs: () => number): () => number {
  let aheadMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = wallMs();
    const passedMs = steadyMs();
    aheadMs = Math.max(aheadMs, nowMs - passedMs);
    return Math.max(nowMs, Math.floor(passedMs + aheadMs));
  };
}

const realMs = neverBack(
  () => Date.now(),
  () => performance.now(),
);

/**
 * Returns a clock that runs `speed` times as fast as real time, for demonstrations that would take an hour. It starts
 * at the current time. Throws a RangeError for a speed that is not a positive number.
 */
export function scaledClock(speed: number): Clock {
  if (!(speed > 0 && Number.isFinite(speed)))
    throw new RangeError(`speed must be a positive number, not ${speed}`);
  const startMs = realMs();
  const now = (): number => (speed === 1 ? realMs() : startMs + Math.floor((realMs() - startMs) * speed));
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
  const dueMs = realMs() + delayMs;
  let timer: NodeJS.Timeout;
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(Math.max(0, leftMs), LONGEST_TIMER_MS);
    timer = setTimeout(() => {
      // A timer of the platform may fire a little early.
      const earlyMs = dueMs - realMs();
      if (leftMs > stepMs) wait(leftMs - stepMs);
      else if (earlyMs > 0) wait(earlyMs);
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
