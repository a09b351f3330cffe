import { describe, expect, test } from 'vitest';
import { classify } from '../../../src/model/connection/failure.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import type { ConnectionName } from '../../../src/model/connection/connection.ts';
import type { Observation } from '../../../src/model/external/observation.ts';
import { inProcessExchange } from '../../support/doubles/in-process-exchange.ts';
import { aResource } from '../../support/resources/builders.ts';
import { Bench, NAME, NAMED, told } from '../support/bench.ts';

const CLUSTER: ConnectionName = { kind: 'ClusterConnection', namespace: '', name: 'default' };
const CALLER = { priority: 'user', namespace: 'team-a' } as const;
const OTHER: ConnectionName = { kind: 'Connection', namespace: 'team-a', name: 'other' };

/** True if a promise has settled. */
async function settled(bench: Bench, promise: Promise<unknown>): Promise<boolean> {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  promise.then(settle, settle);
  await bench.clock.settle();
  return state.settled;
}

describe('the connection of a resource', () => {
  test('that does not exist is reported by name, without a wait', async () => {
    const bench = new Bench();
    const resource = aResource({ connectionRef: { kind: 'Connection', name: 'other' } });
    expect(await told(bench.pool.for(resource, bench.signal))).toBe('waiting ConnectionNotFound');
    const failure = await bench.pool.for(resource, bench.signal).catch((error: unknown) => error as Error);
    expect((failure as Error).message).toContain('Connection other');
  });

  test('that was just created is awaited until its first check has ended', async () => {
    const bench = new Bench({ many: 1 });
    bench.pool.expect(OTHER);
    const resource = aResource({ connectionRef: { kind: 'Connection', name: 'other' } });
    const waiting = bench.pool.for(resource, bench.signal);
    await bench.clock.advance(60_000);
    expect(await settled(bench, waiting)).toBe(false);
    bench.pool.configure(bench.settings({ name: OTHER }), {});
    await bench.check(OTHER);
    expect((await waiting).settings.name).toEqual(OTHER);
  });

  test('is no longer awaited by a caller that gives up', async () => {
    const bench = new Bench();
    const caller = new AbortController();
    const waiting = bench.pool.for(aResource(), caller.signal);
    caller.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
  });

  test('that is not usable says why', async () => {
    const bench = new Bench();
    bench.pool.markNotReady(NAME, { reason: 'AuthFailed', message: 'GET was answered with 401' });
    const error = await bench.pool.for(aResource(), bench.signal).catch((caught: unknown) => caught);
    expect(classify(error)).toMatchObject({ kind: 'waiting', reason: 'ConnectionNotReady' });
    expect((error as Error).message).toBe(
      'Connection default cannot be used: AuthFailed: GET was answered with 401',
    );
  });

  test('goes before the ClusterConnection of the same name, which serves the namespaces that it selects', async () => {
    const bench = new Bench({ access: { selects: (_, namespace) => namespace === 'team-a' } });
    bench.pool.configure(bench.settings({ name: CLUSTER }), {});
    await bench.check();
    await bench.check(CLUSTER);
    expect((await bench.client()).settings.name).toEqual(NAME);
    bench.pool.remove(NAME);
    expect((await bench.client()).settings.name).toEqual(CLUSTER);
    const elsewhere = aResource();
    const resource = { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'team-b' } };
    expect(await told(bench.pool.for(resource, bench.signal))).toBe('waiting ConnectionNotFound');
  });

  test('that is removed releases the callers that wait for it', async () => {
    const bench = new Bench();
    const waiting = bench.pool.for(aResource(), bench.signal);
    bench.pool.remove(NAME);
    expect(await told(waiting)).toMatch(/waiting Connection/);
    expect(await told(bench.pool.for(aResource(), bench.signal))).toBe('waiting ConnectionNotFound');
    expect(bench.exchanges.map(({ closed }) => closed)).toEqual([true]);
    expect(await bench.listCalls(() => bench.clock.advance(600_000))).toBe(0);
  });

  test('that is suspended is returned, and makes no call', async () => {
    const bench = new Bench({ many: 1 });
    await bench.check();
    bench.configure({ suspend: true });
    const client = await bench.client();
    expect(client.settings.suspend).toBe(true);
    expect(await bench.listCalls(() => bench.clock.advance(600_000))).toBe(0);
    bench.configure({ suspend: false });
    await bench.check();
    expect(await bench.listCalls(() => bench.clock.advance(600_000))).toBeGreaterThan(5);
  });

  test('that was suspended is checked again: earlier observations prove nothing', async () => {
    const bench = new Bench();
    await bench.check();
    bench.configure({ suspend: true });
    await bench.clock.advance(3_600_000);
    bench.configure({ suspend: false });
    expect(await bench.listCalls(() => bench.check())).toBeGreaterThan(0);
  });

  test('that is suspended releases waiting callers, also in the middle of a sweep, and lets them in again', async () => {
    const slow = { requestsPerSecond: 1, burst: 1, concurrency: 4 };
    const bench = new Bench({ many: 1_000, semantics: { latencyMs: 10 } });
    const client = await bench.ready();
    bench.configure({ rateLimit: slow });
    await bench.clock.advance(1);
    const sent = bench.service.log.requests().length;
    const sweep = told(
      client.observe(
        { by: 'name', name: 'load-00001' },
        { notOlderThanMs: bench.clock.now(), priority: 'user' },
        bench.signal,
      ),
    );
    const writes = Array.from({ length: 10 }, () =>
      told(client.withPermit(CALLER, async () => 'ran', bench.signal)),
    );
    await bench.clock.advance(2_500);
    const begun = bench.service.log.requests().length - sent;
    expect(begun).toBeGreaterThan(0);
    bench.configure({ rateLimit: slow, suspend: true });
    expect(await bench.listCalls(() => bench.clock.advance(600_000))).toBe(0);
    const ended = await Promise.all([sweep, ...writes]);
    expect(ended).toContain('connection Suspended');
    expect(new Set(ended)).toEqual(new Set(['ran', 'connection Suspended']));
    expect(bench.troubles).toEqual([]);
    bench.configure({ rateLimit: slow, suspend: false });
    expect(await bench.clock.runUntil(client.withPermit(CALLER, async () => 'ran', bench.signal))).toBe(
      'ran',
    );
  });

  test('that was never checked and is suspended blocks no caller', async () => {
    const bench = new Bench({ settings: { suspend: true } });
    expect((await bench.client()).settings.suspend).toBe(true);
  });
});

describe('a check', () => {
  test('counts deployments and lists providers', async () => {
    const provider = {
      id: 'p1',
      organization_id: 'o',
      provider_id: 'github-prod',
      name: 'GitHub',
      client_id: 'secret-client',
      auth_url: '',
      token_url: '',
      uses_pkce: true,
      code_challenge_method: null,
      created_at: '',
      updated_at: '',
      provider_type: 'oauth',
    };
    const bench = new Bench({ many: 3, seed: { providers: [provider] } });
    expect(await bench.check()).toMatchObject({
      deployments: { total: 3 },
      providers: [{ id: 'p1', providerID: 'github-prod', name: 'GitHub', type: 'oauth' }],
    });
  });

  test.each([404, 403, 500, 422])(
    'succeeds even if the service answers %i for its providers',
    async (status) => {
      const bench = new Bench({ many: 3 });
      bench.service.faults.add({
        match: { operation: 'providers' },
        times: 0,
        fault: { kind: 'status', status },
      });
      const { providers, message } = await bench.check();
      expect(providers).toEqual([]);
      expect(message).toContain('OAuth providers could not be listed');
    },
  );

  test('fails if the providers refuse the credential', async () => {
    const bench = new Bench({ many: 3 });
    bench.service.faults.add({ match: { operation: 'providers' }, fault: { kind: 'status', status: 401 } });
    expect(await told(bench.check())).toBe('connection AuthFailed');
  });

  test('reports that there are unread pages of providers (N83)', async () => {
    const bench = new Bench();
    const headers = { link: '</v2/auth/providers?page=2>; rel="next"' };
    bench.service.faults.add({ match: { operation: 'providers' }, fault: { kind: 'headers', headers } });
    expect((await bench.check()).message).toContain('Link');
  });

  test.each<[what: string, fault: Parameters<Bench['service']['faults']['add']>[0]['fault'], reason: string]>(
    [
      ['a login page with status 200 (H48)', { kind: 'wrong-type' }, 'NotJSON'],
      ['JSON that is no list', { kind: 'status', status: 200, body: '{"detail":"hello"}' }, 'ProtocolError'],
      ['an empty body', { kind: 'status', status: 200, body: '' }, 'NotJSON'],
      ['half a list', { kind: 'truncate' }, 'NotJSON'],
      ['a redirect', { kind: 'status', status: 302 }, 'Redirected'],
      ['401', { kind: 'status', status: 401 }, 'AuthFailed'],
      ['403', { kind: 'status', status: 403 }, 'Forbidden'],
      ['404', { kind: 'status', status: 404 }, 'ProtocolError'],
      ['503', { kind: 'status', status: 503 }, 'Unreachable'],
      ['a cut connection', { kind: 'reset-before' }, 'Unreachable'],
      ['silence', { kind: 'hang' }, 'Timeout'],
    ],
  )('fails for %s, which is never taken for an empty list', async (_what, fault, reason) => {
    const bench = new Bench({ many: 3 });
    bench.service.faults.add({ match: { operation: 'list' }, times: 0, fault });
    expect(await told(bench.check())).toBe(`connection ${reason}`);
    expect(bench.changes).toEqual([]);
  });

  test('is made once for a new connection, and uses the available snapshot while all is well', async () => {
    const bench = new Bench({ many: 3 });
    await bench.check();
    expect(await bench.listCalls(() => bench.check())).toBe(0);
  });

  test('reads the list again after the connection was not ready', async () => {
    const bench = new Bench({ many: 3 });
    await bench.check();
    bench.pool.markNotReady(NAME, { reason: 'Unreachable', message: 'for a reason' });
    expect(await bench.listCalls(() => bench.check())).toBe(1);
  });

  test('reports that an offset does not advance (H33)', async () => {
    const bench = new Bench({ many: 150, semantics: { paramNames: 'others' } });
    const { deployments, message } = await bench.check();
    expect(deployments?.total).toBe(20);
    expect(message).toContain('does not advance');
  });

  test('reports how many deployments could not be read, and what is wrong with one', async () => {
    const bench = new Bench();
    const body = JSON.stringify({ resources: [{ id: 'a' }, { id: 'b', name: 'c' }], offset: 2 });
    bench.service.faults.add({
      match: { operation: 'list' },
      fault: { kind: 'status', status: 200, body },
    });
    const { deployments, message } = await bench.check();
    expect(deployments?.total).toBe(1);
    expect(message).toBe('1 deployments of the list could not be read (name: is missing)');
  });

  test('reports the deprecation of an endpoint once (N80)', async () => {
    const bench = new Bench();
    const headers = { Deprecation: '@1795132800', sunset: 'Fri, 01 Jan 2027 00:00:00 GMT' };
    bench.service.faults.add({ match: { operation: 'list' }, times: 0, fault: { kind: 'headers', headers } });
    expect((await bench.check()).deprecation).toBe('deprecation: 2026-11-20, sunset: 2027-01-01');
    bench.pool.markNotReady(NAME, { reason: 'Unreachable', message: 'for a reason' });
    expect(await bench.check()).not.toHaveProperty('deprecation');
  });

  test('of a connection that was not configured is a bug', async () => {
    const bench = new Bench();
    await expect(bench.pool.check(OTHER, bench.signal)).rejects.toThrow('was not configured');
  });

  test('ends with its caller, while the sweep continues for others', async () => {
    const bench = new Bench({ many: 3, semantics: { latencyMs: 1_000 } });
    const caller = new AbortController();
    const check = bench.pool.check(NAME, caller.signal);
    const rejected = check.catch((error: unknown) => String(error));
    await bench.clock.advance(500);
    caller.abort(new Error('given up'));
    expect(await rejected).toBe('Error: given up');
    await bench.clock.advance(5_000);
    expect(bench.metrics.count(`${NAMED} swept complete`)).toBe(1);
  });
});

describe('trouble', () => {
  test('makes resources wait for the check that it requests, and is reported once', async () => {
    const bench = new Bench({ many: 3 });
    await bench.check();
    bench.service.faults.add({ match: { operation: 'list' }, times: 3, fault: { kind: 'reset-before' } });
    await bench.clock.advance(120_000);
    expect(bench.troubles).toEqual([NAMED]);
    const waiting = bench.pool.for(aResource(), bench.signal);
    await bench.clock.settle();
    expect(await settled(bench, waiting)).toBe(false);
    await bench.check();
    expect((await waiting).settings.name).toEqual(NAME);
    expect(bench.troubles).toEqual([NAMED]);
  });

  test('of a check is reported by the check alone', async () => {
    const bench = new Bench({ many: 3 });
    bench.service.faults.add({ match: { operation: 'list' }, times: 0, fault: { kind: 'reset-before' } });
    for (let n = 0; n < 3; n += 1) expect(await told(bench.check())).toBe('connection Unreachable');
    expect(bench.troubles).toEqual([]);
  });

  test('of the first check after a suspension is reported by the check alone', async () => {
    const bench = new Bench({ many: 3, settings: { suspend: true } });
    bench.configure({ suspend: false });
    bench.service.faults.add({ match: { operation: 'list' }, times: 0, fault: { kind: 'reset-before' } });
    expect(await told(bench.check())).toBe('connection Unreachable');
    expect(bench.troubles).toEqual([]);
  });

  test('that is found after a connection was suspended is not reported', async () => {
    const bench = new Bench({ many: 1, semantics: { latencyMs: 2_000 } });
    await bench.check();
    bench.service.faults.add({ match: { operation: 'list' }, times: 0, fault: { kind: 'reset-before' } });
    const before = bench.service.log.count('list');
    while (bench.service.log.count('list') === before) await bench.clock.advance(500);
    bench.configure({ suspend: true });
    await bench.clock.advance(60_000);
    expect(bench.troubles).toEqual([]);
    expect((await bench.client()).settings.suspend).toBe(true);
  });
});

describe('a pause that the service asks for (H63)', () => {
  const throttle = (bench: Bench): void =>
    bench.service.faults.add({
      match: { operation: 'patch' },
      fault: { kind: 'status', status: 429, headers: { 'Retry-After': '5' } },
    });

  test('on a write stops every caller on the connection for that long', async () => {
    const bench = new Bench({ many: 200, named: [{ name: 'agent' }] });
    const client = await bench.ready();
    throttle(bench);
    const body = { sourceConfig: { fields: { customURL: 'https://a.example.com' } } };
    const before = { id: bench.id('agent'), name: 'agent' };
    const patch = client.withPermit(
      CALLER,
      () => client.patch(before.id, { before, body }, bench.signal),
      bench.signal,
    );
    expect(await told(bench.clock.runUntil(patch))).toBe('connection RateLimited');
    expect(bench.metrics.states.get(NAMED)?.().gateClosed).toBe(true);
    expect(bench.troubles).toEqual([NAMED]);
    expect(await told(bench.check())).toBe('connection RateLimited');

    const freshness = { notOlderThanMs: bench.clock.now() + 1, priority: 'user' as const };
    const sentBefore = bench.service.log.requests().length;
    const look = (): Promise<Observation> =>
      client.observe({ by: 'name', name: 'agent' }, freshness, bench.signal);
    expect(await told(bench.clock.runUntil(look()))).toBe('connection RateLimited');
    await bench.clock.advance(4_980);
    expect(bench.service.log.requests()).toHaveLength(sentBefore);
    await bench.clock.advance(20);
    expect((await bench.clock.runUntil(look())).kind).toBe('present');
    expect(bench.metrics.states.get(NAMED)?.().gateClosed).toBe(false);
  });

  test('lets no caller wait at the gate that waited for a permit or a pass before it closed (B12)', async () => {
    const bench = new Bench({
      many: 200,
      named: [{ name: 'agent' }],
      settings: { rateLimit: { requestsPerSecond: 1_000, burst: 1_000, concurrency: 1 } },
    });
    const client = await bench.ready();
    throttle(bench);
    const body = { sourceConfig: { fields: { customURL: 'https://a.example.com' } } };
    const before = { id: bench.id('agent'), name: 'agent' };
    const patch = (): Promise<unknown> =>
      client.withPermit(CALLER, () => client.patch(before.id, { before, body }, bench.signal), bench.signal);
    const freshness = { notOlderThanMs: bench.clock.now() + 1, priority: 'user' as const };
    const waiting = [
      patch(),
      patch(),
      client.observe({ by: 'name', name: 'agent' }, freshness, bench.signal),
    ];
    const ended = Promise.all(waiting.map(async (one) => told(one)));
    const closedMs = bench.clock.now();
    expect(await bench.clock.runUntil(ended)).toEqual(Array(3).fill('connection RateLimited'));
    expect(bench.clock.now() - closedMs).toBeLessThan(1_000);
    expect(bench.service.log.count('patch')).toBe(1);
  });

  test('on any read makes the connection doubtful (B12)', async () => {
    const bench = new Bench({ many: 1 });
    const client = await bench.ready();
    bench.service.faults.add({
      match: { operation: 'providers' },
      fault: { kind: 'status', status: 429, headers: { 'Retry-After': '7' } },
    });
    await bench.clock.runUntil(client.providers(bench.clock.now() + 1, bench.signal));
    expect(bench.troubles).toEqual([NAMED]);
    expect(await told(bench.check())).toBe('connection RateLimited');
  });

  test('on the list is reported with its length', async () => {
    const bench = new Bench({ many: 1 });
    const headers = { 'retry-after': '7' };
    bench.service.faults.add({
      match: { operation: 'list' },
      fault: { kind: 'status', status: 429, headers },
    });
    await expect(bench.check()).rejects.toMatchObject({ reason: 'RateLimited', retryAfterMs: 7_000 });
    await bench.clock.advance(3_000);
    await expect(bench.check()).rejects.toMatchObject({ reason: 'RateLimited', retryAfterMs: 4_000 });
    await bench.clock.advance(4_000);
    expect((await bench.check()).deployments?.total).toBe(1);
  });

  test('with a 503 is not reported as a rate limit', async () => {
    const bench = new Bench({ many: 1 });
    const headers = { 'retry-after': '7' };
    bench.service.faults.add({
      match: { operation: 'list' },
      fault: { kind: 'status', status: 503, headers },
    });
    await expect(bench.check()).rejects.toMatchObject({ reason: 'Unreachable', retryAfterMs: 7_000 });
    await expect(bench.check()).rejects.toMatchObject({ reason: 'Unreachable', retryAfterMs: 7_000 });
  });
});

test('a service that hangs blocks no caller on another connection (H59)', async () => {
  const bench = new Bench({ many: 3, checkLimitMs: 30_000 });
  bench.open = (settings) => {
    const exchange = inProcessExchange(bench.service, settings, bench.clock);
    const hanging = settings.name.name === OTHER.name;
    return {
      ...exchange,
      send: (...asked) => (hanging ? new Promise(() => {}) : exchange.send(...asked)),
    };
  };
  bench.pool.configure(bench.settings({ name: OTHER }), {});
  const stuck = told(bench.pool.check(OTHER, bench.signal));
  await bench.check();
  const client = await bench.client();
  expect(await bench.listCalls(() => bench.clock.advance(600_000))).toBeGreaterThan(5);
  expect((await bench.observe(client, 'load-00001', { notOlderThanMs: bench.clock.now() })).kind).toBe(
    'present',
  );
  expect(await stuck).toBe('waiting ConnectionNotReady');
});

describe('changed settings', () => {
  const withKey = (value: string) => ({ headers: [{ name: 'X-Api-Key', value: new SecretValue(value) }] });
  const auth = { kind: 'header', name: 'X-Api-Key', value: 'new' } as const;

  test('that are equal to the old ones change nothing', async () => {
    const bench = new Bench({ settings: withKey('a') });
    bench.configure(withKey('a'));
    expect(bench.exchanges).toHaveLength(1);
    expect(bench.replaced).toEqual([]);
    bench.configure(withKey('b'));
    expect(bench.exchanges.map(({ closed }) => closed)).toEqual([true, false]);
    expect(bench.replaced).toEqual([NAMED]);
  });

  test('of a credential apply to the next exchange, and the snapshot stays', async () => {
    const bench = new Bench({ many: 3, settings: withKey('old') });
    const client = await bench.ready();
    bench.service.setSemantics({ auth });
    await bench.clock.advance(1);
    const now = { notOlderThanMs: bench.clock.now() };
    expect(await told(bench.observe(client, 'load-00000', now))).toBe('connection AuthFailed');
    bench.configure(withKey('new'));
    expect((await bench.observe(client, 'load-00000')).kind).toBe('present');
    expect((await bench.observe(client, 'load-00000', now)).kind).toBe('present');
    expect(client.settings.headers[0]?.value.reveal()).toBe('new');
  });

  test('let a running write end on the old exchange', async () => {
    const bench = new Bench({ named: [{ name: 'agent' }], semantics: { latencyMs: 5_000 } });
    const client = await bench.ready();
    const before = { id: bench.id('agent'), name: 'agent' };
    const body = { sourceConfig: { fields: { customURL: 'https://a.example.com' } } };
    const patch = client.withPermit(
      CALLER,
      () => client.patch(before.id, { before, body }, bench.signal),
      bench.signal,
    );
    await bench.clock.advance(1_000);
    bench.configure(withKey('new'));
    expect(await bench.clock.runUntil(patch)).toMatchObject({ kind: 'shown' });
  });

  test('of the rate limit apply to callers that already wait', async () => {
    const slow = { requestsPerSecond: 0.001, burst: 1, concurrency: 1 };
    const bench = new Bench({ many: 99, settings: { rateLimit: slow } });
    const check = bench.pool.check(NAME, bench.signal);
    await bench.clock.settle();
    expect(bench.metrics.states.get(NAMED)?.().waiting).toBe(1);
    bench.configure();
    expect((await bench.clock.runUntil(check)).deployments?.total).toBe(99);
  });

  test('of the address discard what the old one showed', async () => {
    const bench = new Bench({ named: [{ name: 'agent' }] });
    await bench.check();
    bench.service.act({ kind: 'delete', deployment: 'agent' });
    bench.configure({ baseURL: 'https://elsewhere.example.com' });
    const waiting = bench.client();
    await bench.check();
    expect(await bench.observe(await waiting, 'agent')).toMatchObject({ kind: 'absent' });
    expect(bench.changes).toEqual([]);
  });

  test('of the address keep a write that was decided on the old one from going there', async () => {
    const bench = new Bench({ named: [{ name: 'agent' }] });
    const client = await bench.ready();
    bench.configure({ baseURL: 'https://elsewhere.example.com' });
    await bench.check();
    const before = { id: bench.id('agent'), name: 'agent' };
    const body = { sourceConfig: { fields: { customURL: 'https://a.example.com' } } };
    const error = await client
      .patch(before.id, { before, body }, bench.signal)
      .catch((caught: unknown) => caught);
    expect(classify(error)).toMatchObject({ kind: 'waiting', sent: 'no' });
    expect(await told((async () => client.withPermit(CALLER, async () => 'ran', bench.signal))())).toBe(
      'connection Unreachable',
    );
    expect(bench.service.log.count('patch')).toBe(0);
    expect(client.settings.baseURL).toBe('https://elsewhere.example.com');
  });

  test('of the address release the callers that wait for a sweep of the old one', async () => {
    const bench = new Bench({ many: 3, semantics: { latencyMs: 5_000 } });
    const client = await bench.ready();
    await bench.clock.advance(1);
    const freshness = { notOlderThanMs: bench.clock.now(), priority: 'user' as const };
    const observing = client.observe({ by: 'name', name: 'load-00000' }, freshness, bench.signal);
    await bench.clock.advance(1_000);
    bench.configure({ baseURL: 'https://elsewhere.example.com' });
    const error = await bench.clock.runUntil(observing.catch((caught: unknown) => caught));
    expect(classify(error)).toMatchObject({ kind: 'waiting', reason: 'ConnectionNotReady', sent: 'no' });
    expect(bench.troubles).toEqual([]);
  });
});

describe('metrics', () => {
  test('cover a connection from the moment it is expected until it is removed', async () => {
    const bench = new Bench();
    bench.pool.expect(OTHER);
    expect([...bench.metrics.states.keys()]).toEqual([NAMED, 'Connection/team-a/other']);
    expect(bench.metrics.states.get('Connection/team-a/other')?.()).toEqual({
      waiting: 0,
      gateClosed: false,
    });
    bench.pool.remove(OTHER);
    bench.pool.remove(OTHER);
    expect([...bench.metrics.states.keys()]).toEqual([NAMED]);
    expect(bench.replaced).toEqual(['Connection/team-a/other']);
  });

  test('report the age of the newest pass, every permit and every exchange', async () => {
    const bench = new Bench({ many: 150, semantics: { latencyMs: 10 } });
    await bench.check();
    await bench.clock.advance(10_000);
    expect(bench.metrics.states.get(NAMED)?.()).toMatchObject({
      ...{ pollIntervalSeconds: 60, unreadableItems: 0 },
      snapshotAgeSeconds: expect.closeTo(10, 0) as number,
    });
    expect(bench.metrics.count(`${NAMED} permitted after 0`)).toBe(4);
    expect(bench.metrics.count(`${NAMED} exchanged list 200`)).toBe(3);
    expect(bench.metrics.count(`${NAMED} exchanged providers 200`)).toBe(1);
  });

  test('report nothing of the list while the connection is suspended', async () => {
    const bench = new Bench({ many: 3 });
    await bench.check();
    const state = (): object => bench.metrics.states.get(NAMED)?.() ?? {};
    expect(Object.keys(state())).toContain('snapshotAgeSeconds');
    bench.configure({ suspend: true });
    expect(state()).toEqual({ waiting: 0, gateClosed: false });
    bench.configure({ suspend: false });
    expect(Object.keys(state())).toContain('snapshotAgeSeconds');
  });

  test('report an exchange without an answer by its reason', async () => {
    const bench = new Bench();
    bench.service.faults.add({ match: {}, times: 0, fault: { kind: 'hang' } });
    await told(bench.check());
    expect(bench.metrics.count(`${NAMED} exchanged list Timeout`)).toBe(1);
  });
});

test('unknown fields are reported once, at debug level', async () => {
  const bench = new Bench({ many: 3, semantics: { listShape: ['extra-fields'] } });
  await bench.check();
  await bench.clock.advance(600_000);
  expect(bench.logger.lines).toMatchObject([
    { level: 'debug', fields: { connection: NAMED, fields: ['display_name', 'health'] } },
  ]);
});

test('a pool that stops ends every connection when its last write has ended', async () => {
  const bench = new Bench({ named: [{ name: 'agent' }], semantics: { latencyMs: 5_000 } });
  await bench.check();
  await bench.pool.stop();
  expect(bench.exchanges.map(({ closed }) => closed)).toEqual([true]);
  expect(await bench.listCalls(() => bench.clock.advance(600_000))).toBe(0);
  expect(bench.clock.pendingTimers).toBe(0);
});
