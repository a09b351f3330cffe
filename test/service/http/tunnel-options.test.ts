import { createServer as createTLSServer } from 'node:https';
import { createServer as createTCPServer, type AddressInfo, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectionSettings, ProxySettings } from '../../../src/model/connection/connection.ts';
import { environmentProxy } from '../../../src/model/connection/egress.ts';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import type { NameResolution } from '../../../src/service/http/check-address.ts';
import type { ServiceRequest } from '../../../src/service/http/exchange.ts';
import { httpExchange, type TransportOptions } from '../../../src/service/http/http-exchange.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { someSettings } from '../../support/resources/builders.ts';
import {
  type ConnectAnswer,
  type ConnectProxy,
  startConnectProxy,
} from '../../support/servers/connect-proxy.ts';
import {
  type ScriptedHttpServer,
  startScriptedHttpServer,
} from '../../support/servers/scripted-http-server.ts';
import { aSeat } from '../support/seat.ts';
import { OTHER_KEY, TEST_CERTIFICATE, TEST_KEY } from '../support/test-certificate.ts';

const LIST: ServiceRequest = { operation: 'list', method: 'GET', path: '/v2/deployments' };
const CERTIFICATE = { cert: TEST_CERTIFICATE, key: TEST_KEY };
const LOGIN = { username: new SecretValue('controller'), password: new SecretValue('p:4ss wörd') };

/** Refuses loopback except for the listed address. The list must name every address of these tests. */
const RULES = { refuseLoopback: true, allowHosts: ['127.0.0.1'] };

/** Certificates are for names, so a proxy with a certificate has a name here. */
const NAMED = { rules: { refuseLoopback: false, allowHosts: ['127.0.0.1'] }, proxyHosts: ['localhost'] };
const named = ({ url }: ConnectProxy): string => url.replace('127.0.0.1', 'localhost');

async function aProxy(
  answer: (target: string) => ConnectAnswer = () => 'tunnel',
  certificate?: typeof CERTIFICATE,
): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(({ target }) => answer(target), certificate);
  onTestFinished(() => proxy.stop());
  return proxy;
}

async function aService(): Promise<ScriptedHttpServer> {
  const server = await startScriptedHttpServer(() => ({ status: 200, json: {} }));
  onTestFinished(() => server.stop());
  return server;
}

/** Listens until the test ends. Returns HOST:PORT. */
async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the status of the answer to a request, or the reason, `sent` and message of its error. */
async function told(
  settings: Partial<ConnectionSettings>,
  more: Partial<TransportOptions> = {},
  times = 1,
): Promise<string> {
  try {
    const exchange = httpExchange(someSettings({ requestTimeoutMs: 15_000, ...settings }), {
      ...{ clock: systemClock, userAgent: 'dms-operator/1.2.3', rules: RULES, proxyHosts: ['127.0.0.1'] },
      ...more,
    });
    onTestFinished(() => exchange.close());
    const never = new AbortController().signal;
    for (let n = 1; n < times; n += 1) await exchange.send(LIST, never, aSeat());
    return String((await exchange.send(LIST, never, aSeat())).status);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return `${error.reason} sent:${error.sent} ${error.message}`;
  }
}

/** Returns a resolver that finds this address for any name. */
const resolvedTo =
  (address: string): NameResolution =>
  (_name, _options, callback) =>
    callback(null, [{ address, family: 4 }]);

const through = (address: string, more: Partial<ProxySettings> = {}): Pick<ConnectionSettings, 'proxy'> => ({
  proxy: { address, ...more },
});

describe('through a proxy', () => {
  it.each(['http', 'https'])('a service with %s is reached by CONNECT alone', async (scheme) => {
    const proxy = await aProxy();
    const plain = await aService();
    const secure = await listening(
      createTLSServer(CERTIFICATE, (_, response) => void response.writeHead(200).end('{}')),
    );
    const baseURL = scheme === 'http' ? plain.url : `https://${secure}`;
    const rateLimit = { requestsPerSecond: 5, burst: 10, concurrency: 1 };
    const settings = { baseURL, rateLimit, tls: { ca: TEST_CERTIFICATE }, ...through(proxy.url) };
    expect(await told(settings, {}, 3)).toBe('200');
    expect(proxy.seen.map(({ target }) => target)).toEqual([new URL(baseURL).host]);
    expect(proxy.others).toEqual([]);
  });

  it('the certificate of the service is checked as usual, and no request leaves before that', async () => {
    const proxy = await aProxy();
    const secure = await listening(createTLSServer(CERTIFICATE));
    const outcome = await told({ baseURL: `https://${secure}`, ...through(proxy.url) });
    expect(outcome).toMatch(/^TLSFailed sent:no the TLS handshake failed/);
  });

  it('the proxy itself may use TLS, with its own authorities', async () => {
    const [proxy, { url: baseURL }] = await Promise.all([aProxy(undefined, CERTIFICATE), aService()]);
    const address = named(proxy);
    expect(await told({ baseURL, ...through(address, { ca: TEST_CERTIFICATE }) }, NAMED)).toBe('200');
    const untrusted = await told({ baseURL, tls: { ca: TEST_CERTIFICATE }, ...through(address) }, NAMED);
    expect(untrusted).toMatch(
      new RegExp(`^TLSFailed sent:no proxy ${address} cannot be used: the TLS handshake failed`),
    );
    expect(await told({ baseURL, ...through(proxy.url, { ca: 'no PEM' }) })).toBe(
      'TLSFailed sent:no spec.proxy.caBundle holds no certificate in PEM form',
    );
  });

  it('the login goes to the proxy and never to the service', async () => {
    const [proxy, service] = await Promise.all([aProxy(), aService()]);
    expect(await told({ baseURL: service.url, ...through(proxy.url, { login: LOGIN }) })).toBe('200');
    expect(proxy.seen[0]?.headers['proxy-authorization']).toBe(
      `Basic ${Buffer.from('controller:p:4ss wörd').toString('base64')}`,
    );
    expect(service.seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('the client certificate of the connection is sent to the service alone', async () => {
    const shown: boolean[] = [];
    const proxy = await aProxy(undefined, CERTIFICATE);
    const mutual = { ...CERTIFICATE, requestCert: true, rejectUnauthorized: false };
    const secure = createTLSServer(mutual, (request, response) => {
      shown.push(
        Object.hasOwn(
          (request.socket as never as { getPeerCertificate(): object }).getPeerCertificate(),
          'raw',
        ),
      );
      response.writeHead(200).end('{}');
    });
    const tls = { ca: TEST_CERTIFICATE, certificate: TEST_CERTIFICATE, key: new SecretValue(TEST_KEY) };
    const baseURL = `https://${await listening(secure)}`;
    expect(await told({ baseURL, tls, ...through(named(proxy), { ca: TEST_CERTIFICATE }) }, NAMED)).toBe(
      '200',
    );
    expect(shown).toEqual([true]);
    const wrong = { ...tls, key: new SecretValue(OTHER_KEY) };
    expect(await told({ baseURL, tls: wrong, ...through(proxy.url) })).toMatch(/^TLSFailed sent:no tls.key/);
  });
});

describe('a proxy that opens no tunnel is reported', () => {
  const answering = async (text: string, more: Partial<ProxySettings> = {}): Promise<string> => {
    const proxy = await aProxy(() => ({ text }));
    const outcome = await told({ baseURL: 'https://127.0.0.1:1', ...through(proxy.url, more) });
    return outcome.replaceAll(proxy.url, 'PROXY');
  };
  const asksFor = (scheme: string): string =>
    `HTTP/1.1 407 No\r\nProxy-Authenticate: ${scheme}\r\nContent-Length: 9\r\n\r\n<b>no</b>`;

  it.each([
    [
      'HTTP/1.1 403 No\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<b/>',
      ' answered CONNECT 127.0.0.1:1 with 403: it does not permit that',
    ],
    [
      'HTTP/1.1 302 Go\r\nLocation: http://login.example/\r\n\r\n',
      ' answered CONNECT 127.0.0.1:1 with 302, a redirect, which is not followed',
    ],
    ['HTTP/1.1 503 No\r\n\r\n', ' answered CONNECT 127.0.0.1:1 with 503: it may not reach the host itself'],
    ['HTTP/1.1 204 No\r\n\r\n', ' answered CONNECT 127.0.0.1:1 with 204'],
    [
      'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<html>login</html>',
      ' answered CONNECT 127.0.0.1:1 with a web page instead of a tunnel',
    ],
    ['<html>login</html>', ' cannot be used: the answer is not HTTP'],
    ['', ' cannot be used: the connection was closed (UND_ERR_SOCKET)'],
  ])('as Unreachable, with %j', async (text, message) => {
    expect(await answering(text)).toBe(`Unreachable sent:no proxy PROXY${message}`);
  });

  it('as ProxyAuthFailed, if it asks for a login or refuses one', async () => {
    const head = 'ProxyAuthFailed sent:no proxy PROXY';
    expect(await answering(asksFor('Basic realm="x"'))).toBe(
      `${head} asks for a login (407); give it in spec.proxy.credentials`,
    );
    const refused = `${head} refuses the login of spec.proxy.credentials (407)`;
    expect(await answering(asksFor('Negotiate, Basic'), { login: LOGIN })).toBe(refused);
    expect(await answering(asksFor('NTLM'), { login: LOGIN })).toBe(
      `${refused}; it does not take Basic logins, and no others are supported`,
    );
    expect(await answering(asksFor('Basic'), { exceptions: '' })).toBe(
      `${head} asks for a login (407); give it in HTTPS_PROXY`,
    );
  });

  it('as Unreachable, if no server listens, or it closes the connection', async () => {
    const proxy = await aProxy(() => 'hang up');
    const settings = { baseURL: 'https://127.0.0.1:1' };
    expect(await told({ ...settings, ...through(proxy.url) })).toMatch(
      new RegExp(`^Unreachable sent:no proxy ${proxy.url} cannot be used: `),
    );
    expect(proxy.seen).toHaveLength(1);
    expect(await told({ ...settings, ...through('http://127.0.0.1:1') })).toBe(
      'Unreachable sent:no proxy http://127.0.0.1:1 cannot be used: the connection was refused (ECONNREFUSED)',
    );
  });

  it('as Unreachable, if it closes every connection at once', async () => {
    const address = `http://${await listening(createTCPServer((socket) => socket.destroy()))}`;
    expect(await told({ baseURL: 'https://127.0.0.1:1', ...through(address) })).toMatch(
      new RegExp(`^Unreachable sent:no proxy ${address} cannot be used: `),
    );
  });

  it('as Unreachable, where it does not answer in time, long before the request is given up', async () => {
    const clock = new VirtualClock();
    const proxy = await aProxy(() => 'silence');
    const outcome = told({ baseURL: 'https://127.0.0.1:1', ...through(proxy.url) }, { clock });
    await expect.poll(() => proxy.seen).toHaveLength(1);
    await clock.advance(5_000);
    expect(await outcome).toBe(
      `Unreachable sent:no proxy ${proxy.url} did not answer CONNECT 127.0.0.1:1 within 5 s`,
    );
  });
});

describe('a proxy leads nowhere that the rules forbid:', () => {
  it('one that is not on the list is not connected', async () => {
    const proxy = await aProxy();
    const settings = { baseURL: 'https://127.0.0.1:1', ...through(proxy.url) };
    const refused = `HostNotAllowed sent:no proxy ${proxy.url} is not permitted by --proxy-hosts`;
    expect(await told(settings, { proxyHosts: [] })).toBe(refused);
    expect(await told(settings, { proxyHosts: ['127.0.0.1:1', '*.example.com', 'proxy.example.com'] })).toBe(
      refused,
    );
    expect(proxy.connections).toBe(0);
  });

  it('without a list of hosts none is used, since a proxy resolves names itself', async () => {
    const proxy = await aProxy();
    const rules = { refuseLoopback: false, allowHosts: [] };
    const outcome = await told({ baseURL: 'https://127.0.0.1:1', ...through(proxy.url) }, { rules });
    expect(outcome).toMatch(/^ProxyNeedsAllowedHosts sent:no proxy \S+ resolves names itself/);
    expect(proxy.connections).toBe(0);
  });

  it.each([
    ['https://169.254.169.254', 'HostNotAllowed'],
    ['https://elsewhere.example', 'HostNotAllowed'],
    ['https://[fd00:ec2::254]', 'HostNotAllowed'],
    ['https://localhost:8443', 'AddressRefused'],
    ['https://service.localhost.', 'AddressRefused'],
  ])('%s is refused', async (baseURL, reason) => {
    const proxy = await aProxy();
    const rules = { refuseLoopback: true, allowHosts: ['deploy.example.com', 'localhost', '*.localhost'] };
    const outcome = await told({ baseURL, ...through(proxy.url) }, { rules });
    expect(outcome.split(' ').slice(0, 2)).toEqual([reason, 'sent:no']);
    expect(proxy.connections).toBe(0);
  });

  it.each(['127.0.0.1', '169.254.169.254'])(
    'a name of a proxy that leads to %s is refused',
    async (address) => {
      const proxy = await aProxy();
      const named = `http://proxy.example.com:${new URL(proxy.url).port}`;
      const outcome = await told(
        { baseURL: 'https://127.0.0.1:1', ...through(named) },
        { proxyHosts: ['proxy.example.com'], resolve: resolvedTo(address) },
      );
      expect(outcome).toMatch(
        new RegExp(`^AddressRefused sent:no proxy ${named} cannot be used: address ${address} is`),
      );
      expect(proxy.connections).toBe(0);
    },
  );

  it('a literal address that is refused must itself be on the list', async () => {
    const settings = { baseURL: 'https://127.0.0.1:1', ...through('http://169.254.169.254') };
    expect(await told(settings, { proxyHosts: ['127.0.0.1'] })).toMatch(/^HostNotAllowed/);
  });
});

describe('the proxy of the environment', () => {
  it('is used without being on the list, and still needs a list of hosts', async () => {
    const service = await aService();
    const proxy = await aProxy(() => ({ to: new URL(service.url).host }));
    const from = environmentProxy(proxy.url.replace('http://', 'http://me:s3cret%21@'), '')!;
    const settings = { baseURL: 'http://deploy.example.com', proxy: from };
    const named = { refuseLoopback: true, allowHosts: ['deploy.example.com'] };
    expect(await told(settings, { rules: named, proxyHosts: [], resolve: resolvedTo('192.0.2.1') })).toBe(
      '200',
    );
    expect(proxy.seen.map(({ target }) => target)).toEqual(['deploy.example.com:80']);
    expect(proxy.seen[0]?.headers['proxy-authorization']).toBe(
      `Basic ${Buffer.from('me:s3cret!').toString('base64')}`,
    );
    const all = { refuseLoopback: false, allowHosts: [] };
    expect(await told(settings, { rules: all })).toMatch(/^ProxyNeedsAllowedHosts/);
    expect(proxy.seen).toHaveLength(1);
  });

  it('is not used for hosts in NO_PROXY and for loopback, whose addresses are checked as ever', async () => {
    const [proxy, service] = await Promise.all([aProxy(), aService()]);
    const { port } = new URL(service.url);
    const from = environmentProxy(proxy.url, '.internal.example, other.example')!;
    const open = { refuseLoopback: false, allowHosts: [] };
    expect(await told({ baseURL: service.url, proxy: from }, { rules: open })).toBe('200');
    const unexcepted = environmentProxy(proxy.url, '')!;
    expect(await told({ baseURL: service.url, proxy: unexcepted }, { rules: open })).toBe('200');
    const named = { baseURL: `http://deploy.internal.example:${port}`, proxy: from };
    expect(await told(named, { rules: open, resolve: resolvedTo('127.0.0.1') })).toBe('200');
    expect(await told(named, { rules: open, resolve: resolvedTo('169.254.169.254') })).toMatch(
      /^AddressRefused/,
    );
    expect(proxy.connections).toBe(0);
  });
});
