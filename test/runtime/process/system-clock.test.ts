import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { neverBack, scaledClock, systemClock } from '../../../src/runtime/process/system-clock.ts';

/** A clock on which an hour passes in under a millisecond of real time. */
const fast = scaledClock(10_000_000);

describe('real clock', () => {
  it('shows the present time', () => {
    const beforeMs = Date.now();
    const shownMs = systemClock.now();
    expect(shownMs).toBeGreaterThanOrEqual(beforeMs);
    expect(shownMs).toBeLessThanOrEqual(Date.now());
  });

  it('sleeps, and fires timers', async () => {
    const fired = Promise.withResolvers<void>();
    systemClock.after(1, fired.resolve);
    await Promise.all([systemClock.sleep(1), fired.promise]);
  });

  it('wakes at once on an abort, with its reason, and releases the signal', async () => {
    const abort = new AbortController();
    const sleeping = systemClock.sleep(3_600_000, abort.signal);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    abort.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(systemClock.sleep(3_600_000, abort.signal)).rejects.toThrow('enough');
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  it('releases the signal after a sleep that ended', async () => {
    const { signal } = new AbortController();
    for (let n = 0; n < 20; n += 1) await systemClock.sleep(0, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('does not fire a cancelled timer', async () => {
    const fired: string[] = [];
    const cancel = systemClock.after(1, () => fired.push('cancelled'));
    cancel();
    await systemClock.sleep(3);
    expect(fired).toEqual([]);
  });

  it('waits longer than a timer of the platform can', async () => {
    const fired: string[] = [];
    const cancels = [2_147_483_648, 1e15, Number.POSITIVE_INFINITY].map((ms) =>
      systemClock.after(ms, () => fired.push(`after ${ms}`)),
    );
    await systemClock.sleep(5);
    expect(fired).toEqual([]);
    for (const cancel of cancels) cancel();
  });

  it('refuses a delay that is not a number', () => {
    expect(() => systemClock.after(Number.NaN, () => {})).toThrow(RangeError);
  });

  it('draws from [0, 1)', () => {
    const draws = Array.from({ length: 100 }, () => systemClock.random());
    expect(draws.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(new Set(draws).size).toBeGreaterThan(90);
  });
});

describe('a clock that never goes back', () => {
  it('goes on from where it was if the wall clock is set back, and follows it forwards', () => {
    let [wallMs, steadyMs] = [1_000_000, 50.5];
    const now = neverBack(
      () => wallMs,
      () => steadyMs,
    );
    const passes = (ms: number, setByMs: number): number => {
      wallMs += ms + setByMs;
      steadyMs += ms;
      return now();
    };
    expect(now()).toBe(1_000_000);
    expect(passes(500, 0)).toBe(1_000_500);
    expect(passes(500, -600_000), 'set back').toBe(1_001_000);
    expect(passes(500, 0), 'still behind').toBe(1_001_500);
    expect(passes(500, 600_000), 'set right again').toBe(1_002_000);
    expect(passes(500, 600_000), 'set forward').toBe(1_602_500);
  });

  it('follows a wall clock that went on while the machine was suspended', () => {
    let wallMs = 0;
    const now = neverBack(
      () => wallMs,
      () => 0,
    );
    now();
    wallMs = 3_600_000;
    expect(now()).toBe(3_600_000);
  });
});

describe('scaled clock', () => {
  it('sleeps an hour of its own in no time, and shows that it passed', async () => {
    const beforeMs = fast.now();
    await fast.sleep(3_600_000);
    expect(fast.now() - beforeMs).toBeGreaterThanOrEqual(3_600_000);
  });

  it('starts at the present time', () => {
    expect(Math.abs(scaledClock(60).now() - Date.now())).toBeLessThan(60_000);
  });

  it('fires its timers by its own time', async () => {
    const order: string[] = [];
    const last = Promise.withResolvers<void>();
    fast.after(200_000_000, () => {
      order.push('late');
      last.resolve();
    });
    fast.after(3_600_000, () => order.push('early'));
    await last.promise;
    expect(order).toEqual(['early', 'late']);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses the speed %s', (speed) => {
    expect(() => scaledClock(speed)).toThrow(RangeError);
  });
});
