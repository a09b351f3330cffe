import { setTimeout as realTime } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import type { Transport } from '../../../src/kubernetes/client/exchange.ts';
import { AnswerTooLongError } from '../../../src/kubernetes/client/exchange.ts';
import { CorruptLineError } from '../../../src/kubernetes/objects/json-lines.ts';
import type { ClusterConfig, Credentials } from '../../../src/kubernetes/client/load-cluster-config.ts';
import { createTransport } from '../../../src/kubernetes/client/create-transport.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { collected } from '../../support/collected.ts';
import {
  type Reply,
  type ScriptedHttpServer,
  startScriptedHttpServer,
} from '../../support/servers/scripted-http-server.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const ANONYMOUS: Credentials = { headers: {}, tls: {} };

interface World {
  readonly server: ScriptedHttpServer;
  readonly transport: Transport;
  readonly exchanges: string[];
}

async function start(
  reply: Parameters<typeof startScriptedHttpServer>[0],
  config: Partial<ClusterConfig> & { prefix?: string } = {},
): Promise<World> {
  const server = await startScriptedHttpServer(reply);
  ends.push(() => server.stop());
  const exchanges: string[] = [];
  const transport = createTransport(
    {
      server: `${server.url}${config.prefix ?? ''}`,
      podNamespace: undefined,
      proxyURL: undefined,
      requestTimeoutMs: config.requestTimeoutMs,
      credentials: config.credentials ?? (async () => ANONYMOUS),
    },
    {
      clock: systemClock,
      userAgent: 'dms-operator/test',
      metrics: {
        requested: ({ method, code }) => exchanges.push(`${method} ${code}`),
        heard: () => undefined,
        relisted: () => undefined,
        missed: () => undefined,
      },
    },
  );
  ends.push(() => transport.close());
  return { server, transport, exchanges };
}

const ok: Reply = { status: 200, json: { ok: true } };
const failed = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`expected an ApiError, got ${String(error)}`);
  return error;
};

describe('a request', () => {
  it('keeps the path prefix of the server and says who asks', async () => {
    const { server, transport } = await start(() => ok, { prefix: '/k8s/clusters/c-1/' });
    const answer = await transport.request('PATCH', '/api/v1/pods', {
      query: { limit: 5, dryRun: undefined, labelSelector: 'a=b c' },
      body: { a: 1 },
      contentType: 'application/merge-patch+json',
    });
    expect(answer).toMatchObject({ status: 200, json: { ok: true } });
    expect(server.seen[0]).toMatchObject({
      method: 'PATCH',
      url: '/k8s/clusters/c-1/api/v1/pods?limit=5&labelSelector=a%3Db+c',
      body: '{"a":1}',
      headers: { 'user-agent': 'dms-operator/test', 'content-type': 'application/merge-patch+json' },
    });
  });

  it('is aborted if its answer is longer than permitted, and is otherwise read as requested', async () => {
    const { transport } = await start(() => ok);
    const length = JSON.stringify({ ok: true }).length;
    const read = (text: string): unknown => text.length;
    await expect(transport.request('GET', '/api', { mostBytes: length, read })).resolves.toMatchObject({
      json: length,
    });
    await expect(transport.request('GET', '/api', { mostBytes: length - 1 })).rejects.toThrow(
      AnswerTooLongError,
    );
  });

  it('sends every value of a header', async () => {
    const headers = { 'Impersonate-User': 'joe', 'Impersonate-Group': ['admins', 'all'] };
    const { server, transport } = await start(() => ok, { credentials: async () => ({ headers, tls: {} }) });
    await transport.request('GET', '/api');
    expect(server.seen[0]?.headers).toMatchObject({ 'impersonate-group': 'admins, all' });
  });

  it('ends when the time limit of all requests is over', async () => {
    const { transport } = await start(() => (): void => undefined, { requestTimeoutMs: 20 });
    const error = await failed(transport.request('GET', '/api', { timeoutMs: 60_000 }));
    expect(error.message).toBe('GET /api: no answer within 20 ms');
  });

  it('reuses connections: 100 requests one after the other need two at most', async () => {
    const { server, transport } = await start(() => ok);
    for (let turn = 0; turn < 100; turn += 1) await transport.request('GET', '/api');
    // The next request may begin a moment before the connection of the previous one is free again.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('opens a bounded number of connections for 200 requests at once', async () => {
    const { server, transport } = await start(() => ok);
    await Promise.all(Array.from({ length: 200 }, () => transport.request('GET', '/api')));
    expect(server.seen).toHaveLength(200);
    expect(server.connections).toBeLessThanOrEqual(32);
  });

  it('is not held up by watches, however many are open', async () => {
    const { server, transport } = await start((request) =>
      request.url.includes('watch=true') ? (response) => response.writeHead(200).flushHeaders() : ok,
    );
    const ending = new AbortController();
    const watches = Array.from({ length: 200 }, async () => {
      await collected(transport.watch('/api/v1/pods', {}, ending.signal)).catch(() => undefined);
    });
    await expect.poll(() => server.seen.length).toBe(200);
    await transport.request('GET', '/api', { timeoutMs: 2000 });
    ending.abort();
    await Promise.all(watches);
  });

  it('uses new certificates on new connections as soon as they change', async () => {
    let servername = 'one';
    const { server, transport } = await start(() => ok, {
      credentials: async () => ({ headers: {}, tls: { servername } }),
    });
    await transport.request('GET', '/api');
    const before = server.connections;
    servername = 'two';
    await transport.request('GET', '/api');
    expect(server.connections).toBe(before + 1);
    await expect.poll(() => server.open).toBe(1);
  });

  it('reports what the API server said about a refusal', async () => {
    const status = { kind: 'Status', reason: 'Conflict', message: 'the object has been modified' };
    const { transport, exchanges } = await start(() => ({ status: 409, json: status }));
    expect(await failed(transport.request('PUT', '/api/v1/x'))).toMatchObject({
      kind: 'conflict',
      status: 409,
      reason: 'Conflict',
      message: 'PUT /api/v1/x: 409 Conflict the object has been modified',
    });
    expect(exchanges).toEqual(['PUT 409']);
  });

  it('does not follow redirects', async () => {
    const { server, transport } = await start(() => ({ status: 302, headers: { location: '/login' } }));
    expect(await failed(transport.request('GET', '/api'))).toMatchObject({ kind: 'invalid', status: 302 });
    expect(server.seen).toHaveLength(1);
  });

  const BROKEN: readonly [string, Reply][] = [
    ['a connection that is reset', (response) => void response.destroy()],
    [
      'a truncated answer',
      (response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"a":', () => response.destroy());
      },
    ],
    ['an answer that is not JSON', (response) => void response.end('<html>')],
  ];
  it.each(BROKEN)('is a network error for %s', async (_name, reply) => {
    const { transport } = await start(() => reply);
    expect(await failed(transport.request('GET', '/api'))).toMatchObject({ kind: 'network' });
  });

  it('repeats nothing of an answer that is not JSON, because it may be a Secret', async () => {
    const { transport } = await start(() => (response) => void response.end('{"data":{"token":hunter2}}'));
    const error = await failed(transport.request('GET', '/api'));
    expect(error.message).toBe('GET /api: the answer is not JSON');
    expect(String(error.cause)).not.toContain('hunter2');
  });

  it('is a network error if no server listens', async () => {
    const { server, transport } = await start(() => ok);
    await server.stop();
    const error = await failed(transport.request('GET', '/api'));
    expect(error).toMatchObject({ kind: 'network' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('has a deadline that covers the body', async () => {
    const { transport } = await start(() => (response) => void response.writeHead(200).write('{"a":'));
    const error = await failed(transport.request('GET', '/api', { timeoutMs: 100 }));
    expect(error).toMatchObject({ kind: 'network', message: 'GET /api: no answer within 100 ms' });
  });

  it('ends when its caller aborts it', async () => {
    const { server, transport } = await start(() => () => undefined);
    const ending = new AbortController();
    const asking = failed(transport.request('GET', '/api', { signal: ending.signal }));
    await expect.poll(() => server.seen.length).toBe(1);
    ending.abort(new Error('stopping'));
    expect(await asking).toMatchObject({ kind: 'aborted', cause: new Error('stopping') });
  });
});

describe('a throttled request', () => {
  const throttled = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } });

  it('is repeated after the time the server asked for, whatever the method', async () => {
    const { server, transport } = await start((_request, number) => (number === 0 ? throttled('1') : ok));
    const began = performance.now();
    await transport.request('POST', '/api/v1/events', { body: {} });
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(server.seen).toHaveLength(2);
  });

  it.each([
    ['at once', throttled('0')],
    ['without saying when', { status: 429 }],
    ['at an impossible time', throttled('soon')],
  ])('waits a second if the server says to come back %s', async (_when, refusal) => {
    const { server, transport } = await start((_request, number) => (number === 0 ? refusal : ok));
    const began = performance.now();
    await transport.request('GET', '/api');
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(server.seen).toHaveLength(2);
  });

  it('fails at once if the pause would pass the deadline', async () => {
    const { server, transport } = await start(() => throttled('60'));
    const error = await failed(transport.request('GET', '/api', { timeoutMs: 5000 }));
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 60_000 });
    expect(server.seen).toHaveLength(1);
  });
});

describe('refused credentials', () => {
  it('are requested again, once, and the request is repeated', async () => {
    const tokens = ['old', 'new'];
    const refused: (Credentials | undefined)[] = [];
    let token = '';
    const { server, transport } = await start(
      (request) => (request.headers.authorization === 'Bearer new' ? ok : { status: 401 }),
      {
        credentials: async (old) => {
          refused.push(old);
          if (old !== undefined || token === '') token = tokens.shift() ?? 'none';
          return { headers: { Authorization: `Bearer ${token}` }, tls: {} };
        },
      },
    );
    await transport.request('GET', '/api');
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    expect(refused).toEqual([undefined, { headers: { Authorization: 'Bearer old' }, tls: {} }]);
  });

  it('end the request if the new ones are refused too', async () => {
    const { server, transport } = await start(() => ({ status: 401 }));
    expect(await failed(transport.request('GET', '/api'))).toMatchObject({
      kind: 'unauthorized',
      status: 401,
    });
    expect(server.seen).toHaveLength(2);
  });
});

describe('a watch', () => {
  const never = new AbortController().signal;

  it('sends the requested parameters and returns the objects of the stream', async () => {
    const { server, transport } = await start(() => (response) => void response.end('{"a":1}\n{"a":2}\n'));
    const seen = await collected(
      transport.watch('/api/v1/pods', { resourceVersion: '7' }, never, 'application/x'),
    );
    expect(seen).toEqual([{ a: 1 }, { a: 2 }]);
    expect(server.seen[0]).toMatchObject({
      url: '/api/v1/pods?resourceVersion=7&watch=true',
      headers: { accept: 'application/x' },
    });
  });

  it.each([
    [410, 'gone'],
    [429, 'throttled'],
    [403, 'forbidden'],
    [504, 'server'],
  ])('that is refused with %i fails as %s', async (status, kind) => {
    const { transport } = await start(() => ({ status }));
    expect(await failed(collected(transport.watch('/api', {}, never)))).toMatchObject({ kind });
  });

  it('fails as a network error if it is cut, also in the middle of a line', async () => {
    const { transport } = await start(
      () => (response) => void response.write('{"a":1}\n{"a":', () => response.destroy()),
    );
    const seen: unknown[] = [];
    const error = await failed(
      (async () => {
        for await (const line of transport.watch('/api', {}, never)) seen.push(line);
      })(),
    );
    expect(seen).toEqual([{ a: 1 }]);
    expect(error.kind).toBe('network');
  });

  it('reports a corrupt line', async () => {
    const { transport } = await start(() => (response) => void response.write('{"a":1}\n{"a\n{"a":3}\n'));
    await expect(collected(transport.watch('/api', {}, never))).rejects.toThrow(CorruptLineError);
  });

  it('stays open in silence, past every deadline of a request', async () => {
    const { transport } = await start(() => (response) => {
      response.write('{"a":1}\n');
      void realTime(400).then(() => response.end('{"a":2}\n'));
    });
    expect(await collected(transport.watch('/api', {}, never))).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('releases its connection when it is left or aborted', async () => {
    const { server, transport } = await start(() => (response) => void response.write('{"a":1}\n'));
    for await (const line of transport.watch('/api', {}, never)) if (line['a'] === 1) break;
    await expect.poll(() => server.open).toBe(0);

    const ending = new AbortController();
    const reading = collected(transport.watch('/api', {}, ending.signal));
    await expect.poll(() => server.open).toBe(1);
    ending.abort(new Error('stopping'));
    await expect(reading).rejects.toThrow('stopping');
    await expect.poll(() => server.open).toBe(0);
  });
});
