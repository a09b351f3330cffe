import { describe, expect, test } from 'vitest';
import { Bench, type Given, NAME, NAMED } from '../support/bench.ts';

const LATENCY_MS = 100;
const SHOWN = {
  sourceConfig: { resource_spec: { cpu: 1 } },
  secrets: [{ name: 'API_TOKEN', value: 'a-token' }],
};
/** The first page shows secrets and resource specs, so that their absence elsewhere has a meaning. */
const TELLING = Array.from({ length: 350 }, (_, number) => ({ name: `agent-${number}`, ...SHOWN }));

/** Creates a service with a long list and slow pages, and makes the first check. */
async function firstLook(given: Given = {}): Promise<Bench> {
  const bench = new Bench({ named: TELLING, semantics: { latencyMs: LATENCY_MS }, ...given });
  const { deployments } = await bench.firstCheck();
  expect(deployments).toBeUndefined();
  return bench;
}

describe('the first check of a long list', () => {
  test('ends with its first page; another check follows the sweep, and makes no call', async () => {
    const bench = await firstLook();
    expect(bench.lists().length).toBeLessThan(4);
    await bench.client();
    expect(bench.troubles).toEqual([]);
    await bench.clock.advance(5 * LATENCY_MS);
    expect(bench.troubles).toEqual([NAMED]);
    const again = bench.firstCheck();
    expect((await again).deployments).toEqual({ total: 350 });
    expect(bench.lists()).toHaveLength(5);
  });

  test('of a short list reads all of it', async () => {
    const bench = new Bench({ many: 99, semantics: { latencyMs: LATENCY_MS } });
    expect((await bench.firstCheck()).deployments).toEqual({ total: 99 });
    expect(bench.troubles).toEqual([]);
  });

  test('lets user requests go ahead of the sweep, and no others', async () => {
    const bench = await firstLook();
    const client = await bench.client();
    const id = bench.id('agent-349');
    const swept: string[] = [];
    const atRest = client
      .observe({ by: 'id', id }, { notOlderThanMs: 0, priority: 'resync' }, bench.signal)
      .then(({ kind }) => swept.push(kind));
    expect(await bench.observeID(client, id)).toMatchObject({ kind: 'present', via: 'list' });
    expect(bench.lists().filter((query) => query.includes('deployment_ids'))).toEqual([
      `deployment_ids=${id}&limit=1`,
    ]);
    expect(swept).toEqual([]);
    await bench.clock.runUntil(atRest);
    expect(swept).toEqual(['present']);
  });

  test('lets no request ahead before the client knows what the service lists', async () => {
    const bench = await firstLook({ named: TELLING.map(({ name }) => ({ name })) });
    const client = await bench.client();
    expect(await bench.observeID(client, bench.id('agent-349'))).toMatchObject({ kind: 'present' });
    expect(bench.lists().some((query) => query.includes('deployment_ids'))).toBe(false);
  });

  test('is followed by one that finds most deployments missing', async () => {
    const bench = await firstLook();
    bench.bound = Array.from(
      { length: 20 },
      (_, number) => `00000000-0000-4000-8000-0000000000${10 + number}`,
    );
    await bench.clock.advance(5 * LATENCY_MS);
    expect(bench.troubles).toEqual([NAMED]);
    await expect(bench.firstCheck()).rejects.toMatchObject({ reason: 'MassAbsence' });
  });

  test('is revoked if the rest of the list cannot be read', async () => {
    const bench = await firstLook();
    await bench.client();
    bench.service.faults.add({
      match: { operation: 'list' },
      times: 2,
      fault: { kind: 'status', status: 403, body: '{}' },
    });
    await bench.clock.advance(5 * LATENCY_MS);
    expect(bench.troubles).toEqual([NAMED]);
    await expect(bench.firstCheck()).rejects.toMatchObject({ reason: 'Forbidden' });
    bench.pool.markNotReady(NAME, { reason: 'Forbidden', message: 'forbidden' });
    expect((await bench.firstCheck()).deployments).toEqual({ total: 350 });
  });
});

describe('a later sweep over a long list', () => {
  test('does not delay user requests, and serves all others', async () => {
    const bench = await firstLook();
    const client = await bench.client();
    await bench.clock.advance(5 * LATENCY_MS);
    await bench.firstCheck();
    const id = bench.id('agent-349');
    const notOlderThanMs = bench.clock.now();
    const observe = (priority: 'user' | 'resync') =>
      client.observe({ by: 'id', id }, { notOlderThanMs, priority }, bench.signal);
    const sweep = client.observe(
      { by: 'name', name: 'agent-0' },
      { notOlderThanMs, priority: 'resync' },
      bench.signal,
    );
    await bench.clock.advance(1);
    const ended: string[] = [];
    const all = [
      sweep.then(() => ended.push('sweep')),
      observe('resync').then(() => ended.push('resync')),
      observe('user').then(() => ended.push('user')),
    ];
    await bench.clock.runUntil(Promise.all(all));
    expect(ended).toEqual(['user', 'sweep', 'resync']);
    expect(bench.lists().filter((query) => query.includes('deployment_ids'))).toHaveLength(1);
  });
});
