import { describe, expect, test } from 'vitest';
import type { DeploymentResource, DeploymentStatus } from '../../../src/api/deployment.ts';
import { announcedStatus } from '../../../src/model/status/announced-status.ts';
import { STATUS_BYTES } from '../../../src/model/status/forgetting.ts';
import type { Change } from '../../../src/model/compare/change.ts';
import { FIELDS } from '../../../src/model/desired/fields.ts';
import type { Outcome } from '../../../src/model/outcome/outcome.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { makePlan } from '../../../src/model/decide/make-plan.ts';
import { nextStatus } from '../../../src/model/status/next-status.ts';
import {
  aResource,
  anObserved,
  aSituation,
  at,
  digestsWith,
  ID,
  NOW_MS,
  secretsOf,
} from '../../support/resources/builders.ts';
import { DEPLOYMENT_STATUS } from '../../api/full-status.ts';

const PATHS = [...FIELDS.map(({ path }) => path), 'secrets'];
const DIGEST = 'd'.repeat(22);
const LONG = 'x'.repeat(250);
const CHANGES: readonly Change[] = PATHS.map((path) => ({
  path,
  from: 'f'.repeat(120),
  to: 't'.repeat(120),
  revision: 'Expected',
}));
const WAITING: Outcome = { kind: 'waiting', reason: 'AwaitingApproval', message: 'm'.repeat(2000) };
const PLAN: Plan = { kind: 'wait', reason: 'AwaitingApproval', message: '', changes: CHANGES, hash: 'abc' };

/** Returns the complete contents of a status, at their maximum size. */
function fullStatus(): DeploymentStatus {
  const config = { repoRef: LONG, graphConfigPath: LONG, imageURI: LONG, sourceTarballPath: LONG };
  const revision = { ...DEPLOYMENT_STATUS.revisions[0]!, repoCommitSHA: 'a'.repeat(40), imageURI: LONG };
  return {
    ...DEPLOYMENT_STATUS,
    deploymentID: ID,
    latestRevisionID: 'rev-1',
    activeRevisionID: 'rev-1',
    name: LONG,
    observed: { sourceRevisionConfig: { ...config, repoCommitSHA: 'a'.repeat(40) } },
    revisions: Array.from({ length: 10 }, (_, n) => ({ ...revision, id: n === 0 ? 'rev-1' : `${n}${ID}` })),
    lastPatch: {
      ...DEPLOYMENT_STATUS.lastPatch,
      paths: PATHS,
      accepted: { ...DEPLOYMENT_STATUS.lastPatch.accepted, paths: PATHS.slice(0, 10) },
    },
    pendingWrite: { ...DEPLOYMENT_STATUS.pendingWrite, paths: PATHS, bodyDigest: DIGEST },
    applied: {
      ...DEPLOYMENT_STATUS.applied,
      key: digestsWith().keyID,
      fields: PATHS.map((path) => ({ path, a: DIGEST, b: DIGEST, was: DIGEST })),
    },
    leftOut: PATHS.slice(0, 20),
    lost: Array.from({ length: 20 }, (_, n) => `secrets.${n}`.padEnd(128, 'x')),
    budget: {
      sends: Array.from({ length: 100 }, () => at(-1000)),
      drift: PATHS.map((path) => ({ path, times: [at(-3000), at(-2000), at(-1000)] })),
      same: PATHS.map((path) => ({ path, digest: DIGEST, count: 2 })),
    },
    binding: { ...DEPLOYMENT_STATUS.binding, tenantID: '0c9d0d5e-0000-4000-8000-000000000001' },
  };
}

/** Returns a resource with all fields and 256 secrets with long names, and the values of these secrets. */
function fullResource(nameLength: number, status = fullStatus()) {
  const member = (block: string) =>
    Object.fromEntries(FIELDS.filter((field) => field.block === block).map(({ name }) => [name, 1]));
  const names = Array.from({ length: 256 }, (_, n) => `SECRET_${n}_`.padEnd(nameLength, 'x'));
  const secrets = secretsOf(Object.fromEntries(names.map((name) => [name, `value of ${name}`])));
  const spec: object = {
    sourceConfig: { ...member('sourceConfig'), resourceSpec: member('resourceSpec') },
    sourceRevisionConfig: member('sourceRevisionConfig'),
    secretReferences: [],
    secretsOwnership: 'Exclusive',
  };
  return { resource: aResource(spec, { status }), secrets };
}

function statusAfter(
  resource: DeploymentResource,
  secrets = secretsOf({}),
  plan: Plan = PLAN,
): DeploymentStatus {
  const situation = aSituation(resource, anObserved({ name: LONG }), { secrets });
  const decided = { ...makePlan(situation), plan };
  const current = resource.status ?? {};
  return nextStatus({ resource, current, situation, decided, outcome: WAITING, nowMs: NOW_MS });
}

function bytesOf(status: DeploymentStatus): number {
  return Buffer.byteLength(JSON.stringify(status));
}

describe('a status', () => {
  test.each([20, 30, 60, 240])(
    'with maximum contents, and 256 names of %i characters, has 48 KiB',
    (length) => {
      const { resource, secrets } = fullResource(length);
      // First the applied state, with digests of all secrets; then a waiting plan.
      const situation = aSituation(resource, anObserved({ name: LONG }), { secrets, learned: {} });
      const { pendingWrite: _, ...quiet } = fullStatus();
      const sent = nextStatus({
        resource: { ...resource, status: quiet },
        current: fullStatus(),
        situation: { ...situation, resource: { ...resource, status: quiet } },
        decided: { ...makePlan(situation), plan: patchOfAll() },
        outcome: {
          kind: 'applied',
          answer: { kind: 'shown', deployment: anObserved(), beganMs: NOW_MS },
          open: [],
        },
        nowMs: NOW_MS,
      });
      expect(Object.keys(sent.applied?.secrets ?? {})).toHaveLength(256);
      const full = { ...fullStatus(), applied: sent.applied! };
      const after = statusAfter({ ...resource, status: full }, secrets);
      expect(bytesOf(after)).toBeLessThanOrEqual(STATUS_BYTES);
      expect(Object.keys(after.applied?.secrets ?? {})).toHaveLength(256);
      expect(after.budget).toMatchObject({ sends: full.budget!.sends, drift: full.budget!.drift });
      expect((after.plan?.changes.length ?? 0) + (after.plan?.changesOmitted ?? 0)).toBe(CHANGES.length);
      const announced = announcedStatus({ ...resource, status: after }, patchOfAll(), digestsWith(), NOW_MS);
      expect(bytesOf(announced)).toBeLessThanOrEqual(STATUS_BYTES);
      expect(announced.pendingWrite?.paths).toEqual(PATHS);
    },
  );

  test('has at most ten revisions, fifty changes and a count, and messages of 1 KiB', () => {
    const { status } = aResource(
      {},
      { status: { ...fullStatus(), revisions: fullStatus().revisions!.slice(0, 9) } },
    );
    const after = statusAfter(aResource({}, { status: { ...status, latestRevisionID: 'rev-0' } }));
    expect(after.plan?.changes).toHaveLength(50);
    expect(after.plan?.changesOmitted).toBe(CHANGES.length - 50);
    expect(after.revisions!.length).toBeLessThanOrEqual(10);
    for (const { message } of after.conditions ?? [])
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  });

  test('that was truncated is the same after the next pass', () => {
    const { resource, secrets } = fullResource(240);
    const once = statusAfter(resource, secrets);
    expect(statusAfter({ ...resource, status: once }, secrets)).toEqual(once);
  });
});

function patchOfAll(): Extract<Plan, { kind: 'patch' }> {
  const budget = fullStatus().budget!;
  const binding = fullStatus().binding!;
  const announcement = {
    ...{ bodyPart: DIGEST, paths: PATHS, leftOut: [], budget, binding, baseRevisionID: ID },
    revisions: fullStatus().revisions ?? [],
  };
  return {
    kind: 'patch',
    id: ID,
    body: {},
    cause: 'spec',
    changes: CHANGES,
    withheld: [],
    reported: [],
    unsaved: [],
    losses: [],
    announcement,
  };
}
