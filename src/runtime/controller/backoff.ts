import { keyText } from '../../api/metadata.ts';
import type { Key } from '../../api/metadata.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import type { Clock } from '../../ports/process/clock.ts';

/**
 * How long a key waits after each failure in a row: anywhere between `baseMs` and a ceiling that doubles with every
 * failure up to `capMs`, so that keys that failed together do not come back together.
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

  /** Counts one more failure and says how many milliseconds to wait. */
  next(key: Key): number {
    const text = keyText(key);
    const failures = (this.#failures.get(text) ?? 0) + 1;
    this.#failures.set(text, failures);
    const ceilingMs = Math.min(this.#capMs, this.#baseMs * 2 ** failures);
    return this.#baseMs + this.#clock.random() * Math.max(0, ceilingMs - this.#baseMs);
  }

  /** Failures in a row so far. */
  failures(key: Key): number {
    return this.#failures.get(keyText(key)) ?? 0;
  }

  /** Starts again from nothing; also what keeps the memory of keys that are gone from growing. */
  forget(key: Key): void {
    this.#failures.delete(keyText(key));
  }
}
