let missed = 0;

/** Counts changes that an informer found by a list although a watch should have told them. */
export function noteMissed(count: number): void {
  missed += count;
}

/** How many were missed since the last call: a test that loses events on purpose takes them back. */
export function takeMissed(): number {
  const found = missed;
  missed = 0;
  return found;
}
