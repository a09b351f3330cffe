import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import type { Exchange, ServiceRequest } from '../../../src/service/http/exchange.ts';
import { Limiter } from '../../../src/service/calls/limiter.ts';
import { httpExchange } from '../../../src/service/http/http-exchange.ts';
import { someSettings } from '../../support/resources/builders.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { aSeat } from '../support/seat.ts';
import {
  type Reply,
  type ScriptedHttpServer,
  startScriptedHttpServer,
} from '../../support/servers/scripted-http-server.ts';

const LIST: ServiceRequest = { operation: 'list', method: 'GET', path: '/v2/deployments' };
const CALLER = { priority: 'resync', namespace: '' } as const;
const CONCURRENCY = 4;

const writes = (write: (response: ServerResponse) => void): Reply => write;

/** Replies that break an exchange, by the number of the request. Other requests are answered. */
const BREAKING: readonly Reply[] = [
  writes((response) => response.socket?.resetAndDestroy()),
  writes((response) => response.socket?.destroy()),
  writes((response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"id":', () => response.socket?.resetAndDestroy());
  }),
  // The server never answers, or sends headers alone. Both end with the request timeout.
  writes(() => undefined),
  writes((response) => {
    response.writeHead(200);
    response.write(' ');
  }),
  writes((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end('no gzip');
  }),
];

interface Line {
  readonly server: ScriptedHttpServer;
  readonly exchange: Exchange;
  /** The largest number of connections that were open at the same time. */
  most(): number;
  /** Makes calls as a connection does, each through its limiter. Returns how many were answered. */
  calls(count: number, signalFor?: (n: number) => AbortSignal): Promise<number>;
}

async function aLine(reply: (number: number) => Reply): Promise<Line> {
  let most = 0;
  const server: ScriptedHttpServer = await startScriptedHttpServer((_, number) => {
    most = Math.max(most, server.open);
    return reply(number);
  });
  onTestFinished(() => server.stop());
  const settings = someSettings({
    baseURL: server.url,
    requestTimeoutMs: 500,
    rateLimit: { ...NO_RATE_LIMIT, concurrency: CONCURRENCY },
  });
  const exchange = httpExchange(settings, {
    clock: systemClock,
    userAgent: 'dms-operator/test',
    rules: { refuseLoopback: false, allowHosts: [] },
  });
  const limiter = new Limiter(settings.rateLimit, { clock: systemClock, onPermit: () => undefined });
  const never = new AbortController().signal;
  return {
    server,
    exchange,
    most: () => most,
    async calls(count, signalFor = () => never) {
      const calling = Array.from({ length: count }, (_, n) =>
        limiter.run(CALLER, () => exchange.send(LIST, signalFor(n), aSeat()), never),
      );
      const ended = await Promise.allSettled(calling);
      return ended.filter(({ status }) => status === 'fulfilled').length;
    },
  };
}

/** Waits until the server has at most this number of open sockets. */
async function untilOpen(line: Line, count: number): Promise<void> {
  await expect.poll(() => line.server.open, { timeout: 5_000 }).toBeLessThanOrEqual(count);
}

test('five hundred calls need no more connections than may be used at once', async () => {
  const line = await aLine(() => ({ status: 200, json: {} }));
  expect(await line.calls(500)).toBe(500);
  expect(line.server.seen).toHaveLength(500);
  expect(line.server.connections).toBeLessThanOrEqual(CONCURRENCY);
  await line.exchange.close();
  await untilOpen(line, 0);
});

test('failed exchanges close their connection and leave none behind', async () => {
  const count = 120;
  const broken = (number: number): Reply | undefined =>
    number % 5 === 0 ? BREAKING[(number / 5) % BREAKING.length] : undefined;
  const line = await aLine((number) => broken(number) ?? { status: 200, json: {} });
  const answered = await line.calls(count);
  expect(answered).toBe(count - count / 5);
  expect(line.most()).toBeLessThanOrEqual(CONCURRENCY);
  expect(line.server.connections, 'one for each that broke').toBeLessThanOrEqual(CONCURRENCY + count / 5);
  await untilOpen(line, CONCURRENCY);
  expect(await line.calls(10)).toBeGreaterThan(0);
  await line.exchange.close();
  await untilOpen(line, 0);
});

test('aborted exchanges close their connection', async () => {
  const line = await aLine((number) => (number < 20 ? writes(() => undefined) : { status: 200, json: {} }));
  const given = (): AbortSignal => AbortSignal.timeout(50);
  expect(await line.calls(20, given)).toBe(0);
  await untilOpen(line, 0);
  expect(line.most()).toBeLessThanOrEqual(CONCURRENCY);
  expect(await line.calls(20)).toBe(20);
  await line.exchange.close();
  await untilOpen(line, 0);
});
