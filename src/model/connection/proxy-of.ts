import { defined } from '../../base/defined.ts';
import type { ConnectionResource } from '../../api/connection.ts';
import type { ConnectionSettings, ProxySettings } from './connection.ts';
import { authorities, type DataLookup, refused, refuseTooLong, required } from './connection-data.ts';

/**
 * The proxy that a spec names. Throws a ConnectionError: SecretMissing for an absent key, ProtocolError for an
 * address or a login that cannot be used, neither of which it repeats.
 */
export function proxyOf(
  { spec: { proxy } }: ConnectionResource,
  lookup: DataLookup,
): Pick<ConnectionSettings, 'proxy'> {
  if (proxy === undefined) return {};
  const { address, credentials, caBundle } = proxy;
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
  // The text there may be a login, so it is not repeated.
  if (url === null || address.includes('@') || `${url.pathname}${url.search}${url.hash}` !== '/') {
    throw refused(
      'spec.proxy.address is not http://HOST:PORT or https://HOST:PORT; a login stands in Secrets that spec.proxy.credentials names',
    );
  }
  const login = credentials && loginOf(credentials, lookup);
  return { proxy: { address: url.origin, ...defined({ login }), ...authorities(caBundle, lookup) } };
}

type Credentials = NonNullable<NonNullable<ConnectionResource['spec']['proxy']>['credentials']>;

/** The form of a Basic login keeps a colon out of the user name, and a line end out of either (RFC 7617). */
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
