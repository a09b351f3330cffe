import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveSimulator, type SimulatorServer } from '../../../src/simulator/server/simulator-server.ts';
import type { Fault } from '../../../src/simulator/faults/scenario.ts';
import { Bench, SEED } from '../support.ts';

describe('a simulated service over HTTP', () => {
  let bench: Bench;
  let server: SimulatorServer;

  beforeEach(async () => {
    bench = new Bench(SEED);
    server = await serveSimulator({ service: bench.service, basePath: '/api/deploy/' });
  });
  afterEach(() => server.close());

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${server.url}${path}`, { signal: AbortSignal.timeout(5_000), ...init });

  const patch = (body: string = '{}', more: RequestInit = {}): Promise<Response> =>
    ask(`/v2/deployments/${bench.id('agent')}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'user-agent': 'test', 'x-request-id': 'r-1' },
      body,
      ...more,
    });

  const fault = (planned: Fault): void => bench.service.faults.add({ match: {}, fault: planned });

  it('listens on 127.0.0.1, below its base path', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/deploy$/);
    expect(server.controlURL).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/_simulator\/$/);
  });

  it('returns the service’s answer: status, type and body', async () => {
    const answer = await ask('/v2/deployments?limit=1');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ resources: [{ name: 'agent' }], offset: 1 });
  });

  it('returns a web page outside its base path, as a proxy would', async () => {
    const answer = await fetch(`${server.url.replace('/api/deploy', '')}/v2/deployments`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('text/html');
    await answer.text();
  });

  it('passes on method, query, headers and body', async () => {
    const answer = await patch('{"source_config":{"custom_url":"https://b.example.com"}}');
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ source_config: { custom_url: 'https://b.example.com' } });
    expect(bench.service.log.requests()).toMatchObject([
      { method: 'PATCH', userAgent: 'test', requestID: 'r-1', body: { source_config: {} } },
    ]);
  });

  it('counts the connections to the service, and not those to the control endpoint', async () => {
    await (await fetch(`${server.controlURL}state`)).text();
    expect(bench.service.log.connections).toEqual({ opened: 0, open: 0, most: 0 });
    const answers = await Promise.all([ask('/v2/deployments'), ask('/v2/deployments')]);
    for (const answer of answers) await answer.text();
    expect(bench.service.log.connections).toEqual({ opened: 2, open: 2, most: 2 });
    await server.close();
    await expect.poll(() => bench.service.log.connections).toEqual({ opened: 2, open: 0, most: 2 });
  });

  it('returns no body if the answer has none', async () => {
    bench.service.setSemantics({ patchEcho: 'empty-204' });
    const answer = await patch();
    expect(answer.status).toBe(204);
    expect(await answer.text()).toBe('');
  });

  it('cuts the connection before the answer', async () => {
    fault({ kind: 'reset-before' });
    await expect(patch()).rejects.toThrow('fetch failed');
  });

  it('cuts the connection in the middle of the body', async () => {
    fault({ kind: 'reset-mid-body' });
    const answer = await patch();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow('terminated');
  });

  it('ends an answer early without an error, so that its JSON is truncated', async () => {
    fault({ kind: 'truncate' });
    const answer = await patch();
    expect(answer.headers.get('transfer-encoding')).toBeNull();
    const text = await answer.text();
    expect(text.startsWith('{')).toBe(true);
    expect(() => JSON.parse(text) as unknown).toThrow();
  });

  it('never answers a hanging request, and closes nevertheless', async () => {
    fault({ kind: 'hang' });
    await expect(patch('{}', { signal: AbortSignal.timeout(100) })).rejects.toThrow('timeout');
  });

  it('refuses a body that is far too large', async () => {
    const answer = await patch(JSON.stringify({ secrets: 'x'.repeat(9 * 1024 * 1024) })).catch(
      (error: unknown) => error,
    );
    if (answer instanceof Response) expect(answer.status).toBe(413);
    expect(bench.service.log.requests()).toEqual([]);
  });

  it('can be stopped and started again on the same port', async () => {
    const port = Number(new URL(server.url).port);
    await server.close();
    server = await serveSimulator({ service: bench.service, port });
    expect((await ask('/v2/auth/providers')).status).toBe(200);
    await expect(serveSimulator({ service: bench.service, port })).rejects.toThrow('EADDRINUSE');
  });

  describe('its control endpoint', () => {
    const control = async (
      method: string,
      path: string,
      body?: unknown,
    ): Promise<{ status: number; json: unknown }> => {
      const answer = await fetch(`${server.controlURL}${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, json: await answer.json() };
    };

    it('edits without the knowledge of the client, and is not in the log', async () => {
      const { json } = await control('POST', 'edit', {
        name: 'agent',
        path: 'source_config.custom_url',
        value: 'x',
      });
      expect(json).toMatchObject({ source_config: { custom_url: 'x' } });
      expect(bench.service.log.requests()).toEqual([]);
    });

    it('pushes, deploys again, adds and deletes', async () => {
      await control('POST', 'push', { name: 'site', commit: 'c'.repeat(40) });
      expect(bench.service.shown('site')?.['source_revision_config']).toMatchObject({
        repo_commit_sha: 'c'.repeat(40),
      });
      await control('POST', 'redeploy', { id: bench.id('site') });
      expect(bench.service.deployment('site')?.revisions).toHaveLength(3);
      await control('POST', 'deployments', { name: 'new', source: 'codehost' });
      expect((await control('GET', 'deployments')).json).toHaveLength(3);
      expect((await control('POST', 'delete', { name: 'new' })).json).toEqual({});
      expect(bench.service.deployment('new')).toBeUndefined();
    });

    it('turns switches for all or for one, and restores them', async () => {
      await control('POST', 'semantics', { semantics: 'masked' });
      await control('POST', 'semantics', { semantics: { trigger: 'always' }, deployment: 'agent' });
      expect((await control('GET', 'semantics')).json).toMatchObject({
        secretsEcho: 'stars',
        trigger: 'on-change',
      });
      expect((await control('GET', 'semantics?deployment=agent')).json).toMatchObject({ trigger: 'always' });
      expect((await control('DELETE', 'semantics')).json).toMatchObject({ secretsEcho: 'plain' });
    });

    it('turns switches for some seconds', async () => {
      await control('POST', 'semantics', { semantics: 'shows:half', seconds: 30 });
      expect((await control('GET', 'semantics')).json).toMatchObject({ listShows: 'half' });
      await bench.clock.advance(30_000);
      expect((await control('GET', 'semantics')).json).toMatchObject({ listShows: 'all' });
      expect((await control('POST', 'semantics', { seconds: 30 })).status).toBe(422);
    });

    it('plans faults and actions, lists and drops them', async () => {
      const planned = [
        {
          match: { operation: 'list' },
          fault: { kind: 'status', status: 503, headers: { 'retry-after': '1' } },
        },
        { fault: { kind: 'apply-then-fail', how: 'reset' }, times: 2 },
      ];
      expect((await control('POST', 'faults', planned)).json).toHaveLength(2);
      expect((await ask('/v2/deployments')).status).toBe(503);
      expect((await control('GET', 'faults')).json).toHaveLength(1);
      expect((await control('DELETE', 'faults')).json).toEqual([]);
      await control('POST', 'actions', {
        match: { nth: 1 },
        action: { kind: 'delete', deployment: 'agent' },
      });
      expect((await control('GET', 'actions')).json).toHaveLength(1);
      await ask('/v2/deployments');
      expect(bench.service.deployment('agent')).toBeUndefined();
      expect((await control('DELETE', 'actions')).json).toEqual([]);
    });

    it('reports the requests since a number, and rule violations', async () => {
      await patch('{"colour":1}');
      await ask('/v2/deployments');
      expect((await control('GET', 'requests?since=1')).json).toMatchObject([
        { number: 2, operation: 'list' },
      ]);
      expect((await control('GET', 'violations')).json).toMatchObject([{ request: 1, rule: 'unknown-key' }]);
      expect((await control('GET', 'state')).json).toMatchObject({
        counts: { patch: 1, list: 1 },
        maxInFlight: 1,
        violations: [{ rule: 'unknown-key' }],
        deployments: [{ name: 'agent' }, { name: 'site' }],
      });
      await control('DELETE', 'requests');
      expect((await control('GET', 'requests')).json).toEqual([]);
    });

    it.each([
      [
        'POST',
        'edit',
        { name: 'agent', value: 1 },
        422,
        'path: is missing; expected a text that is not empty',
      ],
      ['POST', 'edit', { name: 'nobody', path: 'status', value: 'x' }, 404, 'there is no deployment nobody'],
      ['POST', 'push', { commit: 'x' }, 422, 'deployment: is missing; expected a text'],
      ['POST', 'semantics', { semantics: 'perhaps' }, 422, 'semantics: perhaps: is not a switch word'],
      [
        'POST',
        'faults',
        { fault: { kind: 'fire' } },
        422,
        'fault.kind: is wrong; expected one of delay, hang',
      ],
      ['POST', 'faults', { fault: { kind: 'status' } }, 422, 'fault.status: is missing; expected a number'],
      ['POST', 'deployments', { name: 'x' }, 422, 'source: must be one of codehost'],
      ['PUT', 'edit', {}, 404, 'PUT /_simulator/edit: is not known; expected one of GET state'],
    ])('says what is wrong with %s %s %j', async (method, path, body, status, message) => {
      const answer = await control(method, path, body);
      expect(answer.status).toBe(status);
      expect((answer.json as { problems: string[] }).problems.join('\n')).toContain(message);
    });

    it('reports a body that is not JSON', async () => {
      const answer = await fetch(`${server.controlURL}edit`, { method: 'POST', body: 'x' });
      expect(await answer.json()).toEqual({ problems: ['the body: is not JSON; expected a JSON object'] });
    });
  });
});
