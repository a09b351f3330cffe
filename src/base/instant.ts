/**
 * One moment as two clocks show it, since neither is right in every trouble: the wall clock may be set, forwards or
 * back; the steady one is never set but stands still while the machine is suspended.
 */
export interface Instant {
  /** Milliseconds since the epoch. */
  readonly wallMs: number;
  /** Milliseconds since some fixed moment of this process's life. */
  readonly steadyMs: number;
}

/**
 * The longest that the time between two moments can have been: for what we ourselves hold and must give up in time.
 * Too short only where a suspended machine has its wall clock set back as well.
 */
export function longestMs(from: Instant, to: Instant): number {
  return Math.max(to.wallMs - from.wallMs, to.steadyMs - from.steadyMs);
}

/**
 * The time that has passed for certain: for taking what others hold. The steady clock alone tells it, which never
 * runs ahead; a wall clock that was set back would hold up the taking for as long.
 */
export function certainMs(from: Instant, to: Instant): number {
  return to.steadyMs - from.steadyMs;
}
