import { describe, expect, it } from 'vitest';
import { CREDIT_MS, LONG_MS, PAUSE, WorkTurns } from '../../../src/service/limits/work-turns.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

/** A clock on which work takes time. */
class Bench {
  readonly clock = new VirtualClock({ startMs: 0 });
  readonly turns: WorkTurns;
  /** What began, and when. */
  readonly begun: string[] = [];
  #aheadMs = 0;

  constructor() {
    const { clock } = this;
    this.turns = new WorkTurns({
      now: () => clock.now() + this.#aheadMs,
      sleep: (ms, signal) => clock.sleep(ms, signal),
      after: (ms, task) => clock.after(ms, task),
      turn: () => clock.turn(),
      random: () => 0.5,
    });
  }

  get nowMs(): number {
    return this.clock.now() + this.#aheadMs;
  }

  work(lane: string, ms: number): Promise<void> {
    return this.turns.run(lane, () => {
      this.begun.push(`${lane} at ${this.nowMs}`);
      this.#aheadMs += ms;
    });
  }
}

describe('work on answers', () => {
  it('begins at once if no earlier work took long', async () => {
    const bench = new Bench();
    for (const lane of ['a', 'b', 'a']) await bench.work(lane, LONG_MS);
    expect(bench.clock.now()).toBe(0);
  });

  it('of a lane that took long waits for a multiple of that time, through however many connections it comes', async () => {
    const bench = new Bench();
    const all = Promise.all([1, 2, 3].map(() => bench.work('a', 300)));
    await bench.clock.runUntil(all);
    expect(bench.begun).toEqual(['a at 0', 'a at 1500', 'a at 3000']);
  });

  it('of another lane does not wait for that', async () => {
    const bench = new Bench();
    const all = [bench.work('a', 300), bench.work('a', 300), bench.work('b', 10)];
    await bench.clock.settle();
    expect(bench.begun).toEqual(['a at 0', 'b at 300']);
    await bench.clock.runUntil(Promise.all(all));
  });

  it('takes a quarter of the time at most in the long run, whatever its pieces are', async () => {
    for (const pieceMs of [5, 20, LONG_MS, 100, 1_000]) {
      const bench = new Bench();
      let workedMs = 0;
      for (; workedMs < 20_000; workedMs += pieceMs) await bench.clock.runUntil(bench.work('a', pieceMs));
      expect(bench.nowMs).toBeGreaterThanOrEqual((workedMs - CREDIT_MS - pieceMs) * PAUSE);
      expect(bench.nowMs).toBeLessThanOrEqual((workedMs + pieceMs) * (1 + PAUSE));
    }
  });

  it('in short pieces has its credit again after a rest', async () => {
    const bench = new Bench();
    for (let round = 0; round < 3; round += 1) {
      const startedMs = bench.clock.now();
      for (let n = 0; n < CREDIT_MS / 10; n += 1) await bench.work('a', 10);
      expect(bench.clock.now()).toBe(startedMs);
      await bench.clock.advance(60_000);
    }
  });

  it('that fails reports its error, and the next piece still runs', async () => {
    const bench = new Bench();
    void bench.work('a', 100);
    const failing = bench.turns.run('a', () => {
      throw new Error('no answer');
    });
    const next = bench.work('a', 1);
    await expect(bench.clock.runUntil(failing)).rejects.toThrow('no answer');
    await bench.clock.runUntil(next);
  });

  it('waits no longer than a minute, whatever the clock does', async () => {
    const bench = new Bench();
    await bench.work('a', 3_600_000);
    await bench.clock.runUntil(bench.work('a', 1));
    expect(bench.clock.now()).toBeLessThanOrEqual(60_000);
  });
});
