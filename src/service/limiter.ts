import PQueue from 'p-queue';
import type { ConnectionSettings } from '../model/connection.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallPriority } from '../ports/external-client.ts';

const URGENCY: Readonly<Record<CallPriority, number>> = { user: 2, rollout: 1, resync: 0 };

/**
 * The rate-limited queue in front of one service: a strict sliding window, a bound on exchanges at once, the most
 * urgent call first, and a gate that the service closes for everyone with Retry-After.
 */
export class Limiter {
  readonly #queue: PQueue;
  readonly #clock: Clock;
  #closedUntilMs = 0;
  #cancelOpening: (() => void) | undefined;

  constructor({ requestsPerSecond, burst, concurrency }: ConnectionSettings['rateLimit'], clock: Clock) {
    this.#clock = clock;
    this.#queue = new PQueue({
      strict: true,
      intervalCap: burst,
      interval: (burst / requestsPerSecond) * 1000,
      concurrency,
    });
  }

  /** Calls that wait for a permit. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** True while the service has asked for a pause. */
  get gateClosed(): boolean {
    return this.#clock.now() < this.#closedUntilMs;
  }

  /** Runs `task` when it is its turn; rejects with the reason of `signal` when that aborts before or while it runs. */
  async run<T>(priority: CallPriority, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#queue.add(task, { priority: URGENCY[priority], signal });
  }

  /** Lets nothing start for `ms`, whoever asks. A shorter pause does not shorten a longer one. */
  closeGate(ms: number): void {
    const untilMs = this.#clock.now() + ms;
    if (ms <= 0 || untilMs <= this.#closedUntilMs) return;
    this.#closedUntilMs = untilMs;
    this.#queue.pause();
    this.#cancelOpening?.();
    this.#cancelOpening = this.#clock.after(ms, () => this.#queue.start());
  }

  /** Forgets the timer of the gate; calls that wait are rejected through their own signals. */
  close(): void {
    this.#cancelOpening?.();
    this.#queue.pause();
  }
}
