import { keyText } from '../../api/metadata.ts';
import type { Key } from '../../api/metadata.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import type { Clock } from '../../ports/process/clock.ts';

/**
 * Calculates how long a key waits after each consecutive failure: a random time between `baseMs` and a ceiling that
 * doubles with every failure up to `capMs`. Keys that failed together therefore do not return together.
 */
export class Backoff {
  readonly #clock: Clock;
  readonly #baseMs: number;
  readonly #capMs: number;
  readonly #failures = new Map<string, number>();

  constructor(options: { readonly clock: Clock; readonly baseMs?: number; readonly capMs?: number }) {
    this.#clock = options.clock;
    this.#baseMs = options.baseMs ?? DEFAULTS.retryBaseMs;
    this.#capMs = options.capMs ?? DEFAULTS.retryCapMs;
  }

  /** Counts one more failure and returns the delay in milliseconds. */
  next(key: Key): number {
    const text = keyText(key);
    const failures = (this.#failures.get(text) ?? 0) + 1;
    this.#failures.set(text, failures);
    const ceilingMs = Math.min(this.#capMs, this.#baseMs * 2 ** failures);
    return this.#baseMs + this.#clock.random() * Math.max(0, ceilingMs - this.#baseMs);
  }

  /** Returns the number of consecutive failures. */
  failures(key: Key): number {
    return this.#failures.get(keyText(key)) ?? 0;
  }

  /** Resets a key, which also frees its memory. */
  forget(key: Key): void {
    this.#failures.delete(keyText(key));
  }
}
