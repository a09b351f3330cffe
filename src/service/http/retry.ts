import type { ConnectionError } from '../../model/connection/failure.ts';

/** The longest pause that the operator accepts from an answer. */
const LONGEST_MS = 3_600_000;

/** A clock that is wrong by more than this is not that of a service. */
const DAY_MS = 86_400_000;

/** The number of tries of one read in one exchange; a write has one try. */
const READ_ATTEMPTS = 3;

const BASE_MS = 500;
const CAP_MS = 300_000;

/** A larger number is not a duration but a point in time: in seconds, or above the second bound in milliseconds. */
const SPAN_BELOW = 1_000_000_000;
const SECONDS_BELOW = 100_000_000_000;

/**
 * Returns how many milliseconds an answer asks to wait, at most an hour: Retry-After, or else the rest of the window
 * of a rate limit. Returns undefined if the answer asks for no wait, or if that time is over. A point in time counts
 * from the Date of the answer, since our own clock may be wrong, or from `nowMs` if the answer has no likely Date.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const dateMs = Date.parse(headers['date'] ?? '');
  const sentMs = Math.abs(dateMs - nowMs) < DAY_MS ? dateMs : nowMs;
  const stated = afterText(headers['retry-after'], sentMs) ?? resetMs(headers, sentMs);
  return stated === undefined || stated <= 0 ? undefined : Math.min(stated, LONGEST_MS);
}

/**
 * Returns the pause after this number of consecutive failures if the service states none: exponential, with jitter,
 * from half a second to 5 minutes.
 */
export function backoffMs(failures: number, random: number): number {
  return Math.min(CAP_MS, BASE_MS + random * BASE_MS * 2 ** Math.min(failures, 20));
}

/**
 * Returns the time until the next try of a read after its `attempt`th try, or undefined for no further try. The
 * operator tries again only after errors that can end by themselves within seconds: a broken connection, or a 5xx
 * without a pause.
 */
export function readRetryMs(attempt: number, error: ConnectionError, random: number): number | undefined {
  const mayPass = error.reason === 'Unreachable' && error.retryAfterMs === undefined;
  return mayPass && attempt < READ_ATTEMPTS ? backoffMs(attempt, random) : undefined;
}

/** Reads seconds or an HTTP date. */
function afterText(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text) * 1000;
  const dateMs = /^[A-Za-z]{3}/.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs - nowMs;
}

/** Reads the seconds that are left, or the time of the reset. */
function resetMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers['ratelimit-reset'] ?? headers['x-ratelimit-reset'];
  const remaining = headers['ratelimit-remaining'] ?? headers['x-ratelimit-remaining'];
  if (text === undefined || (remaining !== undefined && remaining.trim() !== '0')) return undefined;
  const reset = Number(text);
  if (!Number.isFinite(reset)) return undefined;
  if (reset < SPAN_BELOW) return reset * 1000;
  return (reset < SECONDS_BELOW ? reset * 1000 : reset) - nowMs;
}
