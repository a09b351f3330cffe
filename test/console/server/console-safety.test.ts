import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { aConnection, awaitingApproval, inState, statusOf } from '../../support/console/fleet-of-states.ts';
import { MemorySource } from '../../support/console/memory-source.ts';
import { ask, servedConsole, signIn } from '../../support/console/served-console.ts';

const HASH = '5c1e0b7a90d2f1c44e07';
const PATHS = [
  'overview',
  'fleet',
  'connections',
  'waiting',
  'drift',
  'stream',
  'session',
  'deployment?namespace=team-a&name=asks',
];
const PAGES = ['/', '/app.js', '/app.css'];

let source: MemorySource;
beforeEach(() => {
  source = new MemorySource(
    [awaitingApproval('asks', HASH), inState('calm', 'InSync')],
    [aConnection('default')],
  );
});

const approve = { action: 'approve', namespace: 'team-a', name: 'asks', resourceVersion: '7', hash: HASH };

describe('a request that does not come from the page', () => {
  test.each([
    ['a name that resolves to this server', { host: 'rebound.example.com' }],
    ['a name that resolves to this server, with the port', { host: 'rebound.example.com:PORT' }],
    ['another address of this machine', { host: '192.168.1.7:PORT' }],
    ['our address with another port', { host: '127.0.0.1:1' }],
    ['a foreign page', { origin: 'https://evil.example.com' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['our address over TLS', { origin: 'https://127.0.0.1:PORT' }],
    ['another site, according to the browser', { 'sec-fetch-site': 'cross-site' }],
    ['another port, according to the browser', { 'sec-fetch-site': 'same-site' }],
  ])('is refused: %s', async (_, headers) => {
    const { port, signIn: sign } = await servedConsole(source);
    const { cookie } = await sign();
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(port))]),
    );
    for (const path of [...PAGES, '/api/fleet', '/api/stream'])
      expect(await ask(port, path, { headers: { cookie, ...sent } })).toMatchObject({ status: 403 });
  });

  test('is refused where it writes and does not say where it begins', async () => {
    const { port, signIn: sign } = await servedConsole(source, { allowActions: true });
    const { cookie, csrf } = await sign();
    const headers = { cookie, 'x-csrf-token': csrf, 'content-type': 'application/json' };
    expect(await ask(port, '/api/actions', { method: 'POST', headers, body: approve })).toMatchObject({
      status: 403,
    });
    expect(source.changes).toEqual([]);
  });

  test('is accepted under each of its own names', async () => {
    const { port, signIn: sign } = await servedConsole(source);
    const { cookie } = await sign();
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      const headers = { cookie, host, origin: `http://${host}` };
      expect(await ask(port, '/api/fleet', { headers })).toMatchObject({ status: 200 });
    }
  });
});

describe('the session', () => {
  test('begins with the token, once', async () => {
    const { url } = await servedConsole(source);
    await signIn(url);
    await expect(signIn(url)).rejects.toThrow('start it once more');
  });

  test.each([[''], ['wrong'], ['x'.repeat(513)], [undefined], [42]])(
    'does not begin with %j, which uses up nothing',
    async (token) => {
      const { url, port } = await servedConsole(source);
      const headers = { origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json' };
      const answer = await ask(port, '/api/session', { method: 'POST', headers, body: { token } });
      expect([400, 401]).toContain(answer.status);
      expect(answer.headers['set-cookie']).toBeUndefined();
      await signIn(url);
    },
  );

  test('is a cookie that scripts do not see and other sites do not send', async () => {
    const { url, port } = await servedConsole(source);
    const headers = { origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json' };
    const body = { token: new URL(url).hash.slice('#token='.length) };
    const answer = await ask(port, '/api/session', { method: 'POST', headers, body });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^dms_console_${port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
      ),
    ]);
  });

  test('is needed for everything that shows something', async () => {
    const { port, signIn: sign } = await servedConsole(source);
    const { cookie } = await sign();
    const wrong = [undefined, '', `${cookie}x`, cookie.replace(/=.*/, '='), cookie.replace('dms', 'dmz')];
    for (const path of PATHS)
      for (const sent of wrong) {
        const answer = await ask(
          port,
          `/api/${path}`,
          sent === undefined ? {} : { headers: { cookie: sent } },
        );
        expect([path, answer.status]).toEqual([path, 401]);
        expect(answer.text).not.toContain('asks');
      }
  });

  test('returns the CSRF text again after a reload', async () => {
    const { get, csrf } = await (await servedConsole(source)).signIn();
    expect((await get('/api/session')).json).toEqual({ csrf });
  });

  test('has a cookie of its own for each console', async () => {
    const [one, other] = [await servedConsole(source), await servedConsole(source)];
    const [a, b] = [await one.signIn(), await other.signIn()];
    const cookie = `${a.cookie}; ${b.cookie}`;
    for (const { port } of [one, other])
      expect(await ask(port, '/api/fleet', { headers: { cookie } })).toMatchObject({ status: 200 });
    expect(await ask(one.port, '/api/fleet', { headers: { cookie: b.cookie } })).toMatchObject({
      status: 401,
    });
  });
});

describe('an action', () => {
  test('is refused without --allow-actions', async () => {
    const { post, get } = await (await servedConsole(source)).signIn();
    const answer = await post('/api/actions', approve);
    expect(answer).toMatchObject({
      status: 403,
      json: { error: expect.stringContaining('--allow-actions') },
    });
    expect(source.changes).toEqual([]);
    const screen = await get('/api/deployment?namespace=team-a&name=asks');
    expect(screen.json.actions.some(({ allowed }: { allowed: boolean }) => allowed)).toBe(false);
  });

  test.each([[''], ['wrong']])('is refused with the header %j', async (csrf) => {
    const { post } = await (await servedConsole(source, { allowActions: true })).signIn();
    for (const path of ['/api/actions', '/api/plan'])
      expect(await post(path, approve, { 'x-csrf-token': csrf })).toMatchObject({ status: 403 });
    expect(source.changes).toEqual([]);
  });

  test('is refused as a form, as a GET, and with what is no request', async () => {
    const { post, get } = await (await servedConsole(source, { allowActions: true })).signIn();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await post('/api/actions', approve, form)).toMatchObject({ status: 415 });
    expect(await get('/api/actions')).toMatchObject({ status: 405 });
    const wrong = [
      { ...approve, action: 'delete' },
      { ...approve, action: 'constructor' },
      { ...approve, hash: undefined },
      { ...approve, hash: ['x'] },
      { ...approve, name: null },
      { ...approve, resourceVersion: 7 },
    ];
    for (const body of wrong) expect(await post('/api/actions', body)).toMatchObject({ status: 400 });
    expect(source.changes).toEqual([]);
  });
});

describe('bad input', () => {
  test.each([
    ['a body without end', { method: 'POST', body: 'x'.repeat(1_000_000) }, 413],
    ['no JSON', { method: 'POST', body: '{' }, 400],
    ['a list', { method: 'POST', body: '[]' }, 400],
    ['deep JSON', { method: 'POST', body: '['.repeat(8_000) }, 400],
  ])('is refused: %s', async (_, asking, status) => {
    const { port } = await servedConsole(source);
    const headers = { origin: `http://127.0.0.1:${port}`, 'content-type': 'application/json' };
    const asked = ask(port, '/api/session', { ...asking, headers });
    expect([status, 'lost']).toContain(await asked.then((answer) => answer.status, lostConnection));
    expect((await ask(port, '/')).status).toBe(200);
  });

  test.each([
    ['/api/fleet?page=x', 400],
    ['/api/fleet?page=-1', 400],
    [`/api/fleet?filter=${'x'.repeat(1_025)}`, 400],
    ['/api/fleet?page=999999', 200],
    ['/api/fleet?filter=%00%FF', 200],
    ['/api/deployment', 404],
    ['/api/deployment?namespace=team-a&name=../../etc', 404],
    ['/api/nothing', 404],
    ['/api/', 404],
    ['/api/__proto__', 404],
    ['/../package.json', 404],
    ['//evil.example.com/', 404],
    ['/app.js/', 404],
  ])('%s is answered with %i', async (path, status) => {
    const { get } = await (await servedConsole(source)).signIn();
    const answer = await get(path);
    expect(answer.status).toBe(status);
    if (status >= 400) expect(answer.json).toEqual({ error: expect.any(String) });
  });

  test('a header that is too long is no trouble', async () => {
    const { port } = await servedConsole(source);
    const asked = ask(port, '/', { headers: { cookie: 'x'.repeat(100_000) } });
    const status = await asked.then((answer) => answer.status, lostConnection);
    expect([431, 'lost']).toContain(status);
    expect((await ask(port, '/')).status).toBe(200);
  });

  test('texts with markup, marks of direction and a megabyte arrive as they are, in no page of HTML', async () => {
    const odd = '<img src=x onerror=alert(1)>\u202E\u{1F469}\u200D\u{1F680}';
    const conditions = (statusOf('Rejected').conditions ?? []).map((one) => ({
      ...one,
      message: odd.repeat(30_000),
    }));
    source.resources = [inState('odd', 'Rejected', { status: { conditions }, labels: { note: odd } })];
    const { get } = await (await servedConsole(source)).signIn();
    const screen = await get('/api/deployment?namespace=team-a&name=odd');
    expect(screen.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(screen.json.conditions[0].message).toBe(odd.repeat(30_000));
    const fleet = await get('/api/fleet');
    expect(fleet.json.rows[0].labels.note).toBe(odd);
    expect(fleet.text.length).toBeLessThan(5_000);
  });

  test('what looks like a credential is not shown, whoever wrote it into a status', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const conditions = (statusOf('Rejected').conditions ?? []).map((one) => ({
      ...one,
      message: `bad ${token}`,
    }));
    const labels = { command: token, hash: token, password: 'hunter2' };
    source.resources = [inState('leaky', 'Rejected', { status: { conditions }, labels })];
    const { get } = await (await servedConsole(source)).signIn();
    Object.assign(source, { place: 'test (https://user:hunter2@api.example.com)' });
    for (const path of PATHS.filter((name) => name !== 'stream'))
      expect((await get(`/api/${path.replace('asks', 'leaky')}`)).text).not.toMatch(/ghp_|hunter2/);
  });

  test('10,000 resources are filtered and paged by the server, a hundred at a time', async () => {
    source.resources = Array.from({ length: 10_000 }, (_, index) => inState(`agent-${index}`, 'InSync'));
    const { get } = await (await servedConsole(source)).signIn();
    const first = await get('/api/fleet');
    expect(first.json).toMatchObject({ total: 10_000, matched: 10_000, pages: 100 });
    expect(first.json.rows).toHaveLength(100);
    expect((await get('/api/fleet?filter=agent-9999')).json).toMatchObject({ matched: 1, total: 10_000 });
  });
});

describe('the server', () => {
  test('says for every answer that it is not kept, not framed, and runs nothing from elsewhere', async () => {
    const { port, signIn: sign } = await servedConsole(source);
    const { get } = await sign();
    const answers = [
      ...(await Promise.all(PAGES.map((path) => ask(port, path)))),
      await get('/api/fleet'),
      await get('/x'),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('listens on this machine alone', async () => {
    const { port } = await servedConsole(source);
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0);
    for (const { address } of others) await expect(reached(address, port)).resolves.toBe(false);
    await expect(reached('127.0.0.1', port)).resolves.toBe(true);
  });

  test('reports a port in use', async () => {
    const taken = createServer();
    onTestFinished(() => void taken.close());
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(servedConsole(source, { port })).rejects.toThrow(
      `port ${port} is in use; give another --port`,
    );
  });

  test('ends at once, streams included, and gives the port back', async () => {
    const first = await servedConsole(source);
    const { cookie } = await first.signIn();
    const stream = ask(first.port, '/api/stream', { headers: { cookie } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const began = performance.now();
    await first.end();
    expect(performance.now() - began).toBeLessThan(1_000);
    await stream.catch(() => undefined);
    const again = await servedConsole(source, { port: first.port });
    expect(again.port).toBe(first.port);
  });

  test('writes internal errors to its log, and not to the page', async () => {
    const { logger, signIn: sign } = await servedConsole(source);
    const { get } = await sign();
    source.connections = () => {
      throw new TypeError('an inner matter');
    };
    const answer = await get('/api/deployment?namespace=team-a&name=asks');
    expect(answer).toMatchObject({ status: 500 });
    expect(answer.text).not.toContain('inner');
    expect(JSON.stringify(logger.lines)).toContain('could not be answered');
  });
});

async function reached(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Marks a lost connection: a sender that continues after the answer may lose it before it has read the answer. */
function lostConnection(): 'lost' {
  return 'lost';
}
