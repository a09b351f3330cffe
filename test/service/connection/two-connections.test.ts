import { describe, expect, test } from 'vitest';
import type { ConnectionName, ConnectionSettings } from '../../../src/model/connection/connection.ts';
import type { ExternalClient } from '../../../src/ports/service/external-client.ts';
import { aResource } from '../../support/resources/builders.ts';
import { Bench, NAME, NAMED, told } from '../support/bench.ts';

const CALLER = { priority: 'user', namespace: 'team-a' } as const;
const OTHER: ConnectionName = { kind: 'Connection', namespace: 'team-a', name: 'other' };

describe('two connections to one service', () => {
  const rateLimit = { requestsPerSecond: 1, burst: 1, concurrency: 1 };
  const patch = (bench: Bench, client: ExternalClient): Promise<unknown> => {
    const before = { id: bench.id('agent'), name: 'agent' };
    const body = { sourceConfig: { fields: { customURL: 'https://a.example.com' } } };
    return told(
      client.withPermit(CALLER, () => client.patch(before.id, { before, body }, bench.signal), bench.signal),
    );
  };

  /** Creates two ready connections with the same settings except their names. */
  async function pair(settings: Partial<ConnectionSettings> = {}) {
    const bench = new Bench({ named: [{ name: 'agent' }], settings });
    bench.pool.configure(bench.settings({ ...settings, name: OTHER }), {});
    await bench.check(NAME);
    await bench.check(OTHER);
    const other = aResource({ connectionRef: { kind: 'Connection', name: 'other' } });
    return { bench, one: await bench.client(), two: await bench.client(other) };
  }

  test('each have a client, a limiter and an exchange', async () => {
    const { bench, one, two } = await pair({ rateLimit });
    expect(one).not.toBe(two);
    expect(bench.exchanges.map(({ settings }) => settings.name)).toEqual([NAME, OTHER]);
    const patched = patch(bench, one);
    for (let n = 0; n < 5; n += 1) void patch(bench, one);
    const startedMs = bench.clock.now();
    await bench.clock.runUntil(patch(bench, two));
    expect(bench.clock.now() - startedMs).toBeLessThanOrEqual(1_000);
    expect(bench.metrics.states.get(NAMED)?.().waiting).toBeGreaterThan(3);
    expect(bench.metrics.states.get('Connection/team-a/other')?.().waiting).toBe(0);
    await bench.clock.runUntil(patched);
  });

  test('sweep, wait for the service and meet trouble each for themselves', async () => {
    const { bench, one, two } = await pair();
    expect(bench.metrics.count(`${NAMED} swept complete`)).toBe(1);
    expect(bench.metrics.count('Connection/team-a/other swept complete')).toBe(1);
    bench.service.faults.add({
      match: { operation: 'patch' },
      fault: { kind: 'status', status: 429, headers: { 'Retry-After': '60' } },
    });
    expect(await bench.clock.runUntil(patch(bench, one))).toBe('connection RateLimited');
    expect(bench.troubles).toEqual([NAMED]);
    expect([...bench.metrics.states.values()].map((state) => state().gateClosed)).toEqual([true, false]);
    expect(await bench.clock.runUntil(patch(bench, two))).toMatchObject({ kind: 'shown' });
  });

  test('learn, are changed, are suspended and are removed independently', async () => {
    const { bench, one, two } = await pair();
    await bench.clock.runUntil(patch(bench, one));
    const id = bench.id('agent');
    expect([one.learning.written(id) !== undefined, two.learning.written(id)]).toEqual([true, undefined]);
    bench.configure({ suspend: true });
    expect([one.settings.suspend, two.settings.suspend]).toEqual([true, false]);
    expect(await bench.clock.runUntil(patch(bench, two))).toMatchObject({ kind: 'shown' });
    bench.pool.remove(NAME);
    expect(bench.exchanges.filter(({ closed }) => !closed).map(({ settings }) => settings.name)).toEqual([
      OTHER,
    ]);
    expect(await bench.clock.runUntil(patch(bench, two))).toMatchObject({ kind: 'shown' });
  });
});
