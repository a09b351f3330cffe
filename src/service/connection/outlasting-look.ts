import { FailureError } from '../../model/connection/failure.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Clock } from '../../ports/process/clock.ts';

interface Look<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
}

/**
 * A read of the service that may last longer than the check that began it. A check occupies a worker, and connections
 * that hang would occupy all of them. The read continues, and the next check takes its result.
 */
export class OutlastingLook<T> {
  readonly #clock: Clock;
  readonly #limitMs: number | undefined;
  readonly #onLate: () => void;
  #look: Look<T> | undefined;

  /**
   * A check waits `limitMs` at most, and without a limit until the look ends. `onLate` is called when a look ends after
   * its check.
   */
  constructor(clock: Clock, limitMs: number | undefined, onLate: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onLate = onLate;
  }

  /**
   * Returns the result of the read under way, or of a new one. Throws what the read throws, the reason of `signal`,
   * or a FailureError that waits if the read takes longer than the limit.
   */
  async found(begin: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const look = (this.#look ??= started(begin));
    const limit = new AbortController();
    const cancel = this.#after(this.#limitMs, (limitMs) => limit.abort(stillLooking(limitMs)));
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

  /** Drops the read under way, whose result would be outdated: the next check begins another one. */
  forget(): void {
    this.#look = undefined;
  }

  /** Ends the read under way permanently. */
  stop(reason: Error): void {
    this.#look?.abort.abort(reason);
    this.forget();
  }

  #after(limitMs: number | undefined, expire: (limitMs: number) => void): () => void {
    if (limitMs === undefined) return () => undefined;
    return this.#clock.after(limitMs, () => expire(limitMs));
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

function stillLooking(limitMs: number): FailureError {
  return new FailureError(`the service has not answered a check within ${limitMs / 1000} s; it goes on`, {
    kind: 'waiting',
    reason: 'ConnectionNotReady',
    sent: 'no',
    againInMs: limitMs,
  });
}
