import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { defined } from '../../base/defined.ts';
import { ConnectionError } from '../../model/connection/failure.ts';

/** The addresses and hosts that a connection may reach. */
export interface AddressRules {
  /** Loopback is refused: in a cluster it is the pod itself. */
  readonly refuseLoopback: boolean;
  /**
   * `host`, `*.domain` or `[IPv6]`, each with `:port` if only that port is permitted; empty: every host. An address
   * in this list is permitted as a host even if it would be refused, but not as the address that a name resolves to.
   */
  readonly allowHosts: readonly string[];
}

/** Resolves a name, as `dns.lookup` does. */
export type NameResolution = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

const ALWAYS_REFUSED = new BlockList();
ALWAYS_REFUSED.addSubnet('0.0.0.0', 8, 'ipv4');
ALWAYS_REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
ALWAYS_REFUSED.addAddress('100.100.100.200', 'ipv4');
ALWAYS_REFUSED.addAddress('168.63.129.16', 'ipv4');
ALWAYS_REFUSED.addAddress('192.0.0.192', 'ipv4');
// Multicast and reserved addresses, including broadcast: no service has one.
ALWAYS_REFUSED.addSubnet('224.0.0.0', 4, 'ipv4');
ALWAYS_REFUSED.addSubnet('240.0.0.0', 4, 'ipv4');
ALWAYS_REFUSED.addSubnet('ff00::', 8, 'ipv6');
ALWAYS_REFUSED.addAddress('::', 'ipv6');
ALWAYS_REFUSED.addSubnet('fe80::', 10, 'ipv6');
// Addresses of metadata, name and credential services of clouds: Amazon, Oracle, Scaleway, Google.
ALWAYS_REFUSED.addSubnet('fd00:ec2::', 32, 'ipv6');
ALWAYS_REFUSED.addAddress('fd00:c1::a9fe:a9fe', 'ipv6');
ALWAYS_REFUSED.addAddress('fd00:42::42', 'ipv6');
ALWAYS_REFUSED.addAddress('fd20:ce::254', 'ipv6');

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Names that resolve to loopback by definition (RFC 6761). */
const LOOPBACK_NAME = /^(?:[^:]+\.)?localhost\.?:/i;

/** Throws a ConnectionError if the operator must not call the host of an address. */
export function checkHost(url: URL, rules: AddressRules): void {
  if (rules.allowHosts.length > 0 && !rules.allowHosts.some((allowed) => isAllowed(url, allowed))) {
    throw refusal('HostNotAllowed', `host ${url.host} is not permitted by --allow-hosts`);
  }
  const literal = bare(url.hostname);
  if (isIP(literal) === 0) return;
  if (rules.allowHosts.some((allowed) => sameAddress(partsOf(allowed).host, literal))) return;
  checkAddress(literal, rules);
}

/** Throws a ConnectionError if the operator must not use a proxy. Unlike for hosts, an empty list permits none. */
export function checkProxy(url: URL, rules: AddressRules): void {
  if (!rules.allowHosts.some((allowed) => isAllowed(url, allowed))) {
    throw refusal('HostNotAllowed', `proxy ${url.origin} is not permitted by --proxy-hosts`);
  }
  checkHost(url, rules);
}

/**
 * Throws a ConnectionError if the operator must not ask a proxy for `target`, which is HOST:PORT. Proxies resolve names
 * themselves, so the operator cannot check addresses: only the list of hosts limits where the proxy connects to.
 */
export function checkProxied(
  target: string,
  { refuseLoopback, allowHosts }: AddressRules,
  proxy: string,
): void {
  if (allowHosts.length === 0) {
    throw refusal(
      'ProxyNeedsAllowedHosts',
      `proxy ${proxy} resolves names itself, so addresses cannot be checked: --allow-hosts of the controller must name the hosts that connections may reach`,
    );
  }
  if (refuseLoopback && LOOPBACK_NAME.test(target)) {
    throw refusal('AddressRefused', `host ${target} is loopback, which through a proxy is the proxy itself`);
  }
}

/** Throws a ConnectionError if the operator must not connect to an address, whatever its spelling. */
export function checkAddress(
  spelled: string,
  { refuseLoopback }: Pick<AddressRules, 'refuseLoopback'>,
): void {
  const address = spelled.split('%', 1).join('');
  if (listed(ALWAYS_REFUSED, address)) {
    throw refusal(
      'AddressRefused',
      `address ${address} is link-local, unspecified, multicast, reserved or a metadata service`,
    );
  }
  if (refuseLoopback && listed(LOOPBACK, address)) {
    throw refusal(
      'AddressRefused',
      `address ${address} is loopback, which in a cluster is this process itself`,
    );
  }
}

/**
 * Returns a name resolution for sockets that checks each resolved address. So it also checks a name that is rebound
 * later.
 */
export function checkedLookup(rules: AddressRules, lookup: NameResolution = resolve) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      try {
        for (const { address } of addresses) checkAddress(address, rules);
      } catch (refused) {
        callback(refused as NodeJS.ErrnoException, []);
        return;
      }
      const first = addresses[0];
      if (options.all === true || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** True if the list contains the address, or an IPv4 address inside it. */
function listed(list: BlockList, address: string): boolean {
  if (isIP(address) === 4) return list.check(address, 'ipv4');
  return list.check(address, 'ipv6') || embeddedIPv4(address).some((inside) => list.check(inside, 'ipv4'));
}

/**
 * Returns the IPv4 addresses to which an IPv6 address leads: IPv4-mapped, -translated and -compatible, NAT64, 6to4,
 * Teredo, ISATAP.
 */
function embeddedIPv4(address: string): readonly string[] {
  const groups = groupsOf(address);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const zeros = (count: number): boolean => groups.slice(0, count).every((group) => group === 0);
  const mapped = zeros(5) && f === 0xffff;
  const translated = zeros(4) && e === 0xffff && f === 0;
  const compatible = zeros(6) && g !== 0;
  if (mapped || translated || compatible) return [dotted(g, h)];
  if (a === 0x64 && b === 0xff9b && c === 1) return [dotted(g, h), dotted(d, ((e & 0xff) << 8) | (f >> 8))];
  if (a === 0x64 && b === 0xff9b) return [dotted(g, h)];
  if (a === 0x2002) return [dotted(b, c)];
  // Teredo contains the address of its server, and that of the client with all bits inverted (RFC 4380).
  if (a === 0x2001 && b === 0) return [dotted(c, d), dotted(g ^ 0xffff, h ^ 0xffff)];
  const isatap = (e & 0xfdff) === 0 && f === 0x5efe;
  return isatap ? [dotted(g, h)] : [];
}

function dotted(high: number, low: number): string {
  return [high, low].flatMap((group) => [group >> 8, group & 0xff]).join('.');
}

/** Returns the eight groups of an IPv6 address; the URL parser normalizes every spelling. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail = ''] = bare(new URL(`http://[${address}]/`).hostname).split('::');
  const [before, after] = [head, tail].map((part) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)),
  ) as [number[], number[]];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

function sameAddress(a: string, b: string): boolean {
  if (isIP(a) === 6 && isIP(b) === 6) return groupsOf(a).join() === groupsOf(b).join();
  return a === b;
}

function isAllowed(url: URL, allowed: string): boolean {
  const { host, port } = partsOf(allowed);
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const actual = bare(url.hostname.toLowerCase()).replace(/\.$/, '');
  return host.startsWith('*.') ? actual.endsWith(host.slice(1)) : sameAddress(host, actual);
}

/** Splits a permitted host into its name without brackets, and its port. */
function partsOf(allowed: string): { readonly host: string; readonly port?: string } {
  const text = allowed.toLowerCase();
  if (isIP(text) === 6) return { host: text };
  const [, host = text, port] = /^(.+?)(?::(\d+))?$/.exec(text) ?? [];
  return { host: bare(host), ...defined({ port }) };
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

type Refusal = 'AddressRefused' | 'HostNotAllowed' | 'ProxyNeedsAllowedHosts';

function refusal(reason: Refusal, message: string): ConnectionError {
  return new ConnectionError(message, { reason, sent: 'no' });
}
