/** The longest pause that is taken from an answer. */
const LONGEST_MS = 3_600_000;

/** Tries of one read inside one exchange; a write is tried once. */
const READ_ATTEMPTS = 3;

const BASE_MS = 500;

/** How many milliseconds an answer asks to wait: Retry-After, else what is left of a rate limit's window. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const stated = afterText(headers['retry-after'], nowMs) ?? resetMs(headers, nowMs);
  return stated === undefined ? undefined : Math.min(Math.max(0, stated), LONGEST_MS);
}

/** When to try a read again after its `attempt`th try broke or was answered with 5xx; undefined: not at all. */
export function readRetryMs(attempt: number, status: number | undefined, random: number): number | undefined {
  const passing = status === undefined || status === 502 || status === 503 || status === 504;
  if (!passing || attempt >= READ_ATTEMPTS) return undefined;
  return BASE_MS + random * BASE_MS * 2 ** attempt;
}

/** Seconds or an HTTP date. */
function afterText(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text) * 1000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : dateMs - nowMs;
}

/** Seconds left, or a Unix time where the number is too large for that. */
function resetMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers['ratelimit-reset'] ?? headers['x-ratelimit-reset'];
  const remaining = headers['ratelimit-remaining'] ?? headers['x-ratelimit-remaining'];
  if (text === undefined || (remaining !== undefined && remaining.trim() !== '0')) return undefined;
  const seconds = Number(text);
  if (!Number.isFinite(seconds)) return undefined;
  return seconds > 1_000_000_000 ? seconds * 1000 - nowMs : seconds * 1000;
}
