/** Prints a line about long work. */
export type Report = (line: string) => void;

const INTERVAL_MS = 15_000;

/** Returns the minutes and seconds since a time, for people: `3 min 32 s`. */
export function elapsed(startedAtMs: number): string {
  const seconds = Math.round((Date.now() - startedAtMs) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Reports the start of work, and every 15 s how long it has taken so far. */
export async function withProgress<T>(report: Report, what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = Date.now();
  report(`control plane: ${what}`);
  const timer = setInterval(
    () => report(`control plane: ${what}, ${elapsed(startedAt)} so far`),
    INTERVAL_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
