import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import {
  type AddressRules,
  checkAddress,
  checkedLookup,
  checkHost,
} from '../../../src/service/http/check-address.ts';

const OPEN: AddressRules = { refuseLoopback: false, allowHosts: [] };
const IN_CLUSTER: AddressRules = { refuseLoopback: true, allowHosts: [] };

/** Returns the reason of a refusal, or `permitted`. */
function verdict(check: () => void): unknown {
  try {
    check();
    return 'permitted';
  } catch (error) {
    return (error as { readonly reason?: unknown }).reason;
  }
}

describe('an address', () => {
  it.each([
    '169.254.169.254',
    '169.254.0.1',
    '0.0.0.0',
    '0.1.2.3',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:FFFF:A9FE:A9FE',
    '64:ff9b::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '::169.254.169.254',
    '2002:a9fe:a9fe::1',
    'fd00:ec2::23',
    'fd00:ec2::253',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    'ff02::1',
    '2001:db8::5efe:169.254.169.254',
    '2001:db8::200:5efe:a9fe:a9fe',
    '2001:0:a9fe:a9fe::1',
    '2001:0:cb00:7107::5601:5601',
  ])('that is link-local, unspecified or of a metadata service is refused: %s', (address) => {
    expect(verdict(() => checkAddress(address, OPEN))).toBe('AddressRefused');
  });

  it.each(['10.0.0.1', '192.168.1.1', '203.0.113.7', '2001:db8::1', '64:ff9b::203.0.113.7', 'fd00::1'])(
    'of any other kind is permitted: %s',
    (address) => {
      expect(verdict(() => checkAddress(address, IN_CLUSTER))).toBe('permitted');
    },
  );

  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'])(
    'that is loopback is refused in a cluster alone: %s',
    (address) => {
      expect(verdict(() => checkAddress(address, IN_CLUSTER))).toBe('AddressRefused');
      expect(verdict(() => checkAddress(address, OPEN))).toBe('permitted');
    },
  );

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:9'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['::1', 'http://[::1]:9'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['[::1]', 'http://[0:0:0:0:0:0:0:1]:9'],
  ])('is permitted if --allow-hosts contains it exactly: %s', (allowed, url) => {
    const rules = { ...IN_CLUSTER, allowHosts: [allowed] };
    expect(verdict(() => checkHost(new URL(url), rules))).toBe('permitted');
  });

  it('that a name resolves to is refused even if --allow-hosts contains it', async () => {
    const rules = { ...IN_CLUSTER, allowHosts: ['127.0.0.1:8080', 'other.example.com'] };
    const lookup = checkedLookup(rules, (_name, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]),
    );
    const error = await new Promise((resolve) => lookup('other.example.com', {}, resolve));
    expect(error).toMatchObject({ reason: 'AddressRefused' });
  });
});

describe('the host of an address', () => {
  const host = (url: string, ...allowHosts: readonly string[]) =>
    verdict(() => checkHost(new URL(url), { refuseLoopback: true, allowHosts }));

  it.each([
    ['https://deploy.example.com', 'deploy.example.com'],
    ['https://DEPLOY.example.com', 'deploy.example.com'],
    ['https://deploy.example.com.', 'deploy.example.com'],
    ['https://deploy.example.com', '*.example.com'],
    ['https://a.b.example.com', '*.example.com'],
    ['https://deploy.example.com', 'deploy.example.com:443'],
    ['http://deploy.example.com', 'deploy.example.com:80'],
    ['https://deploy.example.com:8443', 'deploy.example.com:8443'],
    ['https://deploy.example.com:8443', 'deploy.example.com'],
    ['https://[2001:db8::1]', '2001:db8::1'],
    ['https://[2001:db8::1]:8443', '[2001:db8:0::1]:8443'],
  ])('is permitted: %s by %s', (url, allowed) => {
    expect(host(url, 'other.example.org', allowed)).toBe('permitted');
  });

  it.each([
    ['https://example.com', '*.example.com'],
    ['https://evilexample.com', '*.example.com'],
    ['https://deploy.example.com.evil.org', 'deploy.example.com'],
    ['https://deploy.example.com:8443', 'deploy.example.com:443'],
    ['https://deploy.example.com', 'deploy.example.com:80'],
  ])('is not permitted: %s by %s', (url, allowed) => {
    expect(host(url, allowed)).toBe('HostNotAllowed');
  });

  it('may be any host if no list limits it', () => {
    expect(host('https://deploy.example.com')).toBe('permitted');
  });

  it.each([
    'http://127.0.0.1',
    'http://2130706433',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://169.254.169.254/latest',
    'http://0',
  ])('is refused in a cluster where it is such an address in any spelling: %s', (url) => {
    expect(host(url)).toBe('AddressRefused');
  });
});

describe('name resolution', () => {
  function resolved(found: readonly LookupAddress[], all: boolean): Promise<unknown> {
    const lookup = checkedLookup(IN_CLUSTER, (_name, _options, callback) => callback(null, [...found]));
    return new Promise((resolve, reject) => {
      lookup('deploy.example.com', { all }, (error, address, family) => {
        if (error !== null) reject(error);
        else resolve(family === undefined ? address : { address, family });
      });
    });
  }

  it('returns what it found, one address or all', async () => {
    const found = [
      { address: '203.0.113.7', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ];
    expect(await resolved(found, true)).toEqual(found);
    expect(await resolved(found, false)).toEqual(found[0]);
  });

  it.each(['127.0.0.1', '169.254.169.254', '::ffff:7f00:1'])(
    'fails if a name leads to a refused address, alone or among others: %s',
    async (address) => {
      const family = address.includes(':') ? 6 : 4;
      const found = [
        { address: '203.0.113.7', family: 4 },
        { address, family },
      ];
      await expect(resolved(found, true)).rejects.toMatchObject({ reason: 'AddressRefused' });
      await expect(resolved([{ address, family }], false)).rejects.toMatchObject({
        reason: 'AddressRefused',
      });
    },
  );
});
