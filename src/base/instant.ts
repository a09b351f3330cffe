/**
 * One moment on two clocks, since each can be wrong. The wall clock may be set forwards or back. The steady clock is
 * never set, but it stops while the machine is suspended.
 */
export interface Instant {
  /** Milliseconds since the epoch. */
  readonly wallMs: number;
  /** Milliseconds since a fixed moment in the life of this process. */
  readonly steadyMs: number;
}

/**
 * Returns the longest time that can have passed between two moments. Use it for a lease that we hold and must give up
 * in time. It is too short only if a suspended machine also has its wall clock set back.
 */
export function longestMs(from: Instant, to: Instant): number {
  return Math.max(to.wallMs - from.wallMs, to.steadyMs - from.steadyMs);
}

/**
 * Returns the time that has certainly passed. Use it before taking over a lease of others. It uses only the steady
 * clock, which never runs ahead: a wall clock that was set back would delay the takeover by the same time.
 */
export function certainMs(from: Instant, to: Instant): number {
  return to.steadyMs - from.steadyMs;
}
