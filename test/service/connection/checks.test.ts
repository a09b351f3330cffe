import { describe, expect, test } from 'vitest';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { Bench, NAME, NAMED, told } from '../support/bench.ts';

const CALLER = { priority: 'user', namespace: 'team-a' } as const;

describe('a list other than that of the deployments', () => {
  const INTEGRATION = '11111111-2222-4333-8444-555555555555';

  test('is read by one call for a thousand callers, and again for callers that need a newer one', async () => {
    const bench = new Bench({ many: 1, semantics: { latencyMs: 50 } });
    const client = await bench.ready();
    const { log } = bench.service;
    const [providers, repositories] = [log.count('providers'), log.count('repositories')];
    const askAll = (notOlderThanMs: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: 1_000 }, async () => {
          await client.providers(notOlderThanMs, bench.signal);
          await client.repositories(INTEGRATION, notOlderThanMs, bench.signal);
        }),
      );
    await bench.clock.advance(1);
    const beganMs = bench.clock.now();
    await bench.clock.runUntil(askAll(beganMs));
    await bench.clock.runUntil(askAll(beganMs));
    expect([log.count('providers') - providers, log.count('repositories') - repositories]).toEqual([1, 1]);
    await bench.clock.runUntil(askAll(bench.clock.now()));
    expect([log.count('providers') - providers, log.count('repositories') - repositories]).toEqual([2, 2]);
  });

  test('belongs to an address, and is read again at another one', async () => {
    const bench = new Bench({ many: 1 });
    await bench.ready();
    const before = bench.service.log.count('providers');
    bench.configure({ baseURL: 'https://elsewhere.example.com' });
    await bench.check();
    await (await bench.client()).providers(0, bench.signal);
    expect(bench.service.log.count('providers') - before).toBe(1);
  });

  test('is read at every check after an interval', async () => {
    const bench = new Bench({ many: 1 });
    await bench.ready();
    const before = bench.service.log.count('providers');
    for (let n = 0; n < 3; n += 1) {
      await bench.clock.advance(600_000);
      await bench.check();
      await bench.check();
    }
    expect(bench.service.log.count('providers') - before).toBe(3);
  });

  test('releases a caller that gives up, and serves the others', async () => {
    const bench = new Bench({ many: 1, semantics: { latencyMs: 1_000 } });
    const client = await bench.ready();
    await bench.clock.advance(1);
    const caller = new AbortController();
    const now = bench.clock.now();
    const impatient = client.providers(now, caller.signal).catch((error: unknown) => String(error));
    const patient = client.providers(now, bench.signal);
    await bench.clock.advance(500);
    caller.abort(new Error('given up'));
    expect(await impatient).toBe('Error: given up');
    expect(await bench.clock.runUntil(patient)).toEqual({ items: [], more: false });
  });
});

describe('a check after trouble', () => {
  const SWEEP = 'limit=100&offset=0';
  const patchBody = { sourceConfig: { fields: { customURL: 'https://a.example.com' } } };

  async function refusedWrite(
    bench: Bench,
    fault: Parameters<Bench['service']['faults']['add']>[0]['fault'],
  ) {
    const client = await bench.ready();
    bench.service.faults.add({ match: { operation: 'patch' }, fault });
    const before = { id: bench.id('agent'), name: 'agent' };
    const write = (): Promise<unknown> =>
      client.patch(before.id, { before, body: patchBody }, bench.signal).catch((error: unknown) => error);
    await bench.clock.runUntil(client.withPermit(CALLER, write, bench.signal));
  }

  test('of a write reads one item of a list of 250', async () => {
    const bench = new Bench({ many: 250, named: [{ name: 'agent' }] });
    await refusedWrite(bench, { kind: 'status', status: 302 });
    expect(bench.troubles).toEqual([NAMED]);
    const before = bench.lists().length;
    expect((await bench.check()).deployments?.total).toBe(251);
    expect(bench.lists().slice(before)).toEqual(['limit=1&offset=0']);
    expect((await bench.client()).settings.name).toEqual(NAME);
  });

  test('of a sweep makes another sweep, since the first page proves nothing about the third', async () => {
    const bench = new Bench({ many: 250 });
    await bench.ready();
    const third = { operation: 'list', nth: 3 } as const;
    bench.service.faults.add({ match: third, times: 0, fault: { kind: 'status', status: 500 } });
    await bench.clock.advance(120_000);
    expect(bench.troubles).toEqual([NAMED]);
    expect(await told(bench.check())).toBe('connection Unreachable');
    expect(await told(bench.check())).toBe('connection Unreachable');
    bench.service.faults.clear();
    const before = bench.lists().length;
    await bench.check();
    expect(bench.lists().slice(before)).toContain(SWEEP);
    expect(bench.lists().length - before).toBeGreaterThanOrEqual(3);
  });

  test('with another credential makes a sweep and reads the providers again', async () => {
    const bench = new Bench({ many: 3 });
    await bench.ready();
    await bench.clock.advance(1);
    const before = bench.service.log.requests().length;
    bench.configure({ headers: [{ name: 'X-Api-Key', value: new SecretValue('another') }] });
    await bench.check();
    const operations = bench.service.log.requests().slice(before);
    expect(operations.map(({ operation }) => operation)).toEqual(['list', 'providers']);
  });
});

describe('a check of a service that takes a minute to answer', () => {
  const slow = () =>
    new Bench({
      ...{ many: 3, semantics: { latencyMs: 60_000 }, settings: { requestTimeoutMs: 300_000 } },
      checkLimitMs: 30_000,
    });

  test('waits for the answer if the check has no limit, as in a command that looks once', async () => {
    const bench = new Bench({
      ...{ many: 3, semantics: { latencyMs: 60_000 }, settings: { requestTimeoutMs: 300_000 } },
    });
    const beganMs = bench.clock.now();
    expect((await bench.firstCheck()).deployments?.total).toBe(3);
    expect(bench.clock.now() - beganMs).toBeGreaterThanOrEqual(60_000);
  });

  test('gives its worker back after 30 s, and the next one takes what the look found', async () => {
    const bench = slow();
    const beganMs = bench.clock.now();
    expect(await told(bench.firstCheck())).toBe('waiting ConnectionNotReady');
    expect(bench.clock.now() - beganMs).toBe(30_000);
    await bench.clock.advance(300_000);
    expect(bench.troubles).toEqual([NAMED]);
    const before = bench.service.log.requests().length;
    expect((await bench.firstCheck()).deployments?.total).toBe(3);
    expect(bench.service.log.requests().length).toBe(before);
    expect((await bench.client()).settings.name).toEqual(NAME);
  });

  test('gets the error with which the first check ended', async () => {
    const bench = slow();
    bench.service.faults.add({ match: { operation: 'list' }, fault: { kind: 'status', status: 401 } });
    expect(await told(bench.firstCheck())).toBe('waiting ConnectionNotReady');
    await bench.clock.advance(300_000);
    expect(bench.troubles).toEqual([NAMED]);
    expect(await told(bench.firstCheck())).toBe('connection AuthFailed');
  });

  test('starts again if the settings changed meanwhile', async () => {
    const bench = slow();
    expect(await told(bench.firstCheck())).toBe('waiting ConnectionNotReady');
    const headers = [{ name: 'X-Api-Key', value: new SecretValue('another') }];
    bench.configure({ requestTimeoutMs: 300_000, headers });
    const before = bench.service.log.count('providers');
    expect(await told(bench.firstCheck())).toBe('waiting ConnectionNotReady');
    await bench.clock.advance(600_000);
    expect(bench.service.log.count('providers') - before).toBeGreaterThan(0);
    expect(bench.troubles).toEqual([NAMED]);
  });
});
