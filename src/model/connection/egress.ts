import type { ProxySettings } from './connection.ts';

/** Where connections may lead, and which way, as the flags of the process say. */
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
