/**
 * Returns the time of the read in the middle of the window of a write. Lists may lag by a number of reads instead of a
 * time, so reads at its beginning and at its end are not enough (N30).
 */
export function middleOfWindow(beginMs: number, endMs: number): number {
  return (beginMs + endMs) / 2;
}
