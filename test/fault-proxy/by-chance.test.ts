import { describe, expect, it } from 'vitest';
import { faultsByChance } from '../support/fault-proxy/by-chance.ts';
import type { Fault } from '../support/fault-proxy/fault.ts';
import { type ProxiedRequest, requestKind } from '../support/fault-proxy/proxied-request.ts';

const ADDRESSES = [
  '/api/v1/secrets?limit=500',
  '/apis/dms-operator.dev/v1alpha1/deployments?watch=true',
] as const;

function request(url: string): ProxiedRequest {
  return { number: 1, atMs: 0, connection: 1, user: '', method: 'GET', url, ...requestKind('GET', url) };
}

/** What the first hundred requests of one kind meet, with requests of the other between them where told. */
function met(url: string, seed: number, rate: number, other?: string): readonly (Fault | undefined)[] {
  const chance = faultsByChance(seed, rate);
  return Array.from({ length: 100 }, () => {
    if (other !== undefined) chance(request(other));
    return chance(request(url));
  });
}

describe('faults by chance', () => {
  const [secrets, deployments] = ADDRESSES;

  it('are the same each time, whatever else is asked in between', () => {
    expect(met(deployments, 7, 0.3)).toEqual(met(deployments, 7, 0.3, secrets));
    expect(met(deployments, 7, 0.3)).not.toEqual(met(deployments, 8, 0.3));
  });

  it('meet about as many requests as the share says', () => {
    const faults = met(deployments, 7, 0.3).filter((fault) => fault !== undefined);
    expect(faults.length).toBeGreaterThan(15);
    expect(faults.length).toBeLessThan(45);
    expect(met(deployments, 7, 0).every((fault) => fault === undefined)).toBe(true);
  });

  it('are of many kinds', () => {
    expect(new Set(met(deployments, 1, 1).map((fault) => fault?.kind)).size).toBeGreaterThan(10);
    expect(new Set(met(secrets, 1, 1).map((fault) => fault?.kind))).toContain('truncated-chunk');
  });
});

describe('what a request is for', () => {
  it.each([
    ['GET', '/api/v1/namespaces', 'list namespaces'],
    ['GET', '/api/v1/namespaces/team-a', 'get namespaces'],
    ['GET', '/api/v1/namespaces/team-a/secrets?watch=true&resourceVersion=1', 'watch secrets'],
    ['GET', '/api/v1/namespaces/team-a/secrets/one', 'get secrets'],
    [
      'PATCH',
      '/apis/dms-operator.dev/v1alpha1/namespaces/a/deployments/b/status',
      'patch deployments/status',
    ],
    ['PATCH', '/apis/dms-operator.dev/v1alpha1/clusterconnections/b', 'patch clusterconnections'],
    ['GET', '/version', 'list /version'],
  ])('%s %s is to %s', (method, url, kind) => {
    expect(requestKind(method, url).kind).toBe(kind);
  });
});
