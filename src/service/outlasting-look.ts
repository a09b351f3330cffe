import { FailureError } from '../model/failure.ts';
import { untilAborted } from '../ports/abort.ts';
import type { Clock } from '../ports/clock.ts';

/** How long a check waits for the service, whatever the request timeout of its connection is (H59). */
const CHECK_LIMIT_MS = 30_000;

interface Look<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
}

/**
 * A look at the service that may outlast the check that began it: a check holds a worker, which connections that hang
 * would keep from all others. The look goes on, and the next check takes what it found.
 */
export class OutlastingLook<T> {
  readonly #clock: Clock;
  readonly #onLate: () => void;
  #look: Look<T> | undefined;

  /** `onLate` is called when a look ends whose check went before. */
  constructor(clock: Clock, onLate: () => void) {
    this.#clock = clock;
    this.#onLate = onLate;
  }

  /**
   * What the look under way finds, or a new one. Throws what the look throws, the reason of `signal`, and a FailureError that
   * waits where the look lasts longer than 30 s.
   */
  async found(begin: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const look = (this.#look ??= started(begin));
    const limit = new AbortController();
    const cancel = this.#clock.after(CHECK_LIMIT_MS, () => limit.abort(stillLooking()));
    try {
      const found = await untilAborted(look.result, AbortSignal.any([signal, limit.signal]));
      this.#end(look);
      return found;
    } catch (error) {
      if (!signal.aborted && !limit.signal.aborted) this.#end(look);
      else this.#tellWhenOver(look);
      throw error;
    } finally {
      cancel();
    }
  }

  /** The next check begins another look: what this one finds is out of date. */
  forget(): void {
    this.#look = undefined;
  }

  /** Ends the look under way for good. */
  stop(reason: Error): void {
    this.#look?.abort.abort(reason);
    this.forget();
  }

  #end(look: Look<T>): void {
    if (this.#look === look) this.#look = undefined;
  }

  #tellWhenOver(look: Look<T>): void {
    const tell = (): void => {
      if (this.#look === look) this.#onLate();
    };
    look.result.then(tell, tell);
  }
}

function started<T>(begin: (signal: AbortSignal) => Promise<T>): Look<T> {
  const abort = new AbortController();
  return { result: begin(abort.signal), abort };
}

function stillLooking(): FailureError {
  return new FailureError(
    `the service has not answered a check within ${CHECK_LIMIT_MS / 1000} s; it goes on`,
    {
      kind: 'waiting',
      reason: 'ConnectionNotReady',
      sent: 'no',
      againInMs: CHECK_LIMIT_MS,
    },
  );
}
