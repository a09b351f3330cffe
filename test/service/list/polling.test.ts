import { describe, expect, test } from 'vitest';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import type { OffsetMode } from '../../../src/simulator/switches/semantics.ts';
import { Bench, NAME, NAMED } from '../support/bench.ts';

const INTERVAL_MS = 60_000;

/** Returns the number of list calls in each of the next sweeps. */
async function callsPerSweep(bench: Bench, sweeps: number): Promise<readonly number[]> {
  const calls: number[] = [];
  while (calls.length < sweeps) {
    const before = bench.metrics.notes.filter((note) => note.includes('swept')).length;
    const count = await bench.listCalls(async () => {
      while (bench.metrics.notes.filter((note) => note.includes('swept')).length === before)
        await bench.clock.advance(1_000);
    });
    calls.push(count);
  }
  return calls;
}

describe('a sweep', () => {
  test('of 250 deployments takes three calls; the first one and every tenth take four', async () => {
    const bench = new Bench({ many: 250 });
    expect(await bench.listCalls(() => bench.check())).toBe(4);
    expect(await callsPerSweep(bench, 20)).toEqual([
      ...[3, 3, 3, 3, 3, 3, 3, 3, 3, 4],
      ...[3, 3, 3, 3, 3, 3, 3, 3, 3, 4],
    ]);
  });

  test.each([1, 99, 100, 101, 150, 1_050])('of %i deployments takes floor(N/100)+1 calls', async (many) => {
    const bench = new Bench({ many });
    await bench.check();
    expect(await callsPerSweep(bench, 3)).toEqual(Array(3).fill(Math.floor(many / 100) + 1));
    expect(bench.metrics.states.get(NAMED)?.().snapshotAgeSeconds).toBeDefined();
  });

  // A complete sweep, which alone proves absence, also reads the empty page behind the last one.
  test.each([1, 150])(
    'of %i deployments at rest is all that is called: floor(N/100)+1, one more every tenth time, and the providers at the check',
    async (many) => {
      const bench = new Bench({ many });
      await bench.check();
      const calls = Math.floor(many / 100) + 1;
      const before = bench.service.log.requests().length;
      expect(await callsPerSweep(bench, 10)).toEqual([...Array<number>(9).fill(calls), calls + 1]);
      await bench.check();
      const since = bench.service.log.requests().slice(before);
      expect(since.filter(({ operation }) => operation !== 'list').map(({ operation }) => operation)).toEqual(
        ['providers'],
      );
      expect(since).toHaveLength(10 * calls + 2);
    },
  );

  test.each<[mode: OffsetMode, many: number]>([
    ['next', 230],
    ['echo', 230],
    ['limit-step', 230],
    ['total', 230],
    ['missing', 230],
    ['wraps-to-0', 230],
    ['wraps-to-0', 200],
  ])('finds every deployment, whatever the returned offset means: %s with %i', async (offsetMode, many) => {
    const bench = new Bench({ many, semantics: { offsetMode, listOrder: 'shuffled' } });
    const { deployments, message } = await bench.check();
    expect(deployments?.total).toBe(many);
    expect(message).toBeUndefined();
    expect(bench.metrics.count(`${NAMED} swept complete`)).toBe(1);
  });

  test.each([7, 50])('finds every deployment if the service limits its pages to %i', async (pageCap) => {
    const bench = new Bench({ many: 120, semantics: { pageCap } });
    expect((await bench.check()).deployments?.total).toBe(120);
  });

  test('asks for no more than the page size of the connection', async () => {
    const bench = new Bench({ many: 30 });
    bench.configure({ list: { ...bench.settings().list, pageSize: 10 } });
    await bench.check();
    expect(bench.lists()).toEqual(['0', '10', '20', '30'].map((offset) => `limit=10&offset=${offset}`));
  });

  test('is made once for 200 resources that ask at the same time (H30)', async () => {
    const bench = new Bench({ many: 200 });
    const client = await bench.ready();
    const calls = await bench.listCalls(async () => {
      const notOlderThanMs = bench.clock.now();
      const asking = bench.service
        .deployments()
        .map(({ name }) =>
          client.observe({ by: 'name', name }, { notOlderThanMs, priority: 'user' }, bench.signal),
        );
      const seen = await bench.clock.runUntil(Promise.all(asking));
      expect(new Set(seen.map(({ kind }) => kind))).toEqual(new Set(['present']));
    });
    expect(calls).toBeLessThanOrEqual(3);
  });
});

describe('steady polling', () => {
  test('varies by a fifth around the interval', async () => {
    const bench = new Bench({ many: 1 });
    await bench.check();
    const began: number[] = [];
    for (let n = 0; n < 30; n += 1) {
      await bench.listCalls(async () => callsPerSweep(bench, 1));
      began.push(bench.service.log.requests('list').at(-1)!.beganMs);
    }
    const gaps = began.slice(1).map((ms, n) => ms - began[n]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.8 * INTERVAL_MS);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.2 * INTERVAL_MS);
    expect(new Set(gaps).size).toBeGreaterThan(10);
  });

  test('uses a shorter interval at once', async () => {
    const bench = new Bench({ many: 1, settings: { poll: { intervalMs: 86_400_000, rolloutMs: 10_000 } } });
    await bench.check();
    bench.configure({ poll: { intervalMs: 10_000, rolloutMs: 10_000 } });
    expect(await bench.listCalls(() => bench.clock.advance(61_000))).toBeGreaterThanOrEqual(5);
  });

  test('keeps its pace after a pause and a start during a sweep', async () => {
    const bench = new Bench({ many: 1, semantics: { latencyMs: 5_000 } });
    await bench.check();
    const before = bench.service.log.count('list');
    while (bench.service.log.count('list') === before) await bench.clock.advance(1_000);
    // The answer to the sweep arrives seconds later.
    bench.pool.markNotReady(NAME, { reason: 'Unreachable', message: 'for a moment' });
    await bench.check();
    expect(await bench.listCalls(() => bench.clock.advance(10 * INTERVAL_MS))).toBeLessThanOrEqual(13);
  });

  test('reports which deployments changed, appeared and disappeared, and nothing at the first sweep', async () => {
    const bench = new Bench({ named: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
    await bench.check();
    expect(bench.changes).toEqual([]);
    bench.service.act({
      kind: 'edit',
      deployment: 'a',
      path: 'source_config.custom_url',
      value: 'https://x',
    });
    bench.service.act({ kind: 'delete', deployment: 'b' });
    await bench.clock.advance(15 * INTERVAL_MS);
    expect(bench.changes.toSorted()).toEqual(['a', 'b']);
    bench.service.act({ kind: 'add', seed: deploymentSeed('d') });
    await bench.clock.advance(15 * INTERVAL_MS);
    expect(bench.changes.toSorted()).toEqual(['a', 'b', 'd']);
  });

  test('notices a changed secret value without showing it', async () => {
    const bench = new Bench({ named: [{ name: 'a', secrets: [{ name: 'TOKEN', value: 'before' }] }] });
    await bench.check();
    const body = { secrets: [{ name: 'TOKEN', value: 'after' }] };
    await bench.service.handle({
      method: 'PATCH',
      path: `/v2/deployments/${bench.id('a')}`,
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await bench.clock.advance(2 * INTERVAL_MS);
    expect(bench.changes).toEqual(expect.arrayContaining(['a']));
  });
});

describe('a service that is down', () => {
  const down = (bench: Bench): void =>
    bench.service.faults.add({ match: {}, fault: { kind: 'status', status: 503 }, times: 0 });

  test('is asked three times, reported once, and then left alone until it is checked', async () => {
    const bench = new Bench({ many: 150 });
    await bench.check();
    down(bench);
    const calls = await bench.listCalls(() => bench.clock.advance(3_600_000));
    expect(calls).toBe(3);
    expect(bench.troubles).toEqual([NAMED]);
    expect(bench.metrics.count(`${NAMED} swept failed`)).toBe(1);
  });

  test('is not asked again for each of 200 resources', async () => {
    const bench = new Bench({ many: 200 });
    const client = await bench.ready();
    down(bench);
    const notOlderThanMs = bench.clock.now() + 1;
    await bench.clock.advance(1);
    const asking = bench.service.deployments().map(({ name }) =>
      client.observe({ by: 'name', name }, { notOlderThanMs, priority: 'user' }, bench.signal).then(
        () => 'shown',
        (error: unknown) => (error as { readonly reason?: string }).reason,
      ),
    );
    const calls = await bench.listCalls(() => bench.clock.runUntil(Promise.all(asking)));
    expect(calls).toBe(3);
    expect(new Set(await Promise.all(asking))).toEqual(new Set(['Unreachable']));
    expect(bench.troubles).toEqual([NAMED]);
  });

  test('works again after a check, without a restart, and reports nothing that it had not reported (H62)', async () => {
    const bench = new Bench({ many: 150 });
    const client = await bench.ready();
    down(bench);
    await bench.clock.advance(2 * INTERVAL_MS);
    await expect(bench.check()).rejects.toMatchObject({ reason: 'Unreachable', sent: 'no', status: 503 });
    expect(bench.changes).toEqual([]);
    bench.service.faults.clear();
    await bench.clock.advance(300_000);
    expect((await bench.check()).deployments?.total).toBe(150);
    expect((await bench.observe(client, 'load-00149')).kind).toBe('present');
    expect(await bench.listCalls(() => bench.clock.advance(10 * INTERVAL_MS))).toBeGreaterThan(10);
  });
});
