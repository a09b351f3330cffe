import { describe, expect, it } from 'vitest';
import { Changes, untilFound } from '../../../src/runtime/controller/changes.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

describe('the search for a result', () => {
  it.each([
    { tookMs: 0, pauseMs: 50 },
    { tookMs: 2, pauseMs: 50 },
    { tookMs: 20, pauseMs: 180 },
  ])('takes at most a tenth of the time: $tookMs ms a look, then a pause of $pauseMs ms', async (about) => {
    const changes = new Changes();
    const pauses: number[] = [];
    let nowMs = 0;
    const clock = Object.assign(new VirtualClock(), {
      now: () => nowMs,
      sleep: async (ms: number) => void pauses.push(ms),
    });
    const look = (): true | undefined => {
      nowMs += about.tookMs;
      queueMicrotask(() => changes.tell());
      return pauses.length === 3 ? true : undefined;
    };
    await untilFound(look, { changes, clock, everyMs: 50 }, new AbortController().signal);
    expect(pauses).toEqual([about.pauseMs, about.pauseMs, about.pauseMs]);
  });
});
