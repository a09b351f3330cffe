import type { ConnectionTrouble } from '../../model/connection/failure.ts';
import { untilAborted } from '../../base/abort.ts';

/** Whether a connection can be used. */
export type Verdict =
  { readonly ready: true } | { readonly ready: false; readonly trouble: ConnectionTrouble };

/** Whether a connection can be used, as it was found last, and everybody who waits for that to be found. */
export class Usability {
  /** Undefined before the first check, and while trouble is looked into. */
  #verdict: Verdict | undefined;
  #waiting = Promise.withResolvers<void>();

  get isReady(): boolean {
    return this.#verdict?.ready === true;
  }

  /** Returns the last result, after a check that is due. */
  async verdict(signal: AbortSignal): Promise<Verdict> {
    for (;;) {
      if (this.#verdict !== undefined) return this.#verdict;
      await untilAborted(this.#waiting.promise, signal);
    }
  }

  decide(verdict: Verdict): void {
    this.#verdict = verdict;
    this.#waiting.resolve();
    this.#waiting = Promise.withResolvers();
  }

  /** Marks a check as due: later questions wait for it. */
  doubt(): void {
    this.#verdict = undefined;
  }
}
