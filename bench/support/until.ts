/** Calls `holds` until it returns true. Throws after `limitMs` with a text about the awaited condition. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs: number,
  everyMs = 100,
): Promise<void> {
  const endMs = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > endMs) throw new Error(`did not happen within ${limitMs / 1000} s: ${what}`);
    await pause(everyMs);
  }
}

/** Lets so many milliseconds pass. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
