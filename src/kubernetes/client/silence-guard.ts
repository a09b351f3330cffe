import type { Clock } from '../../ports/process/clock.ts';

/** Gives up a watch after too long a silence. It uses one timer that looks back, instead of one for every event. */
export class SilenceGuard {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #giveUp: () => void;
  #endsMs: number;
  #cancel: () => void;
  #fired = false;

  /** Starts the timer; the first word may take twice `idleMs`. Calls `giveUp` at most once. */
  constructor(clock: Clock, idleMs: number, giveUp: () => void) {
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#giveUp = giveUp;
    this.#endsMs = clock.now() + 2 * idleMs;
    this.#cancel = clock.after(idleMs, () => this.#look());
  }

  /** True once the guard has given up the watch. */
  get fired(): boolean {
    return this.#fired;
  }

  /** Records that the watch received something. */
  heard(): void {
    this.#endsMs = this.#clock.now() + this.#idleMs;
  }

  /** Stops the guard. */
  cancel(): void {
    this.#cancel();
  }

  #look(): void {
    const leftMs = this.#endsMs - this.#clock.now();
    if (leftMs > 0) {
      this.#cancel = this.#clock.after(leftMs, () => this.#look());
      return;
    }
    this.#fired = true;
    this.#giveUp();
  }
}
