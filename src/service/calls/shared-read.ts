import type { Clock } from '../../ports/process/clock.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';

/** One read that everybody shares: its newest result serves all who find it recent enough. */
export class SharedRead<T> {
  readonly #clock: Clock;
  readonly #read: (priority: CallPriority) => Promise<T>;
  #newest: { readonly beganMs: number; readonly result: Promise<T> } | undefined;

  constructor(clock: Clock, read: (priority: CallPriority) => Promise<T>) {
    this.#clock = clock;
    this.#read = read;
  }

  /** When the newest read began, be it under way. */
  get beganMs(): number {
    return this.#newest?.beganMs ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Returns the result of a read that began at or after a time: the newest one, or a new one. Rejects as the read
   * does.
   */
  ensure(notOlderThanMs: number, priority: CallPriority): Promise<T> {
    if (this.#newest !== undefined && this.beganMs >= notOlderThanMs) return this.#newest.result;
    const beganMs = this.#clock.now();
    const result = this.#read(priority);
    const begun = { beganMs, result };
    this.#newest = begun;
    // A failed read has no result for others.
    result.catch(() => {
      if (this.#newest === begun) this.#newest = undefined;
    });
    return result;
  }
}
