import type { Clock } from '../../ports/process/clock.ts';

/** A time limit that stops its clock during certain waits. */
export class Deadline {
  readonly #clock: Clock;
  readonly #passing = new AbortController();
  #leftMs: number;
  #startedMs = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#leftMs = ms;
    this.#run();
  }

  /** Aborts when the time has run out. */
  get passed(): AbortSignal {
    return this.#passing.signal;
  }

  /** Waits without using up the time. Rejects if `wait` rejects. */
  async without(wait: Promise<void>): Promise<void> {
    this.cancel();
    this.#leftMs -= Math.max(0, this.#clock.now() - this.#startedMs);
    try {
      await wait;
    } finally {
      this.#run();
    }
  }

  /** Stops the clock for good. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #run(): void {
    this.#startedMs = this.#clock.now();
    this.#cancel = this.#clock.after(Math.max(0, this.#leftMs), () => this.#passing.abort());
  }
}
