import type { ProxySettings } from './connection.ts';
import { SecretValue } from '../../base/secret-value.ts';

/** The permitted addresses and proxies of connections, from the flags of the process. */
export interface Egress {
  /**
   * The lower-case hosts that connections may name, optionally with `*.` before a domain and `:port` after it. Empty:
   * every host.
   */
  readonly allowHosts: readonly string[];
  /** The proxies that connections may name, in the same form. Empty: none. */
  readonly proxyHosts: readonly string[];
  /** The proxy for connections that name none. Absent: they connect directly. */
  readonly environmentProxy?: ProxySettings | undefined;
}

/** Permits every host, without a proxy. */
export const DIRECT: Egress = { allowHosts: [], proxyHosts: [] };

/** The loopback addresses of this machine, which a proxy cannot reach. */
const NEVER_PROXIED = 'localhost,127.0.0.1,[::1]';

/**
 * Returns the proxy from HTTPS_PROXY, with its login if it has one, and with the exceptions from NO_PROXY. Returns
 * undefined for a text that names no http or https proxy. Assumes http without a scheme, as other programs do.
 */
export function environmentProxy(httpsProxy: string, noProxy: string): ProxySettings | undefined {
  const url = URL.parse(httpsProxy.includes('://') ? httpsProxy : `http://${httpsProxy}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (`${url.pathname}${url.search}${url.hash}` !== '/') return undefined;
  const [username, password] = [decoded(url.username), decoded(url.password)];
  if (username === undefined || password === undefined || username.includes(':')) return undefined;
  const login = { username: new SecretValue(username), password: new SecretValue(password) };
  return {
    address: url.origin,
    ...(username === '' ? {} : { login }),
    exceptions: noProxy === '' ? NEVER_PROXIED : `${NEVER_PROXIED},${noProxy}`,
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
