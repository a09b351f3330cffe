import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../../src/service/http/exchange.ts';
import { inProcessExchange } from '../../support/doubles/in-process-exchange.ts';
import { Bench, NAME } from '../support/bench.ts';

const HOUR_MS = 3_600_000;

/** Creates a bench whose exchanges the test can make fail. */
function aBench(): { bench: Bench; fail: { by?: Exchange['send'] } } {
  const bench = new Bench({ many: 3 });
  const fail: { by?: Exchange['send'] } = {};
  bench.open = (settings) => {
    const exchange = inProcessExchange(bench.service, settings, bench.clock);
    return { ...exchange, send: (...asked) => (fail.by ?? exchange.send)(...asked) };
  };
  bench.configure({ requestTimeoutMs: 30_001 });
  return { bench, fail };
}

describe('the health of connections', () => {
  test('is good at rest, and before the first check', async () => {
    const { bench } = aBench();
    await bench.clock.advance(HOUR_MS);
    expect(bench.pool.unhealthy()).toBeUndefined();
    await bench.ready();
    await bench.clock.advance(HOUR_MS);
    expect(bench.pool.unhealthy()).toBeUndefined();
  });

  test.each([
    { name: 'fails', status: 500, headers: {}, afterMs: 10 },
    { name: 'answers late', status: 504, headers: {}, afterMs: 30_000 },
    { name: 'asks for a long pause', status: 429, headers: { 'retry-after': '7200' }, afterMs: 10 },
  ])('is good while the service $name: a restart would not help', async ({ afterMs, ...answer }) => {
    const { bench, fail } = aBench();
    await bench.ready();
    fail.by = async () => {
      await bench.clock.sleep(afterMs);
      return { ...answer, text: '' };
    };
    for (let minute = 0; minute < 180; minute += 1) {
      await bench.clock.advance(60_000);
      // The reconciler of connections does the same.
      bench.pool.check(NAME, bench.signal).catch(() => undefined);
      expect(bench.pool.unhealthy()).toBeUndefined();
    }
  });

  test('is good while a service hangs for as long as its connection allows, be it an hour', async () => {
    const { bench, fail } = aBench();
    bench.configure({ requestTimeoutMs: HOUR_MS });
    await bench.ready();
    fail.by = () => new Promise(() => undefined);
    await bench.clock.advance(HOUR_MS);
    expect(bench.pool.unhealthy()).toBeUndefined();
  });

  test('is bad when a call does not end after its deadline', async () => {
    const { bench, fail } = aBench();
    await bench.ready();
    fail.by = () => new Promise(() => undefined);
    await bench.clock.advance(10 * 60_000);
    expect(bench.pool.unhealthy()).toBeUndefined();
    await bench.clock.advance(10 * 60_000);
    expect(bench.pool.unhealthy()).toBe('Connection/team-a/default: the sweep under way does not end');
  });
});
