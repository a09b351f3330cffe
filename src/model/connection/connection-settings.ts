import { defined } from '../../base/defined.ts';
import { type ConnectionResource, CLUSTER_CONNECTION_KIND } from '../../api/connection.ts';
import { carriesCredential } from '../../api/credential.ts';
import {
  type ConnectionSettings,
  DEFAULTS,
  DIGEST_KEY_SECRET,
  type RequestHeader,
  type ProxySettings,
} from './connection.ts';
import { authorities, type DataLookup, refused, refuseTooLong, required } from './connection-data.ts';
import { dataReferences } from './data-references.ts';
import { SecretValue } from '../../base/secret-value.ts';

/**
 * Headers of the transport, which a connection must not set: they would break the exchange or its framing, or make the
 * service answer with only a part of the data.
 */
const REFUSED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-request-id',
]);

/** Matches the usual names of headers that carry credentials. */
const LOGIN_HEADER = /auth|cookie|key|token|secret|passw|credential|session|signature/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns a connection with defaults and resolved references. Throws a ConnectionError: SecretMissing for an absent
 * key; ProtocolError for an unusable address, header or Secret, and for a resource that is too large to be read.
 */
export function connectionSettings(resource: ConnectionResource, lookup: DataLookup): ConnectionSettings {
  if (resource.tooLarge !== undefined) throw refused(resource.tooLarge);
  refuseDigestKey(resource);
  const { spec, metadata } = resource;
  const {
    limit = 'limit',
    offset = 'offset',
    name = 'name_contains',
    ids = 'deployment_ids',
  } = spec.list?.parameters ?? {};
  return {
    name: {
      kind: resource.kind,
      namespace: resource.kind === CLUSTER_CONNECTION_KIND ? '' : (metadata.namespace ?? ''),
      name: metadata.name,
    },
    baseURL: checkedAddress(spec),
    edition: spec.edition ?? 'Unknown',
    headers: headersOf(spec.headers ?? [], lookup),
    tls: tlsOf(resource, lookup),
    ...proxyOf(resource, lookup),
    rateLimit: {
      requestsPerSecond: spec.rateLimit?.requestsPerSecond ?? DEFAULTS.requestsPerSecond,
      burst: spec.rateLimit?.burst ?? DEFAULTS.burst,
      concurrency: spec.rateLimit?.concurrency ?? DEFAULTS.concurrency,
    },
    requestTimeoutMs: milliseconds(spec.requestTimeoutSeconds, DEFAULTS.requestTimeoutMs),
    poll: {
      intervalMs: milliseconds(spec.poll?.intervalSeconds, DEFAULTS.pollIntervalMs),
      rolloutMs: milliseconds(spec.poll?.rolloutSeconds, DEFAULTS.pollRolloutMs),
    },
    list: { pageSize: spec.list?.pageSize ?? DEFAULTS.pageSize, parameters: { limit, offset, name, ids } },
    patchBodies: spec.patch?.bodies ?? 'Auto',
    suspend: spec.suspend === true,
    ...allowedNames(resource),
  };
}

function allowedNames(resource: ConnectionResource): Pick<ConnectionSettings, 'allowedNames'> {
  if (resource.kind !== CLUSTER_CONNECTION_KIND || resource.spec.allowedNames === undefined) return {};
  return { allowedNames: resource.spec.allowedNames };
}

/**
 * Refuses a reference to the digest key, since a connection sends the named values to an address that its author
 * chooses.
 */
function refuseDigestKey(resource: ConnectionResource): void {
  if (dataReferences(resource).some(({ kind, name }) => kind === 'Secret' && name === DIGEST_KEY_SECRET)) {
    throw refused(`the connection names Secret ${DIGEST_KEY_SECRET}, which belongs to the controller alone`);
  }
}

function milliseconds(seconds: number | undefined, defaultMs: number): number {
  return seconds === undefined ? defaultMs : seconds * 1000;
}

/**
 * Returns scheme, host and path prefix without a trailing slash. Requires https, except for loopback or if the spec
 * allows http (N76).
 */
function checkedAddress({ baseURL, allowHTTP = false, proxy }: ConnectionResource['spec']): string {
  const url = URL.parse(baseURL);
  if (url === null) throw refused('spec.baseURL is not an address; expected https://HOST[:PORT][/PREFIX]');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refused('spec.baseURL carries user info, a query or a fragment; put credentials into spec.headers');
  }
  if (url.protocol === 'http:' && !allowHTTP && !LOOPBACK.test(url.hostname)) {
    throw refused('spec.baseURL is http; expected https, or spec.allowHTTP: true');
  }
  if (url.protocol === 'http:' && !allowHTTP && proxy !== undefined) {
    throw refused(
      'spec.baseURL is http, and through spec.proxy a loopback address is that of the proxy; expected https, or spec.allowHTTP: true',
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    // The message does not repeat the text before the colon, which may be a login.
    throw refused('spec.baseURL has another scheme than http and https; expected https');
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

type Header = NonNullable<ConnectionResource['spec']['headers']>[number];

/**
 * Returns the headers. Compares names without case: if two names differ only in case, the service might use either or
 * both.
 */
function headersOf(headers: readonly Header[], lookup: DataLookup): ConnectionSettings['headers'] {
  const names = headers.map(({ name }) => name.toLowerCase());
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined) throw refused(`spec.headers names ${twice.slice(0, 64)} more than once`);
  return headers.map((header, at) => checkedHeader(header, at, lookup));
}

function checkedHeader(
  { name, value = '', valueFrom }: Header,
  at: number,
  lookup: DataLookup,
): RequestHeader {
  // The message does not repeat the name, since somebody may have put a whole line there, with its value.
  if (!HEADER_NAME.test(name)) throw refused(`spec.headers[${at}].name is not the name of a header`);
  if (REFUSED_HEADERS.has(name.toLowerCase()))
    throw refused(`spec.headers names ${name}, which a connection may not set`);
  const reference = valueFrom?.secretKeyRef;
  const found = reference === undefined ? new SecretValue(value) : required('Secret', reference, lookup);
  if (!HEADER_VALUE.test(found.reveal())) {
    throw refused(
      `the value of header ${name} has characters that a header cannot carry, such as a line end`,
    );
  }
  refuseTooLong(`the value of header ${name}`, found);
  const isPublic = reference === undefined && !isCredential(name, value);
  return { name, value: found, ...(isPublic && { isPublic }) };
}

function isCredential(name: string, value: string): boolean {
  return LOGIN_HEADER.test(name) || carriesCredential(value);
}

function tlsOf({ spec: { tls } }: ConnectionResource, lookup: DataLookup): ConnectionSettings['tls'] {
  const client = tls?.clientCertificate?.secretRef.name;
  const own = (key: string): SecretValue | undefined =>
    client === undefined ? undefined : required('Secret', { name: client, key }, lookup);
  const [certificate, key] = [own('tls.crt'), own('tls.key')];
  return {
    ...authorities(tls?.caBundle, lookup),
    ...defined({ certificate: certificate?.reveal(), key }),
  };
}

/**
 * Returns the proxy of a spec. Throws a ConnectionError: SecretMissing for an absent key, ProtocolError for an unusable
 * address or login; the message repeats neither.
 */
function proxyOf(
  { spec: { proxy } }: ConnectionResource,
  lookup: DataLookup,
): Pick<ConnectionSettings, 'proxy'> {
  if (proxy === undefined) return {};
  const { address, credentials, caBundle } = proxy;
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  // The message does not repeat the text, which may be a login.
  if (url === null || address.includes('@') || `${url.pathname}${url.search}${url.hash}` !== '/') {
    throw refused(
      'spec.proxy.address is not http://HOST:PORT or https://HOST:PORT; put a login into Secrets, and name them in spec.proxy.credentials',
    );
  }
  const login = credentials && loginOf(credentials, lookup);
  return { proxy: { address: url.origin, ...defined({ login }), ...authorities(caBundle, lookup) } };
}

type Credentials = NonNullable<NonNullable<ConnectionResource['spec']['proxy']>['credentials']>;

/** Returns a login. Basic authentication forbids a colon in the user name, and a line end in both parts (RFC 7617). */
function loginOf(
  { username, password }: Credentials,
  lookup: DataLookup,
): NonNullable<ProxySettings['login']> {
  const login = {
    username: required('Secret', username.secretKeyRef, lookup),
    password: required('Secret', password.secretKeyRef, lookup),
  };
  if (/[\p{Cc}:]/u.test(login.username.reveal()) || /\p{Cc}/u.test(login.password.reveal())) {
    throw refused(
      'spec.proxy.credentials has characters that a login cannot carry, such as a line end, or a colon in the user name',
    );
  }
  refuseTooLong('spec.proxy.credentials.username', login.username);
  refuseTooLong('spec.proxy.credentials.password', login.password);
  return login;
}
