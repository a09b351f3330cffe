import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Clock } from '../../../src/ports/process/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly task: () => void;
}

/** Turns of the event loop that let work settle. Each one drains every promise that needs no outside event. */
const TURNS_TO_SETTLE = 4;

/** Friday 2026-11-20T00:00:00Z: a fixed start, so that times in golden output never change. */
const DEFAULT_START_MS = 1_795_132_800_000;

const DEFAULT_LIMIT_MS = 7 * 86_400_000;

/**
 * A clock that stands still until a test advances it, with seeded random numbers. Timers fire in the order of their
 * time, then of their creation. Work that a timer started settles before the next one fires.
 */
export class VirtualClock implements Clock {
  #nowMs: number;
  #order = 0;
  #randomState: number;
  #moving = false;
  /** Sorted by time, then by order of creation. */
  readonly #timers: Timer[] = [];

  constructor(options: { readonly startMs?: number; readonly seed?: number } = {}) {
    this.#nowMs = options.startMs ?? DEFAULT_START_MS;
    this.#randomState = (options.seed ?? 1) >>> 0;
  }

  now(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  after(ms: number, task: () => void): () => void {
    if (Number.isNaN(ms)) throw new RangeError('a timer needs a number of milliseconds');
    const timer: Timer = { atMs: this.#nowMs + Math.max(0, ms), order: this.#order++, task };
    this.#timers.splice(this.#placeOf(timer), 0, timer);
    return () => {
      const place = this.#placeOf(timer);
      if (this.#timers[place] === timer) this.#timers.splice(place, 1);
    };
  }

  turn(): Promise<void> {
    return Promise.resolve();
  }

  random(): number {
    this.#randomState = (this.#randomState + 0x6d2b79f5) >>> 0;
    let bits = this.#randomState;
    bits = Math.imul(bits ^ (bits >>> 15), bits | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** The number of waiting timers. */
  get pendingTimers(): number {
    return this.#timers.length;
  }

  /**
   * Advances the time by `ms`, fires the timers that become due, and lets their work settle. Throws the error of a
   * timer's task.
   */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.#nowMs + ms);
  }

  /** Advances the time to `targetMs` since the epoch. Time never goes back. */
  async advanceTo(targetMs: number): Promise<void> {
    if (!(targetMs >= this.#nowMs)) throw new RangeError(`time cannot go back to ${targetMs}`);
    await this.#move(async () => {
      await this.settle();
      while (this.#fireNext(targetMs)) await this.settle();
      this.#nowMs = targetMs;
      await this.settle();
    });
  }

  /**
   * Advances from timer to timer until `work` settles, and returns its result. Throws if no timer is left, or after
   * `limitMs` of virtual time (default a week).
   */
  async runUntil<T>(work: Promise<T>, limitMs: number = DEFAULT_LIMIT_MS): Promise<T> {
    const state = { settled: false };
    const settled = (): void => {
      state.settled = true;
    };
    work.then(settled, settled);
    const lastMs = this.#nowMs + limitMs;
    await this.#move(async () => {
      await this.settle();
      while (!state.settled && this.#fireNext(lastMs)) await this.settle();
    });
    if (!state.settled)
      throw new Error(`the work did not end: ${this.pendingTimers} timers wait after the limit`);
    return work;
  }

  /** Lets promises that need no timer settle, without advancing the time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS_TO_SETTLE; turn += 1) await eventLoopTurn();
  }

  async #move(steps: () => Promise<void>): Promise<void> {
    if (this.#moving) throw new Error('the clock is being moved already: await the first move');
    this.#moving = true;
    try {
      await steps();
    } finally {
      this.#moving = false;
    }
  }

  #fireNext(notAfterMs: number): boolean {
    const next = this.#timers[0];
    if (next === undefined || next.atMs > notAfterMs) return false;
    this.#timers.shift();
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.task();
    return true;
  }

  #placeOf(timer: Timer): number {
    let low = 0;
    let high = this.#timers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timers[middle];
      if (other !== undefined && isBefore(other, timer)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
