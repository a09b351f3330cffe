/** The largest number of events that one object may have at once. */
const BURST = 25;
/** The time after which one more event is allowed. */
const REFILL_MS = 60_000;
/** The number of objects that are remembered; above it, objects whose budget is full again are forgotten. */
const REMEMBERED = 5000;

/** Keeps one object from filling the event store, with a token bucket for each object. */
export class EventBudget {
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  #forgotMs = -Infinity;

  /** True if the object may have one more event at `nowMs`. */
  take(subject: string, nowMs: number): boolean {
    if (this.#buckets.size >= REMEMBERED && nowMs - this.#forgotMs >= REFILL_MS) this.#forgetFull(nowMs);
    const bucket = this.#buckets.get(subject) ?? { tokens: BURST, atMs: nowMs };
    const tokens = refilled(bucket, nowMs);
    this.#buckets.set(subject, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: nowMs });
    return tokens >= 1;
  }

  #forgetFull(nowMs: number): void {
    this.#forgotMs = nowMs;
    for (const [subject, bucket] of this.#buckets) {
      if (refilled(bucket, nowMs) >= BURST) this.#buckets.delete(subject);
    }
  }
}

function refilled(bucket: { readonly tokens: number; readonly atMs: number }, nowMs: number): number {
  return Math.min(BURST, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / REFILL_MS);
}
