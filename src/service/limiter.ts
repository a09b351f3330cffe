import PQueue from 'p-queue';
import type { ConnectionSettings } from '../model/connection.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallPriority } from '../ports/external-client.ts';
import { backoffMs } from './retry.ts';

const URGENCY: Readonly<Record<CallPriority, number>> = { user: 2, rollout: 1, resync: 0 };

type RateLimit = ConnectionSettings['rateLimit'];

/** Why the service wants no calls for a while: too many were made, or it is out of order. */
export type GateReason = 'RateLimited' | 'Unreachable';

/** What a limiter works with. */
export interface LimiterOptions {
  readonly clock: Clock;
  /** A call has its permit, after it had waited so long. */
  readonly onPermit: (waitedMs: number) => void;
}

/**
 * The rate-limited queue in front of one service: a strict sliding window, a bound on exchanges at once, the most
 * urgent call first, and a gate that the service closes for everyone. The window is measured in real time, the gate
 * by the clock.
 */
export class Limiter {
  readonly #options: LimiterOptions;
  #queue: PQueue;
  #closedUntilMs = 0;
  #gateReason: GateReason = 'RateLimited';
  #refusals = 0;
  #cancelOpening: (() => void) | undefined;
  #ended: Error | undefined;

  constructor(rateLimit: RateLimit, options: LimiterOptions) {
    this.#options = options;
    this.#queue = queueFor(rateLimit);
  }

  /** Calls that wait for a permit. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Milliseconds until the gate opens; 0 when it is open. */
  get gateMs(): number {
    return Math.max(0, this.#closedUntilMs - this.#options.clock.now());
  }

  /** Why the gate is, or was last, closed. */
  get gateReason(): GateReason {
    return this.#gateReason;
  }

  /**
   * Runs `task` when it is its turn. Rejects with the reason of `signal` when that aborts before; from then on the
   * task alone decides how it ends, since a write that began may have been applied.
   */
  async run<T>(priority: CallPriority, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const { clock, onPermit } = this.#options;
    const askedMs = clock.now();
    const waiting = new AbortController();
    const giveUp = (): void => waiting.abort(signal.reason);
    let began = false;
    const begin = (): Promise<T> => {
      began = true;
      // The queue would end its wait for a running task too, and hand on the permit while a write is under way.
      signal.removeEventListener('abort', giveUp);
      onPermit(clock.now() - askedMs);
      return task();
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      for (;;) {
        if (this.#ended !== undefined) throw this.#ended;
        const queue = this.#queue;
        try {
          return await queue.add(begin, { priority: URGENCY[priority], signal: waiting.signal });
        } catch (error) {
          if (began) throw error;
          waiting.signal.throwIfAborted();
          // A queue that was replaced or ended lets go of those who wait in it.
        }
      }
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** Other limits from now on; calls that wait go on waiting under them, and a closed gate stays closed. */
  change(rateLimit: RateLimit): void {
    const before = this.#queue;
    this.#queue = queueFor(rateLimit);
    if (this.gateMs > 0) this.#queue.pause();
    before.clear();
  }

  /**
   * The service asked for fewer calls: nothing starts for `statedMs`, whoever asks, or where it stated nothing for a
   * time that grows with every such answer. A shorter pause does not shorten a longer one.
   */
  refused(reason: GateReason, statedMs: number | undefined): void {
    const { clock } = this.#options;
    if (this.gateMs === 0) this.#refusals += 1;
    const ms = statedMs ?? backoffMs(this.#refusals, clock.random());
    if (ms <= this.gateMs) return;
    this.#closedUntilMs = clock.now() + ms;
    this.#gateReason = reason;
    this.#queue.pause();
    this.#cancelOpening?.();
    this.#cancelOpening = clock.after(ms, () => this.#queue.start());
  }

  /** The service dealt with a call. */
  accepted(): void {
    this.#refusals = 0;
  }

  /** Ends for good: calls that wait, and later ones, are rejected with `reason`. */
  end(reason: Error): void {
    this.#ended = reason;
    this.#cancelOpening?.();
    this.#queue.clear();
  }
}

function queueFor({ requestsPerSecond, burst, concurrency }: RateLimit): PQueue {
  return new PQueue({
    strict: true,
    intervalCap: burst,
    interval: (burst / requestsPerSecond) * 1000,
    concurrency,
  });
}
