import type { ServiceSemantics } from '../switches/semantics.ts';

/** Counts requests, and refuses those above the limit. */
export class RateLimit {
  /** Times of recent requests. */
  #recentMs: readonly number[] = [];
  #closedUntilMs = Number.NEGATIVE_INFINITY;

  /** Returns the seconds to wait, for Retry-After, if the request is refused; undefined if it is accepted. */
  refusedFor({ rateLimit, retryAfterSeconds }: ServiceSemantics, nowMs: number): number | undefined {
    if (rateLimit.requests === 0) return undefined;
    if (nowMs < this.#closedUntilMs) return Math.ceil((this.#closedUntilMs - nowMs) / 1000);
    this.#recentMs = this.#recentMs.filter((atMs) => nowMs - atMs < rateLimit.seconds * 1000);
    const oldestMs = this.#recentMs[0];
    if (oldestMs === undefined || this.#recentMs.length < rateLimit.requests) {
      this.#recentMs = [...this.#recentMs, nowMs];
      return undefined;
    }
    if (retryAfterSeconds === 0) return Math.ceil((oldestMs + rateLimit.seconds * 1000 - nowMs) / 1000);
    this.#closedUntilMs = nowMs + retryAfterSeconds * 1000;
    return retryAfterSeconds;
  }
}
