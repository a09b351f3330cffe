import { describe, expect, it } from 'vitest';
import type { ConnectionResource, ConnectionSpec } from '../../../src/api/connection.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { DEFAULTS, DIGEST_KEY_SECRET } from '../../../src/model/connection/connection.ts';
import type { DataKey } from '../../../src/model/connection/connection-data.ts';
import { connectionSettings } from '../../../src/model/connection/connection-settings.ts';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';

const ADDRESS = 'https://deploy.example.com/api';

const DATA: Readonly<Record<string, string>> = {
  'Secret/service-credentials/api-key': 'sk-very-secret',
  'Secret/service-credentials/broken': 'one\r\nX-Evil: two',
  'Secret/service-credentials/longest': 'x'.repeat(16_384),
  'Secret/service-credentials/too-long': 'x'.repeat(16_385),
  'Secret/ca/bundle': 'PEM of a Secret',
  'ConfigMap/ca/bundle': 'PEM of a ConfigMap',
  'Secret/client/tls.crt': 'certificate',
  'Secret/client/tls.key': 'private key',
  'Secret/proxy/username': 'controller',
  'Secret/proxy/password': 'p:4ssword',
  'Secret/proxy/too-long': 'x'.repeat(16_385),
  'Secret/proxy/lines': 'p4ssword\n',
};

function connection(spec: Partial<ConnectionSpec> = {}): ConnectionResource {
  return {
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name: 'default', namespace: 'team-a' },
    spec: { baseURL: ADDRESS, ...spec },
  };
}

function settings(spec: Partial<ConnectionSpec> = {}) {
  return connectionSettings(connection(spec), ({ kind, name, key }: DataKey) => {
    const text = DATA[`${kind}/${name}/${key}`];
    return text === undefined ? undefined : new SecretValue(text);
  });
}

/** Returns the reason why a spec is unusable, and the message. */
function refusal(spec: Partial<ConnectionSpec>): { readonly reason: string; readonly message: string } {
  try {
    settings(spec);
  } catch (error) {
    if (error instanceof ConnectionError) return { reason: error.reason, message: error.message };
    throw error;
  }
  return { reason: 'none', message: '' };
}

const secretHeader = (key: string) => ({
  name: 'X-Api-Key',
  valueFrom: { secretKeyRef: { name: 'service-credentials', key } },
});

describe('a connection with only an address', () => {
  it('has the documented defaults', () => {
    expect(settings()).toEqual({
      name: { kind: 'Connection', namespace: 'team-a', name: 'default' },
      baseURL: ADDRESS,
      edition: 'Unknown',
      headers: [],
      tls: {},
      rateLimit: { requestsPerSecond: 5, burst: 10, concurrency: 4 },
      requestTimeoutMs: 30_000,
      poll: { intervalMs: 60_000, rolloutMs: 10_000 },
      list: {
        pageSize: 100,
        parameters: { limit: 'limit', offset: 'offset', name: 'name_contains', ids: 'deployment_ids' },
      },
      patchBodies: 'Auto',
      suspend: false,
    });
    expect(settings().requestTimeoutMs).toBe(DEFAULTS.requestTimeoutMs);
  });
});

describe('a connection with every setting', () => {
  it('uses each setting', () => {
    expect(
      settings({
        edition: 'Hosted',
        rateLimit: { requestsPerSecond: 2, burst: 3, concurrency: 1 },
        requestTimeoutSeconds: 5,
        poll: { intervalSeconds: 7, rolloutSeconds: 2 },
        list: { pageSize: 20, parameters: { limit: 'l', offset: 'o', name: 'n', ids: 'i' } },
        patch: { bodies: 'Full' },
        suspend: true,
      }),
    ).toMatchObject({
      edition: 'Hosted',
      rateLimit: { requestsPerSecond: 2, burst: 3, concurrency: 1 },
      requestTimeoutMs: 5000,
      poll: { intervalMs: 7000, rolloutMs: 2000 },
      list: { pageSize: 20, parameters: { limit: 'l', offset: 'o', name: 'n', ids: 'i' } },
      patchBodies: 'Full',
      suspend: true,
    });
  });

  it('keeps the defaults of the fields beside a single setting', () => {
    const { rateLimit, list } = settings({ rateLimit: { burst: 3 }, list: { parameters: { ids: 'i' } } });
    expect(rateLimit).toEqual({ requestsPerSecond: 5, burst: 3, concurrency: 4 });
    expect(list.parameters).toMatchObject({ limit: 'limit', ids: 'i' });
    expect(list.pageSize).toBe(100);
  });
});

describe('the address', () => {
  it.each([
    ['https://deploy.example.com', 'https://deploy.example.com'],
    ['https://deploy.example.com/', 'https://deploy.example.com'],
    ['https://deploy.example.com/api/v9//', 'https://deploy.example.com/api/v9'],
    ['https://DEPLOY.example.com:8443/Api', 'https://deploy.example.com:8443/Api'],
    ['http://localhost:8080/api', 'http://localhost:8080/api'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://127.1.2.3', 'http://127.1.2.3'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
  ])('keeps its prefix and loses slashes at its end: %s', (baseURL, kept) => {
    expect(settings({ baseURL }).baseURL).toBe(kept);
  });

  it.each([
    'http://deploy.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
  ])('must be https where it is not loopback: %s', (baseURL) => {
    expect(refusal({ baseURL })).toMatchObject({ reason: 'ProtocolError' });
    expect(refusal({ baseURL }).message).toContain('allowHTTP');
    expect(settings({ baseURL, allowHTTP: true }).baseURL).toBe(baseURL);
  });

  it.each([
    ['deploy.example.com', 'not an address'],
    ['', 'not an address'],
    ['ftp://deploy.example.com', 'scheme'],
    ['https://user:pass@deploy.example.com', 'user info'],
    ['https://deploy.example.com/?a=b', 'query'],
    ['https://deploy.example.com/#a', 'fragment'],
    ['pass-word:443', 'another scheme than'],
  ])('cannot be %s', (baseURL, says) => {
    const { reason, message } = refusal({ baseURL, allowHTTP: true });
    expect(reason).toBe('ProtocolError');
    expect(message).toContain(says);
    expect(message).not.toContain('pass');
  });
});

describe('headers', () => {
  it('may be shown if their value is in the manifest and does not look like a credential', () => {
    const inline = (name: string, value: string) => ({ name, value });
    const { headers } = settings({
      headers: [
        inline('X-Tenant', 'acme'),
        inline('X-Api-Key', 'acme'),
        inline('Cookie', 'acme'),
        inline('X-Other', 'ghp_0123456789abcdef'),
        { ...secretHeader('api-key'), name: 'X-Team' },
      ],
    });
    expect(headers.filter(({ isPublic }) => isPublic === true).map(({ name }) => name)).toEqual(['X-Tenant']);
  });

  it('take values from the spec and from Secrets, as opaque values', () => {
    const { headers } = settings({
      headers: [{ name: 'X-Tenant-Id', value: '0c9d' }, secretHeader('api-key')],
    });
    expect(headers.map(({ name, value }) => [name, value.reveal()])).toEqual([
      ['X-Tenant-Id', '0c9d'],
      ['X-Api-Key', 'sk-very-secret'],
    ]);
    expect(JSON.stringify(headers)).not.toContain('sk-very-secret');
  });

  it('wait for a missing Secret or key', () => {
    expect(refusal({ headers: [secretHeader('absent')] })).toEqual({
      reason: 'SecretMissing',
      message: 'key absent of Secret service-credentials does not exist',
    });
  });

  it('cannot smuggle another header in', () => {
    const { reason, message } = refusal({ headers: [secretHeader('broken')] });
    expect(reason).toBe('ProtocolError');
    expect(message).toContain('X-Api-Key');
    expect(message).not.toContain('X-Evil');
  });

  it.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'User-Agent',
    'accept',
    'Content-Encoding',
    'Range',
    'If-None-Match',
    'Proxy-Connection',
    'a b',
    'a:b',
    '',
  ])('cannot be named %s', (name) => {
    expect(refusal({ headers: [{ name, value: 'x' }] }).reason).toBe('ProtocolError');
  });

  it('have a bound, so that what is looked for in every pass has one', () => {
    expect(settings({ headers: [secretHeader('longest')] }).headers).toHaveLength(1);
    expect(refusal({ headers: [secretHeader('too-long')] })).toEqual({
      reason: 'ProtocolError',
      message: 'the value of header X-Api-Key is longer than 16,384 characters, the most that is sent',
    });
  });

  it('cannot have a whole line for a name, which is not repeated', () => {
    const headers = [secretHeader('api-key'), { name: 'Authorization: Bearer sk-very-secret', value: 'a' }];
    expect(refusal({ headers }).message).toBe('spec.headers[1].name is not the name of a header');
  });
});

describe('a header with a duplicate name', () => {
  it('is refused, in whatever case', () => {
    const { reason, message } = refusal({
      headers: [
        { name: 'X-Api-Key', value: 'one' },
        { name: 'x-api-KEY', value: 'two' },
      ],
    });
    expect([reason, message]).toEqual(['ProtocolError', 'spec.headers names x-api-key more than once']);
  });
});

describe('the value of a header', () => {
  it.each(['a\rb', 'a\nb', 'a\0b', 'snow \u2603', '\u0100', 'a\x7fb'])('cannot be %j', (value) => {
    const { reason, message } = refusal({ headers: [{ name: 'X-Api-Key', value }] });
    expect(reason).toBe('ProtocolError');
    expect(message).not.toContain(value);
  });

  it.each(['', 'a b', 'caf\u00e9', 'tab\tbed'])('can be %j', (value) => {
    expect(settings({ headers: [{ name: 'X-Api-Key', value }] }).headers[0]?.value.reveal()).toBe(value);
  });
});

describe('TLS', () => {
  it('reads its authorities from a Secret or a ConfigMap', () => {
    const from = (reference: 'secretKeyRef' | 'configMapKeyRef') =>
      settings({ tls: { caBundle: { [reference]: { name: 'ca', key: 'bundle' } } } }).tls;
    expect(from('secretKeyRef')).toEqual({ ca: 'PEM of a Secret' });
    expect(from('configMapKeyRef')).toEqual({ ca: 'PEM of a ConfigMap' });
  });

  it('reads certificate and key from a Secret of the usual type, with an opaque key', () => {
    const { tls } = settings({ tls: { clientCertificate: { secretRef: { name: 'client' } } } });
    expect(tls.certificate).toBe('certificate');
    expect(tls.key?.reveal()).toBe('private key');
    expect(JSON.stringify(tls)).not.toContain('private key');
  });

  it('waits for missing objects', () => {
    const tls = { clientCertificate: { secretRef: { name: 'nowhere' } } };
    expect(refusal({ tls }).reason).toBe('SecretMissing');
  });
});

describe('a ClusterConnection', () => {
  const cluster: ConnectionResource = {
    apiVersion: API_VERSION,
    kind: 'ClusterConnection',
    metadata: { name: 'shared' },
    spec: { baseURL: ADDRESS, allowedNames: ['{namespace}-*'] },
  };

  it('has no namespace, and reports the names that may be bound', () => {
    expect(connectionSettings(cluster, () => undefined)).toMatchObject({
      name: { kind: 'ClusterConnection', namespace: '', name: 'shared' },
      allowedNames: ['{namespace}-*'],
    });
  });
});

describe('the key of the digests', () => {
  it('is never sent anywhere, whatever a connection names', () => {
    const reference = { name: DIGEST_KEY_SECRET, key: 'key' };
    const specs: readonly Partial<ConnectionSpec>[] = [
      { headers: [{ name: 'X-Key', valueFrom: { secretKeyRef: reference } }] },
      { tls: { caBundle: { secretKeyRef: reference } } },
      { tls: { clientCertificate: { secretRef: { name: DIGEST_KEY_SECRET } } } },
    ];
    for (const spec of specs) expect(refusal(spec).message).toContain('belongs to the controller alone');
  });
});

describe('a proxy', () => {
  const from = (name: string, key: string) => ({ secretKeyRef: { name, key } });
  const login = (username = 'username', password = 'password') => ({
    credentials: { username: from('proxy', username), password: from('proxy', password) },
  });
  const address = 'http://proxy.example.com:3128';

  it('is used with its login and authorities', () => {
    expect(settings().proxy).toBeUndefined();
    expect(settings({ proxy: { address: `${address}/` } }).proxy).toEqual({ address });
    const caBundle = { configMapKeyRef: { name: 'ca', key: 'bundle' } };
    const { proxy } = settings({ proxy: { address: 'HTTPS://Proxy.example.com:443', ...login(), caBundle } });
    expect(proxy).toMatchObject({ address: 'https://proxy.example.com', ca: 'PEM of a ConfigMap' });
    expect(proxy?.login?.username.reveal()).toBe('controller');
    expect(proxy?.login?.password.reveal()).toBe('p:4ssword');
  });

  it.each([
    'http://user:s3cret-word@proxy.example.com',
    'http://@proxy.example.com',
    'proxy.example.com:3128',
    'socks5://proxy.example.com:1080',
    'http://proxy.example.com/out',
    'http://proxy.example.com?s3cret-word',
    'http://proxy.example.com:99999',
    'http://',
  ])('cannot be %s, which is not repeated', (wrong) => {
    const { reason, message } = refusal({ proxy: { address: wrong } });
    expect(reason).toBe('ProtocolError');
    expect(message).toMatch(
      /^spec\.proxy\.address is not http:\/\/HOST:PORT .*name them in spec\.proxy\.credentials$/,
    );
  });

  it('cannot have a login that Basic authentication cannot carry, and its Secret must exist', () => {
    const refused = { reason: 'ProtocolError', message: /^spec\.proxy\.credentials has characters/ };
    for (const wrong of [login('password'), login('username', 'lines')]) {
      const { reason, message } = refusal({ proxy: { address, ...wrong } });
      expect(reason).toBe(refused.reason);
      expect(message).toMatch(refused.message);
    }
    expect(refusal({ proxy: { address, ...login('username', 'too-long') } }).message).toBe(
      'spec.proxy.credentials.password is longer than 16,384 characters, the most that is sent',
    );
    expect(refusal({ proxy: { address, ...login('username', 'absent') } })).toEqual({
      reason: 'SecretMissing',
      message: 'key absent of Secret proxy does not exist',
    });
  });

  it('cannot be used for http to a loopback address, which would mean the proxy itself', () => {
    const baseURL = 'http://127.0.0.1:7070';
    expect(refusal({ baseURL, proxy: { address } }).message).toMatch(/^spec\.baseURL is http, and through/);
    expect(refusal({ baseURL, allowHTTP: true, proxy: { address } }).reason).toBe('none');
  });

  it('has a login that no header of the connection may carry', () => {
    const headers = [{ name: 'Proxy-Authorization', value: 'Basic abcd' }];
    expect(refusal({ headers }).message).toMatch(/which a connection may not set$/);
  });
});
