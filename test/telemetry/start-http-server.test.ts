import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HealthAnswer } from '../../src/ports/process/health.ts';
import { VirtualClock } from '../support/doubles/virtual-clock.ts';
import { startHttpServer } from '../../src/telemetry/start-http-server.ts';
import type { HttpServerParts, ListeningServer } from '../../src/telemetry/start-http-server.ts';
import { MetricsRegistry } from '../../src/telemetry/metrics-registry.ts';
import { MemoryLogger } from '../support/doubles/memory-logger.ts';

const OK: HealthAnswer = { ok: true, text: 'ok' };
const clock = new VirtualClock();
const logger = new MemoryLogger();
const servers: ListeningServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  parts: Partial<HttpServerParts> = {},
): Promise<{ server: ListeningServer; url: string }> {
  const server = await startHttpServer(
    { host: '127.0.0.1', port: 0 },
    {
      metrics: new MetricsRegistry(clock),
      health: { ready: () => OK, healthy: () => OK },
      clock,
      logger,
      ...parts,
    },
  );
  servers.push(server);
  return { server, url: `http://127.0.0.1:${server.port}` };
}

describe('the server for probes and metrics', () => {
  it('picks a free port for 0 and says which', async () => {
    const { server } = await serve();
    expect(server.host).toBe('127.0.0.1');
    expect(server.port).toBeGreaterThan(0);
  });

  it('exposes metrics in the format of Prometheus', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/metrics?x=1`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toContain('# TYPE dms_resources gauge');
  });

  it('answers probes with what the manager says', async () => {
    const { url } = await serve({
      health: {
        ready: () => ({ ok: false, text: 'starting informers' }),
        healthy: () => ({ ok: true, text: 'ok' }),
      },
    });
    const [ready, healthy] = await Promise.all([fetch(`${url}/readyz`), fetch(`${url}/healthz`)]);
    expect([ready.status, await ready.text()]).toEqual([503, 'starting informers\n']);
    expect([healthy.status, await healthy.text()]).toEqual([200, 'ok\n']);
  });

  it('knows nothing else, and only GET and HEAD', async () => {
    const { url } = await serve();
    const [other, post, head] = await Promise.all([
      fetch(`${url}/`),
      fetch(`${url}/metrics`, { method: 'POST', body: 'x' }),
      fetch(`${url}/healthz`, { method: 'HEAD' }),
    ]);
    await Promise.all([other.text(), post.text()]);
    expect([other.status, post.status, post.headers.get('allow'), head.status]).toEqual([
      404,
      405,
      'GET, HEAD',
      200,
    ]);
  });

  it('fails where it cannot listen', async () => {
    const { server } = await serve();
    const parts = {
      metrics: new MetricsRegistry(clock),
      health: { ready: () => OK, healthy: () => OK },
      clock,
      logger,
    };
    await expect(startHttpServer({ host: '127.0.0.1', port: server.port }, parts)).rejects.toThrow(
      'another process listens there',
    );
  });

  it('ends a request whose metrics fail, logs it and continues', async () => {
    const { url } = await serve({
      metrics: { contentType: 'text/plain', expose: () => Promise.reject(new Error('gauge')) },
    });
    await expect(fetch(`${url}/metrics`)).rejects.toThrow();
    expect(logger.messages('error')).toEqual(['a request for metrics or health could not be answered']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('closes at once when nothing is under way, kept connections included', async () => {
    const { server, url } = await serve();
    await (await fetch(`${url}/healthz`)).text();
    await server.close();
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets an answer under way end before it closes', async () => {
    const asked = Promise.withResolvers<void>();
    const exposed = Promise.withResolvers<string>();
    const expose = (): Promise<string> => {
      asked.resolve();
      return exposed.promise;
    };
    const { server, url } = await serve({ metrics: { contentType: 'text/plain', expose } });
    const scraping = fetch(`${url}/metrics`).then((response) => response.text());
    await asked.promise;
    const closing = server.close();
    exposed.resolve('all of it');
    expect(await scraping).toBe('all of it\n');
    await clock.runUntil(closing);
  });

  it('cuts who says nothing when it closes', async () => {
    const { server } = await serve();
    const silent = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    silent.write('GET /metrics HTTP/1.1\r\n');
    const cut = new Promise((resolve) => silent.once('close', resolve));
    silent.once('error', () => {});
    const closing = server.close();
    await clock.settle();
    await clock.advance(1_000);
    await Promise.all([closing, cut]);
  });
});
