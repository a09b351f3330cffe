import { createServer as createTLSServer } from 'node:https';
import { createServer as createTCPServer, type AddressInfo, type Server } from 'node:net';
import type { ServerResponse } from 'node:http';
import { randomBytes } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import { classify, ConnectionError } from '../../../src/model/connection/failure.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import type { NameResolution } from '../../../src/service/http/check-address.ts';
import type { Exchange, ServiceAnswer, ServiceRequest } from '../../../src/service/http/exchange.ts';
import { AnswerRoom } from '../../../src/service/limits/answer-room.ts';
import { httpExchange, type TransportOptions } from '../../../src/service/http/http-exchange.ts';
import { someSettings } from '../../support/resources/builders.ts';
import {
  type Reply,
  type ScriptedHttpServer,
  startScriptedHttpServer,
} from '../../support/servers/scripted-http-server.ts';
import { aSeat } from '../support/seat.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/test-certificate.ts';

const LIST: ServiceRequest = { operation: 'list', method: 'GET', path: '/v2/deployments' };
const PATCH: ServiceRequest = {
  operation: 'patch',
  method: 'PATCH',
  path: '/v2/deployments/a',
  body: '{"secrets":[]}',
};

const MIB = 1024 * 1024;
const ONE_AT_ONCE = { requestsPerSecond: 5, burst: 10, concurrency: 1 };

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

async function serve(reply: (number: number) => Reply): Promise<ScriptedHttpServer> {
  const server = await startScriptedHttpServer((_, number) => reply(number));
  ending.push(() => server.stop());
  return server;
}

/** Starts a server that speaks another protocol, or none, and returns its port. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

function open(settings: Partial<ConnectionSettings>, more: Partial<TransportOptions> = {}): Exchange {
  const exchange = httpExchange(someSettings({ requestTimeoutMs: 5_000, ...settings }), {
    clock: systemClock,
    userAgent: 'dms-operator/1.2.3',
    rules: { refuseLoopback: false, allowHosts: [] },
    ...more,
  });
  ending.push(() => exchange.close());
  return exchange;
}

const send = (
  exchange: Exchange,
  request = LIST,
  signal = new AbortController().signal,
): Promise<ServiceAnswer> => exchange.send(request, signal, aSeat());

/** Returns the reason and `sent` of the error with which an exchange ended. */
async function told(sending: Promise<ServiceAnswer>): Promise<string> {
  try {
    return `answered with ${(await sending).status}`;
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return `${error.reason} sent:${error.sent}`;
  }
}

/** Returns a resolver that finds these addresses for any name. */
const resolvedTo =
  (addresses: readonly string[]): NameResolution =>
  (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const writes = (write: (response: ServerResponse) => void): Reply => write;

describe('a request', () => {
  test('keeps the path prefix of the base address, and its query', async () => {
    const server = await serve(() => ({ status: 200, json: {} }));
    const exchange = open({ baseURL: `${server.url}/api/deploy` });
    await send(exchange, { ...LIST, query: new URLSearchParams({ limit: '100', name_contains: 'a&b c' }) });
    await send(exchange, { ...LIST, query: new URLSearchParams() });
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/deploy/v2/deployments?limit=100&name_contains=a%26b+c',
      '/api/deploy/v2/deployments',
    ]);
  });

  test('carries the headers of the connection, the user agent and a request id', async () => {
    const server = await serve(() => ({ status: 200, json: {} }));
    const exchange = open({
      baseURL: server.url,
      headers: [
        { name: 'X-Api-Key', value: new SecretValue('hunter22') },
        { name: 'X-Tenant-Id', value: new SecretValue('t-1') },
      ],
    });
    await send(exchange);
    await send(exchange, PATCH);
    const [list, patch] = server.seen;
    expect(list?.headers).toMatchObject({
      'x-api-key': 'hunter22',
      'x-tenant-id': 't-1',
      'user-agent': 'dms-operator/1.2.3',
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
    });
    expect(list?.headers).not.toHaveProperty('content-type');
    expect(patch).toMatchObject({ method: 'PATCH', body: '{"secrets":[]}' });
    expect(patch?.headers['content-type']).toBe('application/json');
    expect(new Set(server.seen.map(({ headers }) => headers['x-request-id'])).size).toBe(2);
  });

  test('reuses an open connection', async () => {
    const server = await serve(() => ({ status: 200, json: {} }));
    const exchange = open({ baseURL: server.url, rateLimit: ONE_AT_ONCE });
    for (let n = 0; n < 3; n += 1) await send(exchange);
    expect(server.connections).toBe(1);
  });

  test('opens no more connections than the connection may have concurrent calls', async () => {
    const waiting: ServerResponse[] = [];
    const server = await serve(() => writes((response) => void waiting.push(response)));
    const exchange = open({ baseURL: server.url, rateLimit: { ...ONE_AT_ONCE, concurrency: 2 } });
    const sending = Array.from({ length: 4 }, () => send(exchange));
    const state = { ended: false };
    void Promise.all(sending).then(() => (state.ended = true));
    let most = 0;
    while (!state.ended) {
      most = Math.max(most, server.open);
      await systemClock.sleep(10);
      for (const response of waiting.splice(0)) response.end('{}');
    }
    expect(most).toBe(2);
  });
});

describe('an answer', () => {
  test.each([200, 204, 302, 404, 429, 500])('with status %i is handed on as it is', async (status) => {
    const server = await serve(() => ({
      status,
      headers: { 'Retry-After': '5', Location: 'http://127.0.0.1:1/' },
    }));
    const answer = await send(open({ baseURL: server.url }));
    expect(answer).toMatchObject({ status, text: '', headers: { 'retry-after': '5' } });
    expect(server.seen, 'a redirect is not followed').toHaveLength(1);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
  ] as const)('may be compressed with %s', async (encoding, compress) => {
    const text = JSON.stringify({ resources: ['ünïcode'] });
    const server = await serve(() =>
      writes((response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        response.end(compress(text));
      }),
    );
    expect((await send(open({ baseURL: server.url }))).text).toBe(text);
  });

  test('may arrive in pieces that split a character', async () => {
    const bytes = Buffer.from('{"name":"ünïcode"}');
    const server = await serve(() =>
      writes((response) => {
        response.write(bytes.subarray(0, 10));
        systemClock.after(20, () => response.end(bytes.subarray(10)));
      }),
    );
    expect((await send(open({ baseURL: server.url }))).text).toBe('{"name":"ünïcode"}');
  });

  test('of 32 MiB is read, and one byte more is too much', async () => {
    const server = await serve((number) =>
      writes((response) => {
        response.end(Buffer.alloc(32 * MIB + number, 32));
      }),
    );
    const exchange = open({ baseURL: server.url });
    expect((await send(exchange)).text).toHaveLength(32 * MIB);
    expect(await told(send(exchange))).toBe('ProtocolError sent:perhaps');
  });

  test.each(['identity', 'gzip'])(
    'in %s is read no further while there is no room, and the deadline waits as well',
    async (encoding) => {
      const text = randomBytes(3 * MIB).toString('base64');
      const body = encoding === 'gzip' ? gzipSync(text) : text;
      const server = await serve(() =>
        writes((response) => {
          response.writeHead(200, { 'content-encoding': encoding });
          response.end(body);
        }),
      );
      const room = new AnswerRoom({ clock: systemClock, answerBytes: 16 * MIB });
      const signal = new AbortController().signal;
      const [first, second] = [await room.enter('a', 0, signal), await room.enter('a', 0, signal)];
      expect(first.grow(MIB)).toBeUndefined();
      const exchange = open({ baseURL: server.url, requestTimeoutMs: 1_000 });
      const sending = exchange.send(LIST, signal, second);
      await expect.poll(() => second.bytes).toBeGreaterThan(256 * 1024);
      const heldUp = second.bytes;
      await systemClock.sleep(1_500);
      expect(second.bytes, 'nothing more is read').toBe(heldUp);
      first.leave();
      expect((await sending).text).toBe(text);
    },
  );

  test('in an unknown encoding is passed on, even if the encoding has the name of a built-in property', async () => {
    const server = await serve(() => ({
      status: 200,
      json: {},
      headers: { 'content-encoding': 'constructor' },
    }));
    expect((await send(open({ baseURL: server.url }))).text).toBe('{}');
  });

  test('that arrives byte by byte is read like any other', async () => {
    const server = await serve(() =>
      writes((response) => {
        for (let n = 0; n < 2_000; n += 1) response.write(' ');
        response.end('{}');
      }),
    );
    expect((await send(open({ baseURL: server.url }))).text.trim()).toBe('{}');
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)(
    'that grows beyond the limit from a few bytes of %s is not inflated',
    async (encoding, compress) => {
      const bomb = compress(Buffer.alloc(40 * MIB));
      const server = await serve(() =>
        writes((response) => {
          response.writeHead(200, { 'content-encoding': encoding });
          response.end(bomb);
        }),
      );
      expect(bomb.length).toBeLessThan(MIB / 8);
      expect(await told(send(open({ baseURL: server.url })))).toBe('ProtocolError sent:perhaps');
    },
  );

  test('with broken compression may follow a write that was applied', async () => {
    const server = await serve(() =>
      writes((response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync('{"a":1}').subarray(0, 12));
      }),
    );
    expect(await told(send(open({ baseURL: server.url }), PATCH))).toBe('ProtocolError sent:perhaps');
  });
});

describe('the request timeout', () => {
  const impatient = { requestTimeoutMs: 150 };

  test('ends an exchange that is never answered', async () => {
    const server = await serve(() => writes(() => {}));
    const startedMs = Date.now();
    const error = await send(open({ baseURL: server.url, ...impatient }), PATCH).catch(
      (caught: unknown) => caught,
    );
    expect(classify(error)).toMatchObject({ kind: 'transient', reason: 'OutcomeUnknown', sent: 'perhaps' });
    expect(error).toMatchObject({ reason: 'Timeout' });
    expect(Date.now() - startedMs).toBeLessThan(2_000);
  });

  test('covers the body: headers alone do not stop it', async () => {
    const server = await serve(() =>
      writes((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const trickle = (): void => {
          response.write(' ');
          systemClock.after(20, trickle);
        };
        trickle();
      }),
    );
    expect(await told(send(open({ baseURL: server.url, ...impatient })))).toBe('Timeout sent:perhaps');
  });

  test('does not affect later exchanges', async () => {
    const server = await serve((number) => (number === 0 ? writes(() => {}) : { status: 200, json: {} }));
    const exchange = open({
      baseURL: server.url,
      ...impatient,
      rateLimit: ONE_AT_ONCE,
    });
    expect(await told(send(exchange))).toBe('Timeout sent:perhaps');
    expect(await told(send(exchange))).toBe('answered with 200');
  });
});

describe('an exchange that fails', () => {
  test('before it was connected cannot have been applied', async () => {
    const port = await listen(createTCPServer());
    await ending.pop()?.();
    expect(await told(send(open({ baseURL: `http://127.0.0.1:${port}` }), PATCH))).toBe(
      'Unreachable sent:no',
    );
  });

  test('at an unknown host cannot have been applied', async () => {
    expect(await told(send(open({ baseURL: 'http://unknown.invalid' }), PATCH))).toBe('Unreachable sent:no');
  });

  test.each<[how: string, reply: Reply]>([
    ['by a reset before the answer', writes((response) => response.socket?.resetAndDestroy())],
    ['by a close before the answer', writes((response) => response.socket?.destroy())],
    [
      'by a reset in the middle of the answer',
      writes((response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"id":', () => response.socket?.resetAndDestroy());
      }),
    ],
    [
      'with less than the announced length',
      writes((response) => {
        response.writeHead(200, { 'content-length': 100, connection: 'close' });
        response.write('{"id":', () => response.socket?.end());
      }),
    ],
  ])('%s may have been applied, and is not repeated', async (_how, reply) => {
    const server = await serve(() => reply);
    expect(await told(send(open({ baseURL: server.url }), PATCH))).toBe('Unreachable sent:perhaps');
    expect(server.seen).toHaveLength(1);
  });

  test('on a reused connection may have been applied', async () => {
    const server = await serve((number) =>
      number === 0 ? { status: 200, json: {} } : writes((response) => response.socket?.resetAndDestroy()),
    );
    const exchange = open({ baseURL: server.url, rateLimit: ONE_AT_ONCE });
    await send(exchange);
    expect(await told(send(exchange, PATCH))).toBe('Unreachable sent:perhaps');
    expect(server.connections).toBe(1);
    expect(server.seen).toHaveLength(2);
  });

  test('in the middle of a body without a length returns the text received so far', async () => {
    const server = await serve(() =>
      writes((response) => {
        response.useChunkedEncodingByDefault = false;
        response.writeHead(200, { connection: 'close' });
        response.end('{"id":');
      }),
    );
    expect(await send(open({ baseURL: server.url }), PATCH)).toMatchObject({ status: 200, text: '{"id":' });
  });

  test('at a server that does not speak HTTP is reported as such', async () => {
    const port = await listen(
      createTCPServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
      }),
    );
    expect(await told(send(open({ baseURL: `http://127.0.0.1:${port}` })))).toBe(
      'ProtocolError sent:perhaps',
    );
  });

  test('because its caller gave up reports that it may have been applied', async () => {
    const server = await serve(() => writes(() => {}));
    const caller = new AbortController();
    const sending = told(send(open({ baseURL: server.url }), PATCH, caller.signal));
    while (server.seen.length === 0) await systemClock.sleep(5);
    caller.abort(new Error('given up'));
    expect(await sending).toBe('Unreachable sent:perhaps');
  });
});

describe('TLS', () => {
  const serveTLS = async (more: { readonly requestCert?: boolean } = {}): Promise<number> =>
    listen(
      createTLSServer(
        { cert: TEST_CERTIFICATE, key: TEST_KEY, ca: TEST_CERTIFICATE, ...more },
        (request, response) => {
          response.end(
            JSON.stringify({
              client:
                'getPeerCertificate' in request.socket &&
                Object.keys((request.socket as { getPeerCertificate(): object }).getPeerCertificate())
                  .length > 0,
            }),
          );
        },
      ),
    );

  test('with a certificate that nobody vouches for fails before anything was sent', async () => {
    const port = await serveTLS();
    expect(await told(send(open({ baseURL: `https://localhost:${port}` }), PATCH))).toBe('TLSFailed sent:no');
  });

  test('trusts the certificate authority of the connection', async () => {
    const port = await serveTLS();
    const exchange = open({ baseURL: `https://localhost:${port}`, tls: { ca: TEST_CERTIFICATE } });
    expect(await send(exchange)).toMatchObject({ status: 200, text: '{"client":false}' });
  });

  test('presents the client certificate of the connection', async () => {
    const port = await serveTLS({ requestCert: true });
    const tls = { ca: TEST_CERTIFICATE, certificate: TEST_CERTIFICATE, key: new SecretValue(TEST_KEY) };
    expect(await send(open({ baseURL: `https://localhost:${port}`, tls }))).toMatchObject({
      text: '{"client":true}',
    });
  });

  test('for another name than that of the certificate fails before anything was sent', async () => {
    const port = await serveTLS();
    const exchange = open(
      { baseURL: `https://deploy.example.com:${port}`, tls: { ca: TEST_CERTIFICATE } },
      { resolve: resolvedTo(['127.0.0.1']) },
    );
    expect(await told(send(exchange, PATCH))).toBe('TLSFailed sent:no');
  });

  test('with text that is no certificate is refused before a connection opens', () => {
    expect(() => open({ tls: { ca: 'garbage' } })).toThrow('spec.tls.caBundle holds no certificate');
  });

  test('at a server that speaks plain HTTP fails', async () => {
    const server = await serve(() => ({ status: 200, json: {} }));
    const exchange = open({ baseURL: server.url.replace('http:', 'https:') });
    expect(await told(send(exchange, PATCH))).toBe('TLSFailed sent:no');
  });
});

describe('addresses', () => {
  const IN_CLUSTER = { rules: { refuseLoopback: true, allowHosts: [] } };

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])(
    'of this process are refused in a cluster, as %s, before a connection opens',
    async (host) => {
      const server = await serve(() => ({ status: 200, json: {} }));
      const { port } = new URL(server.url);
      expect(await told(send(open({ baseURL: `http://${host}:${port}` }, IN_CLUSTER)))).toBe(
        'AddressRefused sent:no',
      );
      expect(server.connections).toBe(0);
    },
  );

  test('are checked after names were resolved', async () => {
    const server = await serve(() => ({ status: 200, json: {} }));
    const { port } = new URL(server.url);
    const baseURL = `http://localhost:${port}`;
    expect(await told(send(open({ baseURL }, IN_CLUSTER)))).toBe('AddressRefused sent:no');
    expect(server.connections).toBe(0);
    expect(await told(send(open({ baseURL })))).toBe('answered with 200');
  });

  test('are checked at every connection: a name that leads elsewhere later is refused (rebinding)', async () => {
    const server = await serve(() => ({ status: 200, json: {}, headers: { connection: 'close' } }));
    const { port } = new URL(server.url);
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '::ffff:a9fe:a9fe'], ['127.0.0.1']];
    const exchange = open(
      { baseURL: `http://deploy.example.com:${port}` },
      { resolve: (...asked) => resolvedTo(answers.shift() ?? [])(...asked) },
    );
    const outcomes: string[] = [];
    for (let n = 0; n < 4; n += 1) outcomes.push(await told(send(exchange, PATCH)));
    expect(outcomes).toEqual([
      ...['answered with 200', 'AddressRefused sent:no', 'AddressRefused sent:no', 'answered with 200'],
    ]);
    expect([server.connections, server.seen.length]).toEqual([2, 2]);
    expect(server.seen.map(({ headers }) => headers.host)).toEqual([
      ...[`deploy.example.com:${port}`, `deploy.example.com:${port}`],
    ]);
  });

  test('are narrowed by the hosts that are permitted, which may name a refused one', async () => {
    const server = await serve(() => ({ status: 200, json: {} }));
    const rules = { refuseLoopback: true, allowHosts: ['127.0.0.1'] };
    expect(await told(send(open({ baseURL: server.url }, { rules })))).toBe('answered with 200');
    const elsewhere = open({ baseURL: 'http://192.0.2.1' }, { rules });
    expect(await told(send(elsewhere))).toBe('HostNotAllowed sent:no');
  });
});

describe('closing', () => {
  test('lets running exchanges end, and takes no more', async () => {
    const waiting: ServerResponse[] = [];
    const server = await serve(() => writes((response) => void waiting.push(response)));
    const exchange = open({ baseURL: server.url });
    const sending = told(send(exchange, PATCH));
    while (waiting.length === 0) await systemClock.sleep(5);
    const closing = exchange.close();
    expect(await told(send(exchange, PATCH))).toBe('Unreachable sent:no');
    waiting[0]?.end('{}');
    expect(await sending).toBe('answered with 200');
    await closing;
    expect(server.seen).toHaveLength(1);
    ending.pop();
  });
});

describe('a request of a process that may no longer send', () => {
  test('does not leave, although its connection stands by then (H60)', async () => {
    const server = await serve(() => ({ status: 200, json: {} }));
    let asked = 0;
    const exchange = open({ baseURL: server.url }, { mayLeave: () => (asked += 1) === 1 });
    expect((await send(exchange, PATCH)).status).toBe(200);
    expect(await told(send(exchange, PATCH))).toBe('Unreachable sent:no');
    expect([server.seen.length, asked]).toEqual([1, 2]);
  });
});
