import type { ProxySettings } from './connection.ts';
import { SecretValue } from '../../base/secret-value.ts';

/** The permitted addresses and proxies of connections, from the flags of the process. */
export interface Egress {
  /** Lower-case hosts that connections may name, `*.` before a domain, `:port` behind. Empty: every host. */
  readonly allowHosts: readonly string[];
  /** Proxies that connections may name, in the same form. Empty: none. */
  readonly proxyHosts: readonly string[];
  /** The proxy of connections that name none. Absent: they go directly. */
  readonly environmentProxy?: ProxySettings | undefined;
}

/** Every host, directly. */
export const DIRECT: Egress = { allowHosts: [], proxyHosts: [] };

/** A loopback address is that of this machine, which a proxy does not reach. */
const NEVER_PROXIED = 'localhost,127.0.0.1,[::1]';

/**
 * The proxy that HTTPS_PROXY names, with its login if it has one, and the hosts in NO_PROXY that are reached without it. Undefined
 * for a text that names no http or https proxy. Without a scheme it is http, as other programs have it.
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
