import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TEST_CERTIFICATE, TEST_KEY } from '../service/support/test-certificate.ts';
import type { Fault } from '../support/fault-proxy/fault.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy/fault-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LIST = '/apis/dms-operator.dev/v1alpha1/namespaces/a/deployments?limit=500';
const WATCH = '/apis/dms-operator.dev/v1alpha1/deployments?watch=true';
const LINES = ['{"type":"ADDED","object":1}\n', '{"type":"MODIFIED","object":2}\n'] as const;

/** How a client saw an exchange end. */
interface Seen {
  readonly status: number | undefined;
  readonly text: string;
  readonly retryAfter?: string;
  /** `end`, the code of an error, or `open` where nothing more came. */
  readonly end: string;
}

interface World {
  readonly proxy: FaultProxy;
  /** What reached the server behind the proxy: method and path, and the Authorization header. */
  readonly arrived: { readonly what: string; readonly authorization: string | undefined }[];
  /** Watches that are open at the server. */
  readonly watches: ServerResponse[];
  /** What reached the clients, part by part. */
  readonly received: string[];
  ask(url: string, kubeconfigFile?: string, method?: string): Promise<Seen>;
}

/** Nothing within this time counts as silence. */
const SILENCE_MS = 250;

async function aWorld(): Promise<World> {
  const arrived: World['arrived'] = [];
  const watches: ServerResponse[] = [];
  const received: string[] = [];
  const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (incoming, response) => {
    arrived.push({
      what: `${incoming.method} ${incoming.url}`,
      authorization: incoming.headers.authorization,
    });
    if (incoming.url !== WATCH) return void response.end(JSON.stringify({ items: ['first', 'second'] }));
    watches.push(response);
    response.write(LINES[0]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream = kubeconfig(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const proxy = await startFaultProxy({ kubeconfigFile: upstream });
  onTestFinished(async () => {
    await proxy.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    proxy,
    arrived,
    watches,
    received,
    ask: (url, file = proxy.kubeconfigFile, method = 'GET') => asked(url, file, { method, received }),
  };
}

function kubeconfig(server: string): string {
  const cluster = {
    server,
    'certificate-authority-data': Buffer.from(TEST_CERTIFICATE).toString('base64'),
  };
  const users = [{ name: 'somebody', user: { token: 'known-upstream' } }];
  return temporaryFolder().write('upstream.yaml', JSON.stringify({ clusters: [{ cluster }], users }));
}

async function asked(
  url: string,
  kubeconfigFile: string,
  { method, received }: { readonly method: string; readonly received: string[] },
): Promise<Seen> {
  const { clusters, users } = JSON.parse(await readFile(kubeconfigFile, 'utf8'));
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  const headers = { authorization: `Bearer ${users[0].user.token}` };
  return new Promise((resolve) => {
    let [status, text]: [number | undefined, string] = [undefined, ''];
    let retryAfter: { retryAfter?: string } = {};
    const ended = (end: string): void => {
      clearTimeout(timer);
      outgoing.destroy();
      resolve({ status, text, end, ...retryAfter });
    };
    let timer = setTimeout(() => ended('open'), SILENCE_MS);
    const outgoing = httpsRequest(new URL(url, server), {
      method,
      headers,
      agent: false,
      ca: Buffer.from(ca, 'base64'),
    });
    const failed = (error: NodeJS.ErrnoException): void => ended(error.code ?? error.message);
    outgoing.once('error', failed).once('response', (incoming) => {
      status = incoming.statusCode;
      const wait = incoming.headers['retry-after'];
      retryAfter = wait === undefined ? {} : { retryAfter: wait };
      incoming.once('error', failed).once('end', () => ended('end'));
      incoming.setEncoding('latin1').on('data', (part: string) => {
        text += part;
        received.push(part);
        clearTimeout(timer);
        timer = setTimeout(() => ended('open'), SILENCE_MS);
      });
    });
    outgoing.end();
  });
}

describe('the fault proxy', () => {
  it('passes everything on, as the user of the kubeconfig file it was given', async () => {
    const { arrived, ask, proxy } = await aWorld();
    expect(await ask(LIST)).toEqual({ status: 200, text: '{"items":["first","second"]}', end: 'end' });
    expect(await ask(WATCH)).toEqual({ status: 200, text: LINES[0], end: 'open' });
    expect(arrived).toEqual([
      { what: `GET ${LIST}`, authorization: 'Bearer known-upstream' },
      { what: `GET ${WATCH}`, authorization: 'Bearer known-upstream' },
    ]);
    expect(proxy.log.requestCounts()).toEqual({ 'list deployments': 1, 'watch deployments': 1 });
    expect(proxy.log.faults).toEqual([]);
  });

  const rows: readonly {
    readonly fault: Fault;
    readonly url: string;
    readonly seen: Seen;
    readonly reaches?: number;
  }[] = [
    { fault: { kind: 'reset' }, url: LIST, seen: nothing('ECONNRESET'), reaches: 0 },
    { fault: { kind: 'reset-unanswered' }, url: LIST, seen: nothing('ECONNRESET') },
    { fault: { kind: 'swallow' }, url: LIST, seen: nothing('open'), reaches: 0 },
    { fault: { kind: 'status', status: 410 }, url: WATCH, seen: status(410), reaches: 0 },
    { fault: { kind: 'silence' }, url: WATCH, seen: part('', 'open') },
    { fault: { kind: 'silence', afterLines: 1 }, url: WATCH, seen: part(LINES[0], 'open') },
    { fault: { kind: 'cut', afterLines: 1 }, url: WATCH, seen: part(LINES[0], 'ECONNRESET') },
    { fault: { kind: 'cut-mid-line' }, url: WATCH, seen: part(LINES[0].slice(0, 14), 'ECONNRESET') },
    { fault: { kind: 'close', afterLines: 1 }, url: WATCH, seen: part(LINES[0], 'end') },
    { fault: { kind: 'close', afterMs: 20 }, url: WATCH, seen: part(LINES[0], 'end') },
    {
      fault: { kind: 'corrupt' },
      url: WATCH,
      seen: part(`${LINES[0].slice(0, 14)}\0${LINES[0].slice(15)}`, 'open'),
    },
    { fault: { kind: 'drip', everyMs: 1 }, url: WATCH, seen: part(LINES[0], 'open') },
    { fault: { kind: 'pause', ms: 20 }, url: WATCH, seen: part(LINES[0], 'open') },
    { fault: { kind: 'truncated-chunk' }, url: WATCH, seen: part(LINES[0].slice(0, 14), 'ECONNRESET') },
    { fault: { kind: 'cut-mid-line' }, url: LIST, seen: part('{"items":["fir', 'ECONNRESET') },
    { fault: { kind: 'delay', ms: 20 }, url: LIST, seen: part('{"items":["first","second"]}', 'end') },
  ];
  for (const { fault, url, seen, reaches = 1 } of rows) {
    const kind = url === LIST ? 'a list' : 'a watch';
    it(`lets ${kind} meet ${JSON.stringify(fault)}, once`, async () => {
      const { arrived, ask, proxy } = await aWorld();
      proxy.plan({}, fault);
      expect(await ask(url)).toEqual(seen);
      expect(arrived).toHaveLength(reaches);
      expect(proxy.log.faultCounts()).toEqual({ [fault.kind]: 1 });
      expect(await ask(LIST)).toMatchObject({ status: 200, end: 'end' });
    });
  }

  it('reports how long to wait, if the answer says so', async () => {
    const { ask, proxy } = await aWorld();
    proxy.plan({}, { kind: 'status', status: 429, retryAfter: '7' });
    expect(await ask(LIST)).toMatchObject({ status: 429, retryAfter: '7' });
  });

  it('puts an end with a code into a watch that is open, and nothing else', async () => {
    const { ask, proxy, watches } = await aWorld();
    const seen = ask(WATCH);
    await expect.poll(() => watches).toHaveLength(1);
    await expect.poll(() => proxy.underWay({})).toHaveLength(1);
    expect(proxy.strike({ resource: 'secrets' }, { kind: 'error-event', code: 410 })).toBe(0);
    expect(proxy.strike({ watch: true }, { kind: 'error-event', code: 410 })).toBe(1);
    const { text, end } = await seen;
    expect(end).toBe('end');
    expect(JSON.parse(text.slice(LINES[0].length))).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expect(proxy.underWay({ watch: true })).toEqual([]);
  });

  it('ends a watch that drips', async () => {
    const { ask, proxy, watches } = await aWorld();
    proxy.plan({}, { kind: 'drip', everyMs: 5 });
    const seen = ask(WATCH);
    await expect.poll(() => watches).toHaveLength(1);
    await expect.poll(() => proxy.underWay({})).toHaveLength(1);
    proxy.strike({}, { kind: 'close' });
    const { end, text } = await seen;
    expect(end).toBe('end');
    expect(text.length).toBeLessThan(LINES[0].length);
  });

  it('passes the rest of a watch that drips at once when plans are dropped', async () => {
    const { ask, proxy, watches } = await aWorld();
    proxy.plan({}, { kind: 'drip', everyMs: 20 });
    const seen = ask(WATCH);
    await expect.poll(() => watches).toHaveLength(1);
    await expect.poll(() => proxy.underWay({})).toHaveLength(1);
    // Two minutes of it.
    const long = 'x'.repeat(6_000);
    watches[0]?.write(`${long}\n`);
    proxy.clearPlans();
    watches[0]?.end();
    expect(await seen).toMatchObject({ text: `${LINES[0]}${long}\n`, end: 'end' });
  });

  it('ends a watch once, where two faults would at the same line', async () => {
    const { ask, proxy, watches } = await aWorld();
    const seen = ask(WATCH);
    await expect.poll(() => watches).toHaveLength(1);
    await expect.poll(() => proxy.underWay({})).toHaveLength(1);
    proxy.strike({ watch: true }, { kind: 'close', afterLines: 1 });
    proxy.strike({ watch: true }, { kind: 'error-event', code: 410, afterLines: 1 });
    watches[0]?.write(LINES[1]);
    expect(await seen).toMatchObject({ text: LINES.join(''), end: 'end' });
  });

  it('breaks connections before they speak, and those that are open', async () => {
    const { ask, proxy, watches, received } = await aWorld();
    proxy.planConnections({ kind: 'connection-reset' }, { kind: 'connection-silence' });
    expect(await ask(LIST)).toEqual(nothing('ECONNRESET'));
    expect(await ask(LIST)).toEqual(nothing('open'));
    const seen = ask(WATCH);
    await expect.poll(() => received).toEqual([LINES[0]]);
    proxy.silenceConnections();
    watches[0]?.write(LINES[1]);
    expect(await seen).toEqual(part(LINES[0], 'open'));
    expect(proxy.log.connections).toBe(3);
    expect(proxy.log.mostConnections).toBe(1);
    await expect.poll(() => proxy.log.openConnections).toBe(0);
  });

  it('refuses tokens that were rotated away, and certificates change with their authority', async () => {
    const { ask, proxy, arrived } = await aWorld();
    const old = temporaryFolder();
    const tokens = old.write('tokens.yaml', await readFile(proxy.kubeconfigFile));
    await proxy.rotateTokens();
    expect(await ask(LIST, tokens)).toMatchObject({ status: 401 });
    expect(await ask(LIST)).toMatchObject({ status: 200 });
    const authority = old.write('authority.yaml', await readFile(proxy.kubeconfigFile));
    await proxy.rotateAuthority();
    expect((await ask(LIST, authority)).end).not.toBe('end');
    expect(await ask(LIST)).toMatchObject({ status: 200 });
    expect(arrived).toHaveLength(2);
  });

  it('counts how many watches of one address began within a second', async () => {
    const { ask, proxy } = await aWorld();
    proxy.plan({}, { kind: 'reset' }, 3);
    for (let turn = 0; turn < 3; turn += 1) await ask(WATCH);
    expect(proxy.log.mostWatchStarts(60_000)).toBe(3);
  });
});

function nothing(end: string): Seen {
  return { status: undefined, text: '', end };
}

function part(text: string, end: string): Seen {
  return { status: 200, text, end };
}

function status(code: number): Seen {
  return { status: code, text: expect.any(String), end: 'end' };
}
