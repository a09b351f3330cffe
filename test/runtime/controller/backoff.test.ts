import { describe, expect, it } from 'vitest';
import { Backoff } from '../../../src/runtime/controller/backoff.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const KEY = { kind: 'Deployment', namespace: 'a', name: 'one' };
const OTHER = { kind: 'Deployment', namespace: 'a', name: 'other' };

/** Returns a clock whose random number is constant. */
function clockWith(random: number): VirtualClock {
  return Object.assign(new VirtualClock(), { random: () => random });
}

describe('backoff', () => {
  it('doubles its ceiling with every failure, up to the cap', () => {
    const backoff = new Backoff({ clock: clockWith(0.999_999_999) });
    const delays = Array.from({ length: 12 }, () => Math.round(backoff.next(KEY)));
    expect(delays).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000, 300_000,
    ]);
  });

  it('never waits less than its base, whatever the random number', () => {
    const backoff = new Backoff({ clock: clockWith(0) });
    expect([backoff.next(KEY), backoff.next(KEY), backoff.next(KEY)]).toEqual([500, 500, 500]);
  });

  it('spreads keys that failed together over the whole range', () => {
    const backoff = new Backoff({ clock: new VirtualClock({ seed: 3 }) });
    const delays = Array.from({ length: 200 }, (_, n) => backoff.next({ ...KEY, name: `name-${n}` }));
    expect(delays.every((ms) => ms >= 500 && ms < 1_000)).toBe(true);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(400);
  });

  it('counts each key separately, and starts again after it was forgotten', () => {
    const backoff = new Backoff({ clock: clockWith(0.5) });
    backoff.next(KEY);
    backoff.next(KEY);
    backoff.next(OTHER);
    expect([backoff.failures(KEY), backoff.failures(OTHER)]).toEqual([2, 1]);
    backoff.forget(KEY);
    expect([backoff.failures(KEY), backoff.failures(OTHER)]).toEqual([0, 1]);
    expect(backoff.next(KEY)).toBe(750);
  });

  it('stays at the cap after any number of failures', () => {
    const backoff = new Backoff({ clock: clockWith(0.999_999_999) });
    for (let n = 0; n < 2_000; n += 1) backoff.next(KEY);
    expect(Math.round(backoff.next(KEY))).toBe(300_000);
  });
});
