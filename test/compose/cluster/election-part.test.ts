import { describe, expect, it } from 'vitest';
import { leaseName, newIdentity } from '../../../src/compose/cluster/election-part.ts';

describe('the name of the Lease', () => {
  it('is the name of the program if it works on everything', () => {
    expect(leaseName({ namespaces: [], shardSelector: undefined })).toBe('dms-operator');
  });

  it('is the same for the same namespaces in any order, and differs for others', () => {
    const nameOf = (...namespaces: string[]): string => leaseName({ namespaces, shardSelector: undefined });
    expect(nameOf('team-b', 'team-a')).toMatch(/^dms-operator-[0-9a-f]{10}$/);
    expect(nameOf('team-a', 'team-b')).toBe(nameOf('team-b', 'team-a'));
    expect(nameOf('team-a')).not.toBe(nameOf('team-b', 'team-a'));
  });

  it('differs for every shard', () => {
    const nameOf = (text: string): string =>
      leaseName({ namespaces: [], shardSelector: { text, selector: {} } });
    expect(new Set([nameOf('tier=gold'), nameOf('tier=blue')]).size).toBe(2);
  });
});

describe('the identity of a replica', () => {
  it('names the pod, and differs after a restart', () => {
    expect(newIdentity('dms-operator-0')).toMatch(/^dms-operator-0_[0-9a-f]{8}$/);
    expect(newIdentity('dms-operator-0')).not.toBe(newIdentity('dms-operator-0'));
  });

  it('is valid in a header, whatever the name of the host', () => {
    expect(newIdentity('höst (1)\n')).toMatch(/^[A-Za-z0-9._-]+_[0-9a-f]{8}$/);
  });
});
