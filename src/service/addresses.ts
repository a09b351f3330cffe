import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { ConnectionError } from '../model/failure.ts';

/** Which addresses and hosts a connection may reach. */
export interface AddressRules {
  /** Loopback is refused: in a cluster it is the pod itself. */
  readonly refuseLoopback: boolean;
  /** `host`, `*.domain` or `host:port`; empty: every host. A refused address that stands here exactly is permitted. */
  readonly allowHosts: readonly string[];
}

type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

const ALWAYS_REFUSED = new BlockList();
ALWAYS_REFUSED.addSubnet('0.0.0.0', 8, 'ipv4');
ALWAYS_REFUSED.addSubnet('169.254.0.0', 16, 'ipv4');
ALWAYS_REFUSED.addAddress('100.100.100.200', 'ipv4');
ALWAYS_REFUSED.addAddress('192.0.0.192', 'ipv4');
ALWAYS_REFUSED.addAddress('::', 'ipv6');
ALWAYS_REFUSED.addSubnet('fe80::', 10, 'ipv6');
ALWAYS_REFUSED.addAddress('fd00:ec2::254', 'ipv6');

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const CARRIES_IPV4 = new BlockList();
CARRIES_IPV4.addSubnet('::ffff:0:0', 96, 'ipv6');
CARRIES_IPV4.addSubnet('64:ff9b::', 96, 'ipv6');

/** Throws a ConnectionError where the host of an address must not be asked at all. */
export function checkHost(url: URL, rules: AddressRules): void {
  if (rules.allowHosts.length > 0 && !rules.allowHosts.some((allowed) => isAllowed(url, allowed))) {
    throw refusal('HostNotAllowed', `host ${url.host} is not one of those that --allow-hosts permits`);
  }
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) checkAddress(literal, rules);
}

/** Throws a ConnectionError where an address, in whatever spelling, must not be connected to. */
export function checkAddress(address: string, rules: AddressRules): void {
  if (rules.allowHosts.some((allowed) => allowed.replace(/:\d+$/, '') === address)) return;
  if (listed(ALWAYS_REFUSED, address)) {
    throw refusal('AddressRefused', `address ${address} is link-local, unspecified or a metadata service`);
  }
  if (rules.refuseLoopback && listed(LOOPBACK, address)) {
    throw refusal(
      'AddressRefused',
      `address ${address} is loopback, which in a cluster is this process itself`,
    );
  }
}

/** A name resolution for sockets that checks what comes out of it: a name that is rebound later is checked again. */
export function checkedLookup(rules: AddressRules) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
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

function listed(list: BlockList, address: string): boolean {
  const plain = embeddedIPv4(address) ?? address;
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** The IPv4 address inside an IPv4-mapped or NAT64 address. */
function embeddedIPv4(address: string): string | undefined {
  if (isIP(address) !== 6 || !CARRIES_IPV4.check(address, 'ipv6')) return undefined;
  const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const groups = /([0-9a-f]{0,4}):([0-9a-f]{0,4})$/i.exec(address);
  const numbers = [groups?.[1], groups?.[2]].map((group) => Number.parseInt(group || '0', 16));
  return numbers.flatMap((number) => [number >> 8, number & 255]).join('.');
}

function isAllowed(url: URL, allowed: string): boolean {
  const [host = '', port] = allowed.toLowerCase().split(/:(?=\d+$)/);
  if (port !== undefined && port !== (url.port || (url.protocol === 'https:' ? '443' : '80'))) return false;
  const actual = url.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return host.startsWith('*.') ? actual.endsWith(host.slice(1)) : actual === host;
}

function refusal(reason: 'AddressRefused' | 'HostNotAllowed', message: string): ConnectionError {
  return new ConnectionError(message, { reason, sent: 'no' });
}
