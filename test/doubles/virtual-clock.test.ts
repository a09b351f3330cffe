import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../support/doubles/virtual-clock.ts';

describe('virtual clock', () => {
  it('fires timers in the order of their time, then of their making', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.after(20, () => fired.push('late'));
    clock.after(10, () => fired.push('first'));
    clock.after(10, () => fired.push('second'));
    await clock.advance(15);
    expect(fired).toEqual(['first', 'second']);
    await clock.advance(5);
    expect(fired).toEqual(['first', 'second', 'late']);
  });

  it('shows each timer its own time and ends at the time that was asked for', async () => {
    const clock = new VirtualClock({ startMs: 1_000 });
    const seen: number[] = [];
    clock.after(10, () => seen.push(clock.now()));
    clock.after(30, () => seen.push(clock.now()));
    await clock.advanceTo(1_050);
    expect([...seen, clock.now()]).toEqual([1_010, 1_030, 1_050]);
  });

  it('lets the work of one timer settle before the next one fires', async () => {
    const clock = new VirtualClock();
    const told: string[] = [];
    const work = async (): Promise<void> => {
      await clock.sleep(10);
      for (let step = 0; step < 100; step += 1) await Promise.resolve();
      told.push('worked');
      await clock.sleep(5);
      told.push('worked again');
    };
    void work();
    clock.after(12, () => told.push('timer'));
    await clock.advance(20);
    expect(told).toEqual(['worked', 'timer', 'worked again']);
  });

  it('wakes a sleeper with the reason of the abort and leaves no timer', async () => {
    const clock = new VirtualClock();
    const abort = new AbortController();
    const sleeping = clock.sleep(1_000, abort.signal);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(clock.sleep(1, abort.signal)).rejects.toThrow('enough');
    expect(clock.pendingTimers).toBe(0);
  });

  it('forgets a cancelled timer', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const cancel = clock.after(10, () => fired.push('never'));
    clock.after(10, () => fired.push('other'));
    cancel();
    cancel();
    await clock.advance(10);
    expect(fired).toEqual(['other']);
  });

  it('gives the same chance for the same seed, within [0, 1)', () => {
    const draw = (seed: number): number[] => {
      const clock = new VirtualClock({ seed });
      return Array.from({ length: 50 }, () => clock.random());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7).every((value) => value >= 0 && value < 1)).toBe(true);
  });

  it('runs until a piece of work ends, and says when nothing can end it', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const work = async (): Promise<string> => {
      await clock.sleep(60_000);
      await clock.sleep(60_000);
      return 'done';
    };
    await expect(clock.runUntil(work())).resolves.toBe('done');
    expect(clock.now()).toBe(120_000);
    await expect(clock.runUntil(new Promise(() => {}))).rejects.toThrow('did not end');
  });

  it('throws on what a timer throws and can be moved again', async () => {
    const clock = new VirtualClock();
    clock.after(1, () => {
      throw new Error('broken timer');
    });
    await expect(clock.advance(1)).rejects.toThrow('broken timer');
    await clock.advance(1);
    await expect(clock.advance(-1)).rejects.toThrow('cannot go back');
  });
});
