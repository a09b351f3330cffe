import type { Observation } from './observation.ts';

/** A connection that does not tell when it looks again is asked so soon. */
const SOON_MS = 1_000;

/** How long a missing deployment waits for the next look that may show it, of which it has no use before `leastMs` are over (R6). */
export function untilNextLookMs(
  observation: Observation | undefined,
  nowMs: number,
  leastMs: number = 0,
): number {
  const nextMs = observation?.kind === 'absent' ? observation.nextLookMs : undefined;
  const untilMs = nextMs === undefined ? 0 : nextMs - nowMs;
  return Math.max(leastMs > 0 ? leastMs : SOON_MS, untilMs);
}
