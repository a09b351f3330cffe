import { describe, expect, it } from 'vitest';
import type { Fault, PlannedFault } from '../../../src/simulator/faults/scenario.ts';
import { Bench, SEED } from '../support.ts';

const BODY = { source_config: { custom_url: 'https://b.example.com' } };

function withFault(fault: Fault, more: Partial<PlannedFault> = {}): Bench {
  const bench = new Bench(SEED);
  bench.service.faults.add({ match: { operation: 'patch' }, fault, ...more });
  return bench;
}

function applied(bench: Bench): boolean {
  return bench.service.deployment('agent')?.content.sourceConfig['custom_url'] === 'https://b.example.com';
}

describe('faults', () => {
  it.each<[Fault, boolean, object]>([
    [{ kind: 'hang' }, false, { delivery: 'hang' }],
    [{ kind: 'reset-before' }, false, { delivery: 'reset' }],
    [{ kind: 'reset-mid-body' }, true, { delivery: 'reset-mid-body', status: 200 }],
    [{ kind: 'truncate' }, true, { delivery: 'truncated', status: 200 }],
    [
      { kind: 'wrong-type' },
      false,
      { delivery: 'whole', status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } },
    ],
    [
      { kind: 'status', status: 503, headers: { 'Retry-After': '7' } },
      false,
      { status: 503, headers: { 'retry-after': '7' } },
    ],
    [{ kind: 'status', status: 500, body: 'oops' }, false, { status: 500, text: 'oops' }],
    [{ kind: 'headers', headers: { sunset: 'soon' } }, true, { status: 200, headers: { sunset: 'soon' } }],
    [{ kind: 'apply-then-fail', how: 502 }, true, { status: 502 }],
    [{ kind: 'apply-then-fail', how: 'reset' }, true, { delivery: 'reset' }],
    [{ kind: 'fail-then-apply-late', how: 504, afterMs: 5_000 }, false, { status: 504 }],
  ])('%j: the PATCH had its effect: %s', async (fault, effect, answer) => {
    const bench = withFault(fault);
    expect(await bench.patch('agent', BODY)).toMatchObject(answer);
    expect(applied(bench)).toBe(effect);
  });

  it('and actions of people may also be in a seed', async () => {
    const bench = new Bench({
      ...SEED,
      faults: [{ match: { operation: 'patch' }, fault: { kind: 'status', status: 503 } }],
      actions: [
        {
          match: { operation: 'list' },
          action: {
            kind: 'edit',
            name: 'agent',
            path: 'source_config.custom_url',
            value: 'https://x.example',
          },
        },
      ],
    });
    expect(await bench.patch('agent', BODY)).toMatchObject({ status: 503 });
    expect(await bench.patch('agent', BODY)).toMatchObject({ status: 200 });
    await bench.get('/v2/deployments');
    expect(bench.service.deployment('agent')?.content.sourceConfig['custom_url']).toBe('https://x.example');
  });

  it('let a failed request take effect late', async () => {
    const bench = withFault({ kind: 'fail-then-apply-late', how: 504, afterMs: 5_000 });
    await bench.patch('agent', BODY);
    await bench.clock.advance(4_999);
    expect(applied(bench)).toBe(false);
    await bench.clock.advance(1);
    expect(applied(bench)).toBe(true);
  });

  it('delay a request for as long as requested', async () => {
    const bench = withFault({ kind: 'delay', ms: 3_000 });
    const began = bench.clock.now();
    await bench.clock.runUntil(bench.patch('agent', BODY));
    expect(bench.clock.now() - began).toBe(3_000);
    expect(applied(bench)).toBe(true);
  });

  it('can combine in one request: a delay and a failure', async () => {
    const bench = withFault({ kind: 'delay', ms: 1_000 });
    bench.service.faults.add({ match: {}, fault: { kind: 'status', status: 500 } });
    expect((await bench.clock.runUntil(bench.patch('agent', BODY))).status).toBe(500);
    expect(bench.service.log.requests()).toMatchObject([{ faults: ['delay', 'status'], status: 500 }]);
  });

  it('affect one request by default', async () => {
    const bench = withFault({ kind: 'status', status: 500 });
    expect((await bench.patch('agent', BODY)).status).toBe(500);
    expect((await bench.patch('agent', BODY)).status).toBe(200);
    expect(bench.service.faults.pending).toEqual([]);
  });

  it('affect several in a row, or all of them until they are cleared', async () => {
    const bench = withFault({ kind: 'status', status: 500 }, { times: 0 });
    for (let turn = 0; turn < 5; turn += 1) expect((await bench.patch('agent', BODY)).status).toBe(500);
    bench.service.faults.clear();
    expect((await bench.patch('agent', BODY)).status).toBe(200);
  });

  it('wait for the nth request that matches', async () => {
    const bench = withFault({ kind: 'status', status: 500 }, { match: { operation: 'patch', nth: 2 } });
    await bench.list();
    const statuses = [
      await bench.patch('agent', BODY),
      await bench.patch('agent', BODY),
      await bench.patch('agent', BODY),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([200, 500, 200]);
  });

  it.each([
    [{ method: 'patch' }, 500],
    [{ method: 'GET' }, 200],
    [{ path: '/v2/deployments/*' }, 500],
    [{ path: '/v2/deployments' }, 200],
    [{ path: '/v./deployments/*' }, 200],
    [{ deployment: 'agent' }, 500],
    [{ deployment: 'site' }, 200],
    [{}, 500],
  ])('wait for requests that match %j', async (match, status) => {
    const bench = withFault({ kind: 'status', status: 500 }, { match });
    expect((await bench.patch('agent', BODY)).status).toBe(status);
  });
});

describe('people and pipelines', () => {
  it('push a commit, which makes a revision where build_on_push is true', () => {
    const bench = new Bench(SEED);
    const before = bench.service.shown('site');
    bench.service.act({ kind: 'push', deployment: 'site', commit: 'a'.repeat(40) });
    const after = bench.service.shown('site');
    expect(after?.['latest_revision_id']).not.toBe(before?.['latest_revision_id']);
    expect(after?.['source_revision_config']).toMatchObject({
      repo_ref: 'main',
      repo_commit_sha: 'a'.repeat(40),
    });
  });

  it('push a commit, which makes no revision if it is false, unless configured', () => {
    const bench = new Bench(SEED);
    bench.service.act({
      kind: 'edit',
      deployment: 'site',
      path: 'source_config.build_on_push',
      value: false,
    });
    const before = bench.service.shown('site');
    bench.service.act({ kind: 'push', deployment: 'site', commit: 'a'.repeat(40) });
    expect(bench.service.shown('site')).toEqual(before);
    bench.service.act({ kind: 'push', deployment: 'site', commit: 'b'.repeat(40), build: true });
    expect(bench.service.shown('site')?.['latest_revision_id']).not.toBe(before?.['latest_revision_id']);
  });

  it.each([
    ['source_config.custom_url', 'x', { source_config: { custom_url: 'x' } }, 1],
    [
      'source_config.resource_spec.labels["a.b/c"]',
      'x',
      { source_config: { resource_spec: { cpu: 1, labels: { 'a.b/c': 'x' } } } },
      1,
    ],
    ['source_revision_config.image_uri', 'x', { source_revision_config: { image_uri: 'x' } }, 2],
    ['secrets.API_A', 'x', { secrets: [{ name: 'API_B' }, { name: 'API_A', value: 'x' }] }, 2],
    ['secrets.API_A', null, { secrets: [{ name: 'API_B' }] }, 2],
    ['secrets', {}, { secrets: [] }, 2],
    ['status', 'AWAITING_DELETE', { status: 'AWAITING_DELETE' }, 1],
    ['image_version', '7', { image_version: '7' }, 1],
    ['tenant_id', 'other', { tenant_id: 'other' }, 1],
    ['source', 'codehost', { source: 'codehost' }, 1],
  ])('edit %s to %j', (path, value, want, revisions) => {
    const bench = new Bench(SEED);
    bench.service.act({ kind: 'edit', deployment: 'agent', path, value });
    expect(bench.service.shown('agent')).toMatchObject(want);
    expect(bench.service.deployment('agent')?.revisions).toHaveLength(revisions);
  });

  it('remove a value with null', () => {
    const bench = new Bench(SEED);
    bench.service.act({ kind: 'edit', deployment: 'agent', path: 'source_config.custom_url', value: null });
    expect(bench.service.shown('agent')?.['source_config']).not.toHaveProperty('custom_url');
  });

  it('deploy an old revision again, as a new one with the old settings', async () => {
    const bench = new Bench(SEED);
    await bench.patch('agent', { source_revision_config: { image_uri: 'registry.example.com/agent:2' } });
    bench.service.act({ kind: 'redeploy', deployment: 'agent', revision: 1 });
    expect(bench.service.shown('agent')).toMatchObject({
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    });
    expect(bench.service.deployment('agent')?.revisions.map(({ cause }) => cause)).toEqual([
      'create',
      'patch',
      'redeploy',
    ]);
  });

  it('delete in the middle of a sweep, so that an item moves across a page boundary', async () => {
    const bench = new Bench({ load: { count: 4 } });
    bench.service.actions.add({
      match: { operation: 'list', nth: 2 },
      action: { kind: 'delete', deployment: 'load-00000' },
    });
    const first = await bench.list('limit=2');
    const second = await bench.list('limit=2&offset=2');
    expect([...first, ...second].map(({ name }) => name)).toEqual(['load-00000', 'load-00001', 'load-00003']);
  });

  it('report impossible actions, and a planned action without a target ends silently', async () => {
    const bench = new Bench(SEED);
    expect(() => bench.service.act({ kind: 'delete', deployment: 'nobody' })).toThrow(
      'there is no deployment nobody',
    );
    expect(() => bench.service.act({ kind: 'edit', deployment: 'agent', path: 'id', value: 'x' })).toThrow(
      'id: cannot be edited; expected one of source_config',
    );
    expect(() => bench.service.act({ kind: 'redeploy', deployment: 'agent', revision: 9 })).toThrow(
      'has no revision 9',
    );
    bench.service.actions.add({ match: {}, action: { kind: 'delete', deployment: 'nobody' } });
    expect((await bench.get('/v2/deployments')).status).toBe(200);
    expect(bench.service.actions.pending).toEqual([]);
  });
});

describe('admission', () => {
  it.each([
    [{ kind: 'header', name: 'X-Api-Key', value: 'k' }, { 'x-api-key': 'k' }],
    [{ kind: 'bearer', token: 't' }, { authorization: 'Bearer t' }],
  ] as const)('under %j needs the credential', async (auth, headers) => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({ auth });
    expect((await bench.get('/v2/deployments')).status).toBe(401);
    expect((await bench.get('/v2/deployments', { ...headers })).status).toBe(200);
    const wrong = Object.fromEntries(Object.keys(headers).map((name) => [name, 'wrong']));
    expect((await bench.get('/v2/deployments', wrong)).status).toBe(401);
  });

  it('by a rotating value accepts the next one after its time', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({
      auth: { kind: 'rotates', name: 'X-Api-Key', values: ['one', 'two'], everySeconds: 60 },
    });
    const status = async (key: string): Promise<number> =>
      (await bench.get('/v2/deployments', { 'x-api-key': key })).status;
    expect([await status('one'), await status('two')]).toEqual([200, 401]);
    await bench.clock.advance(60_000);
    expect([await status('one'), await status('two')]).toEqual([401, 200]);
  });

  it('by tenant shows only the deployments of that tenant, and hides the existence of others', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({ auth: { kind: 'tenant-header', name: 'X-Tenant-Id' } });
    expect((await bench.get('/v2/deployments')).status).toBe(403);
    const tenant = bench.service.deployment('agent')?.tenantID ?? '';
    expect((await bench.get('/v2/deployments', { 'x-tenant-id': tenant })).json).toMatchObject({ offset: 2 });
    expect((await bench.get('/v2/deployments', { 'x-tenant-id': 'other' })).json).toEqual({
      resources: [],
      offset: 0,
    });
    const path = `/v2/deployments/${bench.id('agent')}`;
    expect((await bench.send('PATCH', path, BODY, { 'x-tenant-id': 'other' })).status).toBe(404);
  });
});

describe('limits', () => {
  it('return 429 with Retry-After, and admit requests when the time has passed', async () => {
    const bench = new Bench(SEED);
    bench.service.setSemantics({ rateLimit: { requests: 2, seconds: 10 } });
    await bench.list();
    await bench.clock.advance(4_000);
    await bench.list();
    expect(await bench.get('/v2/deployments')).toMatchObject({
      status: 429,
      headers: { 'retry-after': '6' },
    });
    await bench.clock.advance(6_000);
    expect((await bench.get('/v2/deployments')).status).toBe(200);
  });

  it('can make every answer slow', async () => {
    const bench = new Bench(SEED, 'latency:250ms');
    const began = bench.clock.now();
    await bench.clock.runUntil(bench.list());
    expect(bench.clock.now() - began).toBe(250);
  });
});

describe('error answers', () => {
  const at: Record<string, unknown> = {
    detail: { detail: 'Deployment not found' },
    message: { message: 'Deployment not found' },
    error: { error: 'Deployment not found' },
    'error-message': { error: { message: 'Deployment not found' } },
    errors: { errors: [{ message: 'Deployment not found' }] },
    title: { title: 'Deployment not found' },
  };

  it.each(Object.entries(at))('carry their text in %s', async (shape, want) => {
    const bench = new Bench(SEED, `errors:${shape}`);
    const answer = await bench.send('PATCH', '/v2/deployments/11111111-2222-4333-8444-555555555555', {});
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject(want as object);
  });

  it('can be plain text, or empty', async () => {
    const path = '/v2/deployments/11111111-2222-4333-8444-555555555555';
    expect((await new Bench(SEED, 'errors:text').send('PATCH', path, {})).text).toBe('Deployment not found');
    expect((await new Bench(SEED, 'errors:empty').send('PATCH', path, {})).text).toBe('');
  });

  it('echo the request in every shape if configured', async () => {
    const bench = new Bench(SEED, 'errors:message,echoed');
    expect((await bench.patch('agent', { colour: 'hunter2' })).text).toContain('hunter2');
  });
});

describe('the log', () => {
  it('records the request, its result and the answer', async () => {
    const bench = new Bench(SEED);
    const found = bench.service.deployment('agent')?.content;
    await bench.send('PATCH', `/v2/deployments/${bench.id('agent')}?x=1`, BODY, {
      'user-agent': 'dms-operator/1',
      'x-request-id': 'r-1',
    });
    expect(bench.service.log.requests('patch')).toEqual([
      {
        number: 1,
        operation: 'patch',
        method: 'PATCH',
        path: `/v2/deployments/${bench.id('agent')}`,
        query: 'x=1',
        id: bench.id('agent'),
        body: BODY,
        userAgent: 'dms-operator/1',
        requestID: 'r-1',
        beganMs: bench.clock.now(),
        dealtMs: bench.clock.now(),
        found,
        endedMs: bench.clock.now(),
        status: 200,
        delivery: 'whole',
        faults: [],
      },
    ]);
    expect(bench.service.deployment('agent')?.content).not.toEqual(found);
  });

  it('reports requests that were executed late, and requests that never were', async () => {
    const bench = new Bench(SEED);
    const late = { kind: 'fail-then-apply-late', how: 500, afterMs: 400 } as const;
    bench.service.faults.add({ match: { operation: 'patch' }, fault: late });
    bench.service.faults.add({ match: { operation: 'patch', nth: 2 }, fault: { kind: 'reset-before' } });
    const sentMs = bench.clock.now();
    await bench.patch('agent', BODY);
    await bench.patch('agent', BODY).catch(() => undefined);
    await bench.clock.advance(400);
    expect(bench.service.log.requests('patch').map(({ dealtMs }) => dealtMs)).toEqual([
      sentMs + 400,
      undefined,
    ]);
  });

  it('counts by operation, reports new entries, and keeps its numbering when cleared', async () => {
    const bench = new Bench(SEED);
    await bench.list();
    await bench.list();
    await bench.patch('agent', BODY);
    expect(bench.service.log.counts()).toEqual({ list: 2, patch: 1 });
    expect(bench.service.log.since(2).map(({ operation }) => operation)).toEqual(['patch']);
    bench.service.log.clear();
    await bench.list();
    expect(bench.service.log.count('patch')).toBe(0);
    expect(bench.service.log.requests().map(({ number }) => number)).toEqual([4]);
  });

  it('reports how many writes to one deployment ran at the same time', async () => {
    const bench = new Bench(SEED, 'latency:100ms');
    const both = Promise.all([
      bench.patch('agent', BODY),
      bench.patch('agent', BODY),
      bench.patch('site', {}),
      bench.list(),
    ]);
    await bench.clock.runUntil(both);
    await bench.clock.runUntil(bench.patch('agent', BODY));
    expect(bench.service.log.maxInFlight(bench.id('agent'))).toBe(2);
    expect(bench.service.log.maxInFlight(bench.id('site'))).toBe(1);
    expect(bench.service.log.maxInFlight()).toBe(2);
  });
});
