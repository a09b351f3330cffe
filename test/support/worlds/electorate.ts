import type { Instant } from '../../../src/base/instant.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import type { LeaseStore } from '../../../src/ports/stores/lease-store.ts';
import { LeaderElector } from '../../../src/runtime/election/leader-elector.ts';
import type { VirtualClock } from '../doubles/virtual-clock.ts';
import type { MemoryLease } from '../doubles/memory-lease.ts';
import { MemoryLogger } from '../doubles/memory-logger.ts';

/** The outcome of one call of the store. */
export interface CallFate {
  readonly delayMs: number;
  /** Whether the call fails: before it is carried out, or its answer on the way back. */
  readonly fails: 'never' | 'before' | 'after';
}

const GOOD: CallFate = { delayMs: 0, fails: 'never' };

/**
 * A replica as a process on a machine. A test may stop and continue it, set its wall clock, let its machine sleep, and
 * slow or break its connection to the API server. Events that it waited for occur when it continues.
 */
export class Replica {
  readonly logger = new MemoryLogger();
  readonly elector: LeaderElector;
  readonly told: boolean[] = [];
  /** Called before every call of the store. */
  fate: () => CallFate = () => GOOD;
  readonly #clock: VirtualClock;
  readonly #stop = new AbortController();
  #running: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #wallOffsetMs = 0;
  #sleptMs = 0;
  #sleepBeganMs: number | undefined;

  constructor(identity: string, lease: MemoryLease, clock: VirtualClock) {
    this.#clock = clock;
    this.elector = new LeaderElector({
      ...{ identity, leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 },
      lease: 'ns/lease',
      store: this.#through(lease),
      clock: this.#ownClock(),
      instant: () => this.#instant(),
      logger: this.logger,
      onChange: (leading) => this.told.push(leading),
    });
  }

  get stopped(): boolean {
    return this.#running !== undefined;
  }

  /** True if it would let a request out at this moment. */
  get acts(): boolean {
    return !this.stopped && this.elector.isOpen();
  }

  start(): Promise<void> {
    return this.elector.lead(this.#stop.signal);
  }

  /** Acts like SIGTERM, after everything else has drained. */
  async end(withinMs = 30_000): Promise<void> {
    this.#stop.abort();
    await this.elector.release(withinMs);
  }

  /** Acts like SIGSTOP. With `sleep` the whole machine stands still, including its steady clock. */
  pause(sleep = false): void {
    if (this.stopped) return;
    this.#running = Promise.withResolvers<void>();
    if (sleep) this.#sleepBeganMs = this.#clock.now();
  }

  /** Acts like SIGCONT. */
  resume(): void {
    if (this.#sleepBeganMs !== undefined) this.#sleptMs += this.#clock.now() - this.#sleepBeganMs;
    this.#sleepBeganMs = undefined;
    this.#running?.resolve();
    this.#running = undefined;
  }

  setWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  #instant(): Instant {
    const now = this.#clock.now();
    return { wallMs: now + this.#wallOffsetMs, steadyMs: now - this.#sleptMs };
  }

  /** Returns the clock of the process. Its timers wait while it is stopped, and count the steady clock only. */
  #ownClock(): Clock {
    const clock = this.#clock;
    const after = (ms: number, task: () => void): (() => void) => {
      const dueMs = this.#instant().steadyMs + ms;
      let cancel = (): void => undefined;
      let cancelled = false;
      const wait = (leftMs: number): void => {
        cancel = clock.after(leftMs, () => void fire());
      };
      const fire = async (): Promise<void> => {
        while (this.#running !== undefined) await this.#running.promise;
        if (cancelled) return;
        const leftMs = dueMs - this.#instant().steadyMs;
        if (leftMs > 0) wait(leftMs);
        else task();
      };
      wait(ms);
      return () => {
        cancelled = true;
        cancel();
      };
    };
    return {
      after,
      now: () => this.#instant().wallMs,
      random: () => clock.random(),
      turn: () => clock.turn(),
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const onAbort = (): void => {
            cancel();
            reject(signal?.reason as Error);
          };
          const cancel = after(ms, () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          });
          if (signal?.aborted === true) onAbort();
          signal?.addEventListener('abort', onAbort, { once: true });
        }),
    };
  }

  /** Returns the store of the process. Aborted calls may still be carried out, as by a real server. */
  #through(lease: MemoryLease): LeaseStore {
    const never = new AbortController().signal;
    const call = async <T>(carryOut: () => Promise<T>): Promise<T> => {
      const { delayMs, fails } = this.fate();
      await this.#clock.sleep(delayMs / 2);
      if (fails === 'before') throw new Error('no way there');
      const result = await carryOut();
      await this.#clock.sleep(delayMs / 2);
      while (this.#running !== undefined) await this.#running.promise;
      if (fails === 'after') throw new Error('no way back');
      return result;
    };
    return {
      read: () => call(() => lease.read(never)),
      write: (record, version) => call(() => lease.write(record, version, never)),
    };
  }
}
