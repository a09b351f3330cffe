import { describe, expect, test } from 'vitest';
import type { DeploymentResource, DeploymentSpec } from '../../../src/api/deployment.ts';
import { assess } from '../../../src/model/compare/assess.ts';
import { ownedByAnother } from '../../../src/model/decide/binding.ts';
import {
  aResource,
  anObserved,
  aSituation,
  at,
  ID,
  NOW_MS,
  someSettings,
} from '../../support/resources/builders.ts';

interface Who {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly spec?: Partial<DeploymentSpec>;
  /** The time of binding, relative to now. Absent: the resource is not bound. */
  readonly boundMs?: number | undefined;
  readonly boundTo?: {
    readonly id?: string;
    readonly endpoint?: string;
    readonly tenantID?: string | undefined;
  };
  readonly madeMs?: number;
  readonly deleting?: boolean;
}

function of({
  name,
  namespace = 'team-a',
  uid = '1',
  spec = {},
  boundMs,
  boundTo = {},
  madeMs = 0,
  deleting = false,
}: Who): DeploymentResource {
  const { id = ID, endpoint = someSettings().baseURL, tenantID } = boundTo;
  const binding = {
    connectionKind: 'Connection' as const,
    connectionName: 'default',
    connectionNamespace: 'team-a',
    endpoint,
    ...(tenantID === undefined ? {} : { tenantID }),
    time: at(boundMs ?? 0),
  };
  const resource = aResource(spec, {
    deleting,
    ...(boundMs === undefined ? {} : { status: { deploymentID: id, binding } }),
  });
  return {
    ...resource,
    metadata: { ...resource.metadata, name, namespace, uid, creationTimestamp: at(madeMs) },
  };
}

function judged(mine: Who, rival: Who) {
  const observed = anObserved();
  const situation = aSituation(of(mine), observed, { rivals: [of(rival)] });
  const assessment = assess({ ...situation, observed, beganMs: NOW_MS, via: 'list' });
  return ownedByAnother({ ...situation, observed, assessment });
}

interface Row {
  readonly name: string;
  readonly mine?: Partial<Who>;
  readonly rival: Partial<Who>;
  readonly want: 'mine' | 'theirs';
}

const ELSEWHERE = 'https://other.example.com';

const ROWS: readonly Row[] = [
  { name: 'a rival that was bound before', rival: { boundMs: -2 }, want: 'theirs' },
  { name: 'a rival that was bound after', rival: { boundMs: 0 }, want: 'mine' },
  { name: 'a rival that is not bound', rival: {}, want: 'mine' },
  {
    name: 'a rival that is bound while this one is not yet',
    mine: { boundMs: undefined },
    rival: { boundMs: 5 },
    want: 'theirs',
  },
  {
    name: 'a rival bound at the same moment and created earlier',
    rival: { boundMs: -1, madeMs: -9 },
    want: 'theirs',
  },
  {
    name: 'a rival bound at the same moment and created later',
    rival: { boundMs: -1, madeMs: 9 },
    want: 'mine',
  },
  {
    name: 'a rival with equal times and the smaller uid',
    rival: { boundMs: -1, uid: '0' },
    want: 'theirs',
  },
  { name: 'a rival with equal times and the larger uid', rival: { boundMs: -1, uid: '2' }, want: 'mine' },
  {
    name: 'a rival under Observe',
    rival: { boundMs: -2, spec: { managementPolicy: 'Observe' } },
    want: 'mine',
  },
  {
    name: 'no rival, if this one is under Observe',
    mine: { spec: { managementPolicy: 'Observe' } },
    rival: { boundMs: -2 },
    want: 'mine',
  },
  {
    name: 'a rival bound to another deployment',
    rival: { boundMs: -2, boundTo: { id: 'another' } },
    want: 'mine',
  },
  {
    name: 'a rival whose pins show another address and the same tenant (B5)',
    rival: { boundMs: -2, boundTo: { endpoint: ELSEWHERE, tenantID: anObserved().tenantID } },
    want: 'theirs',
  },
  {
    name: 'a rival whose pins show another address and no tenant (B5)',
    rival: { boundMs: -2, boundTo: { endpoint: ELSEWHERE } },
    want: 'theirs',
  },
  {
    name: 'a rival at another address, in another tenant',
    rival: { boundMs: -2, boundTo: { endpoint: ELSEWHERE, tenantID: 'another-tenant' } },
    want: 'mine',
  },
];

describe('the owner of a deployment (H25)', () => {
  test.each(ROWS)('against $name: $want', ({ mine = {}, rival, want }) => {
    const plan = judged({ name: 'first', boundMs: -1, ...mine }, { name: 'second', ...rival });
    expect(plan?.kind).toBe(want === 'mine' ? undefined : 'blocked');
    if (plan?.kind === 'blocked') {
      expect(plan.reason).toBe('OwnershipConflict');
      expect(plan.message).toContain('team-a/second');
    }
  });

  test('keeps it when the other resource is deleted', () => {
    const plan = judged({ name: 'first', boundMs: -1, deleting: true }, { name: 'second', boundMs: -2 });
    expect(plan).toMatchObject({
      kind: 'release',
      message: 'the deployment belongs to team-a/second and stays',
    });
  });

  test.each([false, true])('is not named to another namespace (deleted: %s)', (deleting) => {
    const theirs = { name: 'second', namespace: 'team-b', boundMs: -2 };
    const plan = judged({ name: 'first', boundMs: -1, deleting }, theirs);
    expect(plan).toMatchObject({
      message: expect.stringContaining('a resource of another namespace') as string,
    });
    expect(JSON.stringify(plan)).not.toMatch(/second|team-b/);
  });
});
