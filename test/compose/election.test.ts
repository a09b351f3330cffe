import { describe, expect, it } from 'vitest';
import { leaseName, newIdentity } from '../../src/compose/election.ts';

describe('the name of the Lease', () => {
  it('is that of the program where it works on everything', () => {
    expect(leaseName({ namespaces: [] })).toBe('dms-operator');
  });

  it('is the same for the same namespaces in any order, and another for others', () => {
    const name = leaseName({ namespaces: ['team-b', 'team-a'] });
    expect(name).toMatch(/^dms-operator-[0-9a-f]{10}$/);
    expect(leaseName({ namespaces: ['team-a', 'team-b'] })).toBe(name);
    expect(leaseName({ namespaces: ['team-a'] })).not.toBe(name);
  });
});

describe('the identity of a replica', () => {
  it('names the pod, and is another one after a restart', () => {
    expect(newIdentity('dms-operator-0')).toMatch(/^dms-operator-0_[0-9a-f]{8}$/);
    expect(newIdentity('dms-operator-0')).not.toBe(newIdentity('dms-operator-0'));
  });

  it('is fit for a header whatever the host is called', () => {
    expect(newIdentity('höst (1)\n')).toMatch(/^[A-Za-z0-9._-]+_[0-9a-f]{8}$/);
  });
});
