import { untilAborted } from '../../base/until-aborted.ts';

/** Gives turns to a limited number of holders at once; other callers wait in the order of their arrival. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Runs `work` when it has a turn. Rejects with the reason of the signal if that aborts during the wait. */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn.resolve);
    try {
      await untilAborted(turn.promise, signal);
    } catch (error) {
      const at = this.#waiting.indexOf(turn.resolve);
      // If it is no longer in the queue, its turn came at the same moment, and goes to the next caller.
      if (at === -1) this.#pass();
      else this.#waiting.splice(at, 1);
      throw error;
    }
  }

  #pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
