import type { Clock } from '../ports/clock.ts';
import type { ReflectorTuning } from './reflector-state.ts';

/** Gives a watch up after too long a silence. One timer that looks back, not one for every event. */
export class SilenceGuard {
  readonly #clock: Clock;
  readonly #tuning: Pick<ReflectorTuning, 'idleMs' | 'firstWordMs'>;
  readonly #giveUp: () => void;
  #endsMs: number;
  #cancel: () => void;
  #fired = false;

  /** Begins to listen; `giveUp` is called once at most. */
  constructor(clock: Clock, tuning: Pick<ReflectorTuning, 'idleMs' | 'firstWordMs'>, giveUp: () => void) {
    this.#clock = clock;
    this.#tuning = tuning;
    this.#giveUp = giveUp;
    this.#endsMs = clock.now() + tuning.firstWordMs;
    this.#cancel = clock.after(Math.min(tuning.idleMs, tuning.firstWordMs), () => this.#look());
  }

  /** True once the watch was given up. */
  get fired(): boolean {
    return this.#fired;
  }

  /** The watch said something. */
  heard(): void {
    this.#endsMs = this.#clock.now() + this.#tuning.idleMs;
  }

  /** Listens no more. */
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
