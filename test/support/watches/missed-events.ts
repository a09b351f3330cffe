let missed = 0;

/** Counts changes that an informer found in a list although a watch should have reported them. */
export function noteMissed(count: number): void {
  missed += count;
}

/**
 * Returns the number of missed changes since the last call. A test that loses events on purpose calls it to clear them.
 */
export function takeMissed(): number {
  const found = missed;
  missed = 0;
  return found;
}
