import { describe, expect, test } from 'vitest';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import { ABSENT, firstMatch } from '../../../src/model/decide/make-plan.ts';
import type { Observation } from '../../../src/model/external/observation.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import type { Situation } from '../../../src/model/plan/situation.ts';
import {
  aResource,
  anObserved,
  aSituation,
  at,
  ID,
  NOW_MS,
  someSettings,
} from '../../support/resources/builders.ts';

const GONE: Observation = { kind: 'absent', proven: true, beganMs: NOW_MS };
const ONE_LOOK: Observation = { ...GONE, proven: false };
const UNREADABLE: Observation = {
  kind: 'unreadable',
  item: ID,
  problem: 'name: is missing',
  beganMs: NOW_MS,
};
const MADE: Partial<DeploymentSpec> = { creation: { policy: 'IfMissing' } };
const MADE_AGAIN: Partial<DeploymentSpec> = { creation: { policy: 'IfMissing', recreate: true } };
const ELSEWHERE = 'https://other.example.com';
/** The request timeout and the consistency window in these tests. */
const WINDOW_MS = 60_000;

const bound = (more: DeploymentStatus = {}, endpoint = someSettings().baseURL): DeploymentStatus => ({
  deploymentID: ID,
  binding: {
    connectionKind: 'Connection',
    connectionName: 'default',
    connectionNamespace: 'team-a',
    endpoint,
    time: at(-9_000_000),
  },
  ...more,
});
const missing = (ms: number): DeploymentStatus => bound({ missingSinceTime: at(-ms) });
const asked = (ms: number, attempt = 1): DeploymentStatus => ({
  creation: { state: 'Pending', time: at(-ms) },
  pendingWrite: { operation: 'Create', bodyDigest: 'c', paths: [], generation: 1, time: at(-ms), attempt },
});

interface Row {
  readonly name: string;
  readonly spec?: Partial<DeploymentSpec>;
  readonly status?: DeploymentStatus;
  readonly deleting?: boolean;
  readonly generation?: number;
  readonly observation?: Observation;
  readonly more?: Partial<Situation>;
  /** The kind and reason, and for a wait its duration in milliseconds. */
  readonly want: readonly [kind: Plan['kind'], reason?: string, againInMs?: number | undefined];
}

const ROWS: readonly Row[] = [
  {
    name: 'several with the name',
    observation: { kind: 'ambiguous', ids: ['a', 'b'], beganMs: NOW_MS },
    want: ['blocked', 'AmbiguousName'],
  },
  { name: 'never bound, one read', observation: ONE_LOOK, want: ['wait', 'NotVisibleYet', 1_000] },
  {
    name: 'never bound, one read, and the list is read again later (R6)',
    observation: { ...ONE_LOOK, nextLookMs: NOW_MS + 45_000 },
    want: ['wait', 'NotVisibleYet', 45_000],
  },
  {
    name: 'in the list, but unreadable (R7)',
    spec: MADE,
    observation: UNREADABLE,
    want: ['blocked', 'Unreadable'],
  },
  {
    name: 'bound, in the list, but unreadable (R7)',
    status: missing(90_000),
    observation: UNREADABLE,
    want: ['blocked', 'Unreadable'],
  },
  {
    name: 'deleting, in the list, but unreadable (R11)',
    spec: { deletionPolicy: 'Delete' },
    status: bound(),
    deleting: true,
    observation: UNREADABLE,
    want: ['wait', 'Deleting', undefined],
  },
  {
    name: 'bound, missing for long, according to a read before the window',
    status: missing(90_000),
    observation: { ...GONE, beganMs: NOW_MS - 80_000, nextLookMs: NOW_MS + 40_000 },
    want: ['wait', 'NotVisibleYet', 40_000],
  },
  { name: 'never bound, and without permission to create', want: ['blocked', 'NotFound'] },
  {
    name: 'never bound, under Observe',
    spec: { ...MADE, managementPolicy: 'Observe' },
    want: ['blocked', 'NotFound'],
  },
  { name: 'never bound, to be created', spec: MADE, want: ['create'] },
  { name: 'bound, missing for the first time', status: bound(), want: ['wait', 'NotVisibleYet', 30_000] },
  { name: 'bound, missing for a while', status: missing(29_999), want: ['wait', 'NotVisibleYet', 1] },
  { name: 'bound, missing for one window', status: missing(30_000), want: ['blocked', 'NotFound'] },
  {
    name: 'bound and deleted, create once only',
    spec: MADE,
    status: missing(30_000),
    want: ['blocked', 'NotFound'],
  },
  {
    name: 'bound elsewhere (H27)',
    status: bound({ missingSinceTime: at(-90_000) }, ELSEWHERE),
    want: ['blocked', 'ConnectionChanged'],
  },
  {
    name: 'bound elsewhere, and to be recreated (H27)',
    spec: MADE_AGAIN,
    status: bound({ missingSinceTime: at(-90_000) }, ELSEWHERE),
    want: ['blocked', 'ConnectionChanged'],
  },
  {
    name: 'bound elsewhere, and another id declared since (H26)',
    spec: { deploymentRef: { id: '11111111-1111-4111-8111-111111111111' } },
    status: bound({ missingSinceTime: at(-90_000) }, ELSEWHERE),
    want: ['blocked', 'ConnectionChanged'],
  },
  {
    name: 'deleted, to be recreated, its name not yet looked up (H41)',
    spec: MADE_AGAIN,
    status: missing(30_000),
    want: ['wait', 'NotVisibleYet', 1_000],
  },
  {
    name: 'deleted, to be recreated, its name looked up once',
    spec: MADE_AGAIN,
    status: missing(30_000),
    more: { namesake: ONE_LOOK },
    want: ['wait', 'NotVisibleYet', 1_000],
  },
  {
    name: 'deleted, to be recreated, its name free',
    spec: MADE_AGAIN,
    status: missing(30_000),
    more: { namesake: GONE },
    want: ['create'],
  },
  {
    name: 'deleted, to be recreated, its name in use',
    spec: MADE_AGAIN,
    status: missing(30_000),
    more: { namesake: { kind: 'ambiguous', ids: ['a', 'b'], beganMs: NOW_MS } },
    want: ['blocked', 'NotFound'],
  },
  {
    name: 'missing by its id and present by its name',
    spec: MADE_AGAIN,
    status: missing(30_000),
    more: { namesake: { kind: 'present', deployment: anObserved(), beganMs: NOW_MS, via: 'list' } },
    want: ['wait', 'NotVisibleYet', 60_000],
  },
  {
    name: 'requested, within the window',
    spec: MADE,
    status: asked(1_000),
    want: ['wait', 'CreatePending', WINDOW_MS - 1_000],
  },
  {
    name: 'requested, the window over, one read',
    spec: MADE,
    status: asked(WINDOW_MS),
    observation: ONE_LOOK,
    want: ['wait', 'CreatePending', 1_000],
  },
  {
    name: 'requested, the window over, a read from before',
    spec: MADE,
    status: asked(WINDOW_MS),
    observation: { ...GONE, beganMs: NOW_MS - 1 },
    want: ['wait', 'CreatePending', 1_000],
  },
  { name: 'requested once, without a result', spec: MADE, status: asked(WINDOW_MS), want: ['create'] },
  {
    name: 'requested twice, without a result (H40)',
    spec: MADE,
    status: asked(WINDOW_MS, 2),
    want: ['blocked', 'NotFound', 1_800_000],
  },
  {
    name: 'requested twice, and edited since',
    spec: MADE,
    status: asked(WINDOW_MS, 2),
    generation: 2,
    want: ['create'],
  },
  {
    name: 'to be created with a missing Secret',
    spec: MADE,
    more: {
      desired: {
        ...aSituation(aResource(MADE), anObserved()).desired,
        secrets: { kind: 'missing', what: ['Secret a'], values: new Map() },
      },
    },
    want: ['wait', 'SecretMissing', undefined],
  },
  {
    name: 'to be created from a repository in no list',
    spec: { ...MADE, repository: { integrationID: ID, owner: 'acme', name: 'agent' } },
    more: { repository: 'missing' },
    want: ['wait', 'RepositoryNotFound', 60_000],
  },
  {
    name: 'to be created too often',
    spec: { ...MADE, rollout: { maxRevisionsPerHour: 1 } },
    status: {
      applied: { key: 'v1:k', generation: 1, fields: [], time: at(-1) },
      budget: { sends: [at(-1)], drift: [], same: [] },
    },
    want: ['blocked', 'RevisionBudgetExhausted', 3_599_999],
  },
  {
    name: 'deleting, one read',
    spec: { deletionPolicy: 'Delete' },
    status: bound(),
    deleting: true,
    observation: ONE_LOOK,
    want: ['wait', 'Deleting', 1_000],
  },
  {
    name: 'deleting, missing for the first time',
    spec: { deletionPolicy: 'Delete' },
    status: bound(),
    deleting: true,
    want: ['wait', 'Deleting', 30_000],
  },
  {
    name: 'deleting, missing for one window',
    spec: { deletionPolicy: 'Delete' },
    status: missing(30_000),
    deleting: true,
    want: ['release'],
  },
  {
    name: 'deleting, and the service had accepted the deletion',
    spec: { deletionPolicy: 'Delete' },
    status: bound({
      pendingWrite: {
        operation: 'Delete',
        bodyDigest: 'd',
        paths: [],
        generation: 1,
        time: at(-1),
        attempt: 1,
        accepted: true,
      },
    }),
    deleting: true,
    want: ['release'],
  },
  {
    name: 'deleting, creation requested, within the window (H40)',
    spec: { ...MADE, deletionPolicy: 'Delete' },
    status: asked(1_000),
    deleting: true,
    want: ['wait', 'Deleting', WINDOW_MS - 1_000],
  },
  {
    name: 'deleting, creation requested, without a result',
    spec: { ...MADE, deletionPolicy: 'Delete' },
    status: asked(WINDOW_MS),
    deleting: true,
    want: ['release'],
  },
  {
    name: 'deleting, and bound elsewhere (H27)',
    spec: { deletionPolicy: 'Delete' },
    status: bound({ missingSinceTime: at(-90_000) }, ELSEWHERE),
    deleting: true,
    want: ['blocked', 'ConnectionChanged'],
  },
];

describe('a deployment that the service does not list', () => {
  test.each(ROWS)(
    '$name: $want',
    ({ spec, status, deleting = false, generation = 1, observation = GONE, more, want }) => {
      const resource = aResource(spec, { deleting, generation, ...(status === undefined ? {} : { status }) });
      const situation = { ...aSituation(resource, anObserved()), observation, ...more };
      const plan = firstMatch(ABSENT, situation);
      expect([
        plan?.kind,
        ...(plan !== undefined && 'reason' in plan ? [plan.reason] : []),
        ...(plan?.kind === 'wait' || want.length === 3
          ? [plan !== undefined && 'againInMs' in plan ? plan.againInMs : undefined]
          : []),
      ]).toEqual(want);
    },
  );

  test('reports a remedy with at most five ids', () => {
    const message = (observation: Observation, status?: DeploymentStatus): string => {
      const resource = aResource({}, status === undefined ? {} : { status });
      const plan = firstMatch(ABSENT, { ...aSituation(resource, anObserved()), observation });
      return plan !== undefined && 'message' in plan ? plan.message : '';
    };
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(message({ kind: 'ambiguous', ids, beganMs: 0 })).toContain('(a, b, c, d, e);');
    expect(message(GONE)).toContain('spec.creation.policy is Never');
    expect(message(GONE, missing(30_000))).toContain(`deployment ${ID} is gone`);
  });
});
