import type { Observation } from './observation.ts';

/** The wait if a connection does not say when it reads the list again. */
const SOON_MS = 1_000;

/**
 * Returns how long a missing deployment waits for the next look that may show it, in milliseconds. A look before
 * `leastMs` would be useless (R6).
 */
export function untilNextLookMs(
  observation: Observation | undefined,
  nowMs: number,
  leastMs: number = 0,
): number {
  const nextMs = observation?.kind === 'absent' ? observation.nextLookMs : undefined;
  const untilMs = nextMs === undefined ? 0 : nextMs - nowMs;
  return Math.max(leastMs > 0 ? leastMs : SOON_MS, untilMs);
}
