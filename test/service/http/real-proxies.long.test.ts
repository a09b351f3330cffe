import { createServer as createTLSServer } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { httpExchange } from '../../../src/service/http/http-exchange.ts';
import { deploymentYaml, together } from '../../directory/support/manifests.ts';
import { someSettings } from '../../support/resources/builders.ts';
import { useDebianPrograms } from '../../support/programs/debian-programs.ts';
import { startOperator } from '../../support/worlds/operator-process.ts';
import { startScriptedHttpServer } from '../../support/servers/scripted-http-server.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { PROXY_LOGIN, type RealProxy, startSquid, startTinyproxy } from '../support/real-proxies.ts';
import { aSeat } from '../support/seat.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/test-certificate.ts';

const programs = useDebianPrograms({ squid: '/usr/sbin/squid', tinyproxy: '/usr/bin/tinyproxy' });

const LOGIN = {
  username: new SecretValue(PROXY_LOGIN.username),
  password: new SecretValue(PROXY_LOGIN.password),
};
const WRONG = { ...LOGIN, password: new SecretValue('another-passw0rd') };
const API_KEY = 'api-key-of-the-service';

/**
 * Returns the status of a request through a proxy, or the reason and message of its error. Loopback is permitted, and
 * the list of hosts names it too.
 */
async function told(
  baseURL: string,
  proxy: ConnectionSettings['proxy'],
  more: Partial<ConnectionSettings> = {},
): Promise<string> {
  const headers = [{ name: 'X-Api-Key', value: new SecretValue(API_KEY) }];
  const settings = someSettings({ baseURL, headers, ...more, ...(proxy === undefined ? {} : { proxy }) });
  const exchange = httpExchange(settings, {
    ...{ clock: systemClock, userAgent: 'dms-operator/1.2.3' },
    rules: { refuseLoopback: false, allowHosts: ['127.0.0.1', 'localhost'] },
    proxyHosts: ['127.0.0.1', 'localhost'],
  });
  onTestFinished(() => exchange.close());
  try {
    const asked = { operation: 'patch', method: 'PATCH', path: '/v2/deployments/a', body: '{}' } as const;
    return String((await exchange.send(asked, new AbortController().signal, aSeat())).status);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return `${error.reason} sent:${error.sent} ${error.message}`;
  }
}

/** Starts a service that speaks TLS until the test ends, and returns what it was asked for. */
async function secureService(): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createTLSServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (request, response) => {
    asked.push(`${request.method} ${request.url} ${String(request.headers['x-api-key'])}`);
    response.writeHead(200).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Returns an address at which no server listens. */
async function nothingThere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `https://127.0.0.1:${port}`;
}

/** Relays the same service at another address of this machine. Loopback names are never proxied. */
async function elsewhere(url: string): Promise<string> {
  const server = createServer((socket) => {
    const onward = connect(portOf(url), '127.0.0.1');
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.2:${(server.address() as AddressInfo).port}`;
}

/** Returns everything that `get deployments` prints. */
async function deploymentsShown(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const command = startOperator(['get', 'deployments', ...words], undefined, [], { env });
  await command.ended;
  return command.lines.join('\n');
}

const portOf = (url: string): number => Number(new URL(url).port);

describe.each([
  ['squid', startSquid],
  ['tinyproxy', startTinyproxy],
])('through %s', (name, startProxy) => {
  const start = (...urls: readonly string[]): Promise<RealProxy> => startProxy(programs(), urls.map(portOf));

  it('a service with https is asked end to end: the proxy sees a host and a port', async () => {
    const service = await secureService();
    const proxy = await start(service.url);
    const to = { address: proxy.url, login: LOGIN };
    expect(await told(service.url, to, { tls: { ca: TEST_CERTIFICATE } })).toBe('200');
    expect(service.asked).toEqual([`PATCH /v2/deployments/a ${API_KEY}`]);
    await expect.poll(() => proxy.log()).toContain(`CONNECT ${new URL(service.url).host}`);
    expect(proxy.log()).not.toMatch(/PATCH|v2|api-key/);
    expect(await told(service.url, to)).toMatch(/^TLSFailed sent:no the TLS handshake failed/);
  });

  it('a service with http is asked by CONNECT as well', async () => {
    const service = await startScriptedHttpServer(() => ({ status: 200, json: {} }));
    onTestFinished(() => service.stop());
    const proxy = await start(service.url);
    expect(await told(service.url, { address: proxy.url, login: LOGIN })).toBe('200');
    expect(service.seen[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(service.seen[0]?.headers).not.toHaveProperty('via');
  });

  it('a wrong or missing login is reported as such', async () => {
    const proxy = await start('https://127.0.0.1:8443');
    const head = `ProxyAuthFailed sent:no proxy ${proxy.url}`;
    expect(await told('https://127.0.0.1:8443', { address: proxy.url, login: WRONG })).toBe(
      `${head} refuses the login of spec.proxy.credentials (${name === 'squid' ? 407 : 401})`,
    );
    expect(await told('https://127.0.0.1:8443', { address: proxy.url })).toBe(
      `${head} asks for a login (407); give it in spec.proxy.credentials`,
    );
  });

  it('a host that the proxy does not permit or cannot reach is reported with the name of the proxy', async () => {
    const away = await nothingThere();
    const proxy = await start(away);
    const to = { address: proxy.url, login: LOGIN };
    const head = `Unreachable sent:no proxy ${proxy.url} answered CONNECT`;
    expect(await told('https://127.0.0.1:9', to)).toBe(
      `${head} 127.0.0.1:9 with 403: it does not permit that`,
    );
    expect(await told(away, to)).toMatch(
      new RegExp(`^${head} ${new URL(away).host} with 50[0-9]: it may not reach the host itself$`),
    );
  });

  it('the login may come from Secrets that a connection names', async () => {
    const { url } = await servedService([{ name: 'Support Agent' }]);
    const proxy = await start(url);
    const { username, password } = PROXY_LOGIN;
    const reference = (key: string): string => `{secretKeyRef: {name: proxy, key: ${key}}}`;
    const secret = `apiVersion: v1
kind: Secret
metadata: {name: proxy, namespace: team-a}
stringData: {username: ${username}, password: ${password}}
`;
    const spec = `  allowHTTP: true
  proxy:
    address: ${proxy.url}
    credentials: {username: ${reference('username')}, password: ${reference('password')}}
`;
    const folder = temporaryFolder({
      'agent.yaml': together(deploymentYaml('agent'), connectionTo(url, { spec }), secret),
    });
    const permitted = ['--allow-hosts', '127.0.0.1', '--proxy-hosts', '127.0.0.1'];
    expect(await deploymentsShown(['-f', folder.path, ...permitted])).toContain('Support Agent');
  });

  it('the login may come from HTTPS_PROXY', async () => {
    const url = await elsewhere((await servedService([{ name: 'Support Agent' }])).url);
    const proxy = await start(url);
    const HTTPS_PROXY = proxy.url.replace('://', `://${PROXY_LOGIN.username}:${PROXY_LOGIN.password}@`);
    const folder = temporaryFolder({
      'agent.yaml': together(deploymentYaml('agent'), connectionTo(url, { spec: '  allowHTTP: true\n' })),
    });
    const words = ['-f', folder.path, '--proxy-from-environment', '--allow-hosts', new URL(url).hostname];
    expect(await deploymentsShown(words, { HTTPS_PROXY })).toContain('Support Agent');
    await expect.poll(() => proxy.log()).toContain(`CONNECT ${new URL(url).host}`);
    const wrong = HTTPS_PROXY.replace(PROXY_LOGIN.password, 'another-passw0rd');
    expect(await deploymentsShown(words, { HTTPS_PROXY: wrong })).toMatch(
      /ProxyAuthFailed: proxy \S+ refuses the login of HTTPS_PROXY/,
    );
  });
});

it('the connection to squid itself may be encrypted', async () => {
  const service = await secureService();
  const { secureURL: address = '' } = await startSquid(programs(), [portOf(service.url)]);
  const tls = { ca: TEST_CERTIFICATE };
  expect(await told(service.url, { address, ca: TEST_CERTIFICATE, login: LOGIN }, { tls })).toBe('200');
  expect(await told(service.url, { address, login: LOGIN }, { tls })).toMatch(
    new RegExp(`^TLSFailed sent:no proxy ${address} cannot be used: the TLS handshake failed`),
  );
});
