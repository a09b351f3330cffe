import { describe, expect, test } from 'vitest';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { DesiredSecrets } from '../../../src/model/desired/desired-deployment.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import type { Outcome } from '../../../src/model/outcome/outcome.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { makePlan, planBeforeConnecting, planBeforeLooking } from '../../../src/model/decide/make-plan.ts';
import { announcedStatus } from '../../../src/model/status/announced-status.ts';
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
  someSettings,
} from '../../support/resources/builders.ts';

const SPEC: Partial<DeploymentSpec> = {
  sourceConfig: { customURL: 'https://agent.example.com' },
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1.4' },
};

const LIVE = anObserved({
  sourceConfig: { fields: { customURL: 'https://agent.example.com' }, resourceSpec: null },
  sourceRevisionConfig: { fields: { imageURI: 'registry.example.com/agent:1.4' } },
});

/** Returns the status after a pass at rest over `observed`. */
function settled(
  spec: Partial<DeploymentSpec>,
  observed: ObservedDeployment,
  secrets?: DesiredSecrets,
): DeploymentStatus {
  const resource = aResource(spec);
  const situation = aSituation(resource, observed, secrets === undefined ? {} : { secrets });
  const decided = makePlan(situation);
  const outcome = outcomeOf(decided.plan, observed);
  const current = announced(resource, decided.plan);
  return nextStatus({ resource, current, situation, decided, outcome, nowMs: NOW_MS });
}

function announced(resource: ReturnType<typeof aResource>, plan: Plan): DeploymentStatus {
  return plan.kind === 'patch'
    ? announcedStatus(resource, plan, digestsWith(), NOW_MS)
    : (resource.status ?? {});
}

function outcomeOf(plan: Plan, answer: ObservedDeployment): Outcome {
  if (plan.kind === 'patch')
    return { kind: 'applied', answer: { kind: 'shown', deployment: answer, beganMs: NOW_MS }, open: [] };
  if (plan.kind === 'nothing') return { kind: 'settled', reason: plan.reason, message: plan.message };
  throw new Error(`a plan of kind ${plan.kind} was not expected`);
}

function planFor(
  spec: Partial<DeploymentSpec>,
  observed: ObservedDeployment,
  more: Parameters<typeof aSituation>[2] & {
    readonly status?: DeploymentStatus;
    readonly generation?: number;
    readonly annotations?: Record<string, string>;
    readonly deleting?: boolean;
  } = {},
): Plan {
  const { status, generation, annotations, deleting, ...rest } = more;
  const resource = aResource(spec, {
    ...(status === undefined ? {} : { status }),
    ...(generation === undefined ? {} : { generation }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(deleting === undefined ? {} : { deleting }),
  });
  const situation = aSituation(resource, observed, rest);
  return (
    planBeforeConnecting(resource) ??
    planBeforeLooking(resource, situation.settings) ??
    makePlan(situation).plan
  );
}

describe('before the connection is used', () => {
  test('a paused resource is held, even during its deletion', () => {
    const plan = planFor({ deletionPolicy: 'Delete' }, LIVE, {
      annotations: { 'dms-operator.dev/paused': 'true' },
      deleting: true,
    });
    expect(plan.kind).toBe('held');
  });

  test('a resource with Orphan is released without a connection', () => {
    expect(planFor({}, LIVE, { deleting: true }).kind).toBe('release');
  });

  test('a resource with Delete is not released before its deployment is deleted', () => {
    const status = { deploymentID: ID };
    expect(planFor({ deletionPolicy: 'Delete' }, LIVE, { deleting: true, status })).toMatchObject({
      kind: 'delete',
      id: ID,
    });
  });
});

describe('a resource above the read limit', () => {
  const large = (more: Parameters<typeof aResource>[1] = {}) => ({
    ...aResource({ deletionPolicy: 'Delete' }, { status: { deploymentID: ID }, ...more }),
    tooLarge: 'the resource takes 900 KiB, more than the 512 KiB that are read',
  });

  test('is an invalid spec, with the size and the limit, before any request', () => {
    expect(planBeforeConnecting(large())).toEqual({
      kind: 'blocked',
      reason: 'InvalidSpec',
      message:
        'the resource takes 900 KiB, more than the 512 KiB that are read; the operator sends nothing, and the bound deployment stays as it is',
    });
  });

  test('is held if it is paused, and continues if it is being deleted', () => {
    const annotations = { 'dms-operator.dev/paused': 'true' };
    expect(planBeforeConnecting(large({ annotations }))).toMatchObject({ kind: 'held' });
    expect(planBeforeConnecting(large({ deleting: true }))).toBeUndefined();
    const orphan = { ...large({ deleting: true }), spec: { source: 'external_container' } as const };
    expect(planBeforeConnecting(orphan)).toMatchObject({ kind: 'release' });
  });
});

describe('a deployment that exists', () => {
  test('is adopted without a PATCH if it matches the spec', () => {
    expect(planFor(SPEC, LIVE)).toMatchObject({ kind: 'nothing', reason: 'InSync' });
  });

  test('gets one minimal PATCH on first application', () => {
    const plan = planFor(SPEC, anObserved());
    expect(plan).toMatchObject({
      kind: 'patch',
      cause: 'spec',
      body: {
        sourceConfig: { fields: { customURL: 'https://agent.example.com' } },
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1.4' },
      },
    });
  });

  test('gets only changed fields: an edit of the URL omits the revision block', () => {
    const status = settled(SPEC, LIVE);
    const spec = { ...SPEC, sourceConfig: { customURL: 'https://new.example.com' } };
    const plan = planFor(spec, LIVE, { status, generation: 2 });
    expect(plan).toMatchObject({
      kind: 'patch',
      body: { sourceConfig: { fields: { customURL: 'https://new.example.com' } } },
    });
    expect(plan.kind === 'patch' && plan.body).not.toHaveProperty('sourceRevisionConfig');
  });

  test('is corrected after drift', () => {
    const status = settled(SPEC, LIVE);
    const drifted = anObserved({
      ...LIVE,
      sourceRevisionConfig: { fields: { imageURI: 'registry.example.com/agent:9' } },
    });
    expect(planFor(SPEC, drifted, { status })).toMatchObject({ kind: 'patch', cause: 'drift' });
  });

  test('is not corrected during a rollout, but a new edit is sent at once', () => {
    const status = settled(SPEC, LIVE);
    const rolling = anObserved({
      ...LIVE,
      latestRevisionID: 'rev-2',
      sourceRevisionConfig: { fields: { imageURI: 'registry.example.com/agent:9' } },
    });
    expect(planFor(SPEC, rolling, { status })).toMatchObject({ kind: 'wait', reason: 'Pending' });
    const edited = { ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1.5' } };
    expect(planFor(edited, rolling, { status, generation: 2 })).toMatchObject({
      kind: 'patch',
      cause: 'spec',
    });
  });

  test('is reported and not changed under driftPolicy Report', () => {
    const spec: Partial<DeploymentSpec> = { ...SPEC, driftPolicy: 'Report' };
    const status = settled(spec, LIVE);
    const drifted = anObserved({ ...LIVE, sourceConfig: { fields: { customURL: 'https://x.example.com' } } });
    expect(planFor(spec, drifted, { status })).toMatchObject({ kind: 'nothing', reason: 'DriftReported' });
  });

  test('is only read under managementPolicy Observe', () => {
    expect(planFor({ ...SPEC, managementPolicy: 'Observe' }, anObserved())).toMatchObject({
      kind: 'nothing',
      reason: 'Differs',
    });
  });

  test('waits for approval of exactly this plan under manual approval', () => {
    const spec: Partial<DeploymentSpec> = { ...SPEC, approval: 'Manual' };
    const plan = planFor(spec, anObserved());
    expect(plan).toMatchObject({ kind: 'wait', reason: 'AwaitingApproval' });
    const hash = plan.kind === 'wait' ? plan.hash : undefined;
    expect(
      planFor(spec, anObserved(), { annotations: { 'dms-operator.dev/approve': hash ?? '' } }).kind,
    ).toBe('patch');
    expect(planFor(spec, anObserved(), { annotations: { 'dms-operator.dev/approve': 'other' } }).kind).toBe(
      'wait',
    );
  });

  test('with another source is never written to', () => {
    expect(planFor(SPEC, anObserved({ source: 'codehost' }))).toMatchObject({
      kind: 'blocked',
      reason: 'SourceMismatch',
    });
  });

  test('without a source in the list is bound nevertheless', () => {
    const { source: _, serviceStatus: __, ...sample } = LIVE;
    expect(planFor(SPEC, sample)).toMatchObject({ kind: 'nothing', reason: 'InSync' });
  });

  test('that moved to another tenant is held', () => {
    const status = settled(SPEC, LIVE);
    const plan = planFor(SPEC, anObserved({ ...LIVE, tenantID: 'other' }), { status });
    expect(plan).toMatchObject({ kind: 'blocked', reason: 'TenantChanged' });
  });

  test('that the service is deleting is never written to', () => {
    const plan = planFor(SPEC, anObserved({ serviceStatus: 'AWAITING_DELETE' }));
    expect(plan).toMatchObject({ kind: 'blocked', reason: 'BeingDeleted' });
  });

  test('that the edition of the connection does not support is refused before any call', () => {
    const plan = planFor(SPEC, LIVE, { settings: someSettings({ edition: 'Hosted' }) });
    expect(plan).toMatchObject({ kind: 'blocked', reason: 'InvalidSpec' });
  });

  test('whose spec is nested as deeply as an API server takes it is refused before it is compared', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(9_900)}1${'}'.repeat(9_900)}`) as Record<string, unknown>;
    const resource = aResource({ creation: { extra: deep } });
    expect(planBeforeLooking(resource, someSettings())).toMatchObject({
      kind: 'blocked',
      reason: 'InvalidSpec',
      message: 'spec is nested deeper than 64 levels',
    });
  });
});

describe('budgets', () => {
  const sends = [1, 2, 3, 4, 5, 6].map((minute) => at(-minute * 60_000));

  test('stop writes that make a revision, and a new generation may exceed them once', () => {
    const status = { ...settled(SPEC, LIVE), budget: { sends, drift: [], same: [] } };
    const drifted = anObserved({ ...LIVE, sourceRevisionConfig: { fields: { imageURI: 'x:9' } } });
    expect(planFor(SPEC, drifted, { status })).toMatchObject({
      kind: 'blocked',
      reason: 'RevisionBudgetExhausted',
    });
    expect(planFor(SPEC, drifted, { status, generation: 2 }).kind).toBe('patch');
  });

  test('allow three corrections a day and then suspend them', () => {
    const path = 'sourceConfig.customURL';
    const times = [at(-3_000_000), at(-2_000_000), at(-1_000_000)];
    const status = { ...settled(SPEC, LIVE), budget: { sends: [], drift: [{ path, times }], same: [] } };
    const drifted = anObserved({ ...LIVE, sourceConfig: { fields: { customURL: 'https://x.example.com' } } });
    expect(planFor(SPEC, drifted, { status })).toMatchObject({
      kind: 'nothing',
      reason: 'DriftCorrectionSuspended',
    });
  });

  test('allow two sends of the same value and no third', () => {
    const before = settled(SPEC, LIVE);
    const plan = planFor(SPEC, anObserved(), {
      status: { ...before, applied: { ...before.applied!, fields: [] } },
    });
    const same =
      plan.kind === 'patch' ? plan.announcement.budget.same.map((entry) => ({ ...entry, count: 2 })) : [];
    const status = {
      ...before,
      applied: { ...before.applied!, fields: [] },
      budget: { sends: [], drift: [], same },
    };
    expect(planFor(SPEC, anObserved(), { status })).toMatchObject({
      kind: 'nothing',
      reason: 'NotConverging',
    });
  });

  test('count corrections of drift as sends of a value (K5)', () => {
    const status = settled(SPEC, LIVE);
    const drifted = anObserved({ ...LIVE, sourceConfig: { fields: { customURL: 'https://x.example.com' } } });
    const plan = planFor(SPEC, drifted, { status });
    const sent = plan.kind === 'patch' ? plan.announcement.budget : undefined;
    expect(sent?.same).toMatchObject([{ path: 'sourceConfig.customURL', count: 1 }]);
    const same = (sent?.same ?? []).map((entry) => ({ ...entry, count: 2 }));
    const budget = { sends: [], drift: [], same };
    expect(planFor(SPEC, drifted, { status: { ...status, budget } })).toMatchObject({
      kind: 'nothing',
      reason: 'NotConverging',
    });
  });
});

describe('secrets', () => {
  const spec: Partial<DeploymentSpec> = { secrets: [{ name: 'A', value: 'x' }] };
  const masked = anObserved({ secrets: [{ name: 'A' }] });

  test('are sent once and then compared with our own record, regardless of the mask', () => {
    const secrets = secretsOf({ A: 'x' });
    expect(planFor(spec, masked, { secrets })).toMatchObject({
      kind: 'patch',
      announcement: { paths: ['secrets'] },
    });
    const status = settled(spec, masked, secrets);
    expect(planFor(spec, masked, { secrets, status })).toMatchObject({ kind: 'nothing', reason: 'InSync' });
    const rotated = { secrets: secretsOf({ A: 'y' }), status };
    expect(planFor(spec, masked, rotated)).toEqual({ kind: 'postponed', againInMs: 10_000, rotation: true });
    expect(planFor(spec, masked, { ...rotated, rotationSeenMs: NOW_MS - 10_000 })).toMatchObject({
      kind: 'patch',
      cause: 'secret',
    });
  });

  test('that are unmanaged block the whole list, and nothing else', () => {
    const observed = anObserved({ secrets: [{ name: 'A' }, { name: 'B' }] });
    const plan = planFor({ ...spec, ...SPEC }, observed, { secrets: secretsOf({ A: 'x' }) });
    expect(plan).toMatchObject({
      kind: 'patch',
      withheld: [{ path: 'secrets', reason: 'UnmanagedSecretsPresent' }],
    });
    expect(plan.kind === 'patch' && plan.body).not.toHaveProperty('secrets');
  });

  test('are sent as a whole under Exclusive, which drops undeclared secrets', () => {
    const observed = anObserved({ secrets: [{ name: 'A' }, { name: 'B' }] });
    const plan = planFor({ ...spec, secretsOwnership: 'Exclusive' }, observed, {
      secrets: secretsOf({ A: 'x' }),
    });
    expect(plan).toMatchObject({ kind: 'patch', body: { secrets: [{ name: 'A' }] } });
  });

  test('are not sent into a list that has never shown any', () => {
    const plan = planFor(spec, anObserved(), { secrets: secretsOf({ A: 'x' }), secretsListed: false });
    expect(plan).toMatchObject({ kind: 'nothing', reason: 'SecretVisibilityUnproven' });
  });

  test('are not sent while one of them is missing, and the rest continues', () => {
    const secrets: DesiredSecrets = { kind: 'missing', what: ['Secret agent-secrets'], values: new Map() };
    const plan = planFor({ ...spec, ...SPEC }, anObserved(), { secrets });
    expect(plan).toMatchObject({ kind: 'patch', withheld: [{ reason: 'SecretMissing' }] });
  });

  test('that disappeared from a list are sent again as a set', () => {
    const secrets = secretsOf({ A: 'x', B: 'y' });
    const both = anObserved({ secrets: [{ name: 'A' }, { name: 'B' }] });
    const status = settled(spec, both, secrets);
    const late = NOW_MS + 61_000;
    const plan = planFor(spec, masked, { secrets, status, beganMs: late, nowMs: late });
    expect(plan).toMatchObject({
      kind: 'patch',
      cause: 'drift',
      body: { secrets: [{ name: 'A' }, { name: 'B' }] },
    });
  });

  test('that a read within the window of the write omits do not count as deleted', () => {
    const secrets = secretsOf({ A: 'x', B: 'y' });
    const both = anObserved({ secrets: [{ name: 'A' }, { name: 'B' }] });
    const status = settled(spec, both, secrets);
    const early = NOW_MS + 59_000;
    expect(planFor(spec, masked, { secrets, status, beganMs: early, nowMs: early })).toMatchObject({
      kind: 'wait',
      reason: 'Sent',
    });
  });

  test('do not count as deleted if the list is empty right after they were sent', () => {
    const secrets = secretsOf({ A: 'x' });
    const status = settled({ ...spec, secretsOwnership: 'Exclusive' }, anObserved(), secrets);
    const plan = planFor({ ...spec, secretsOwnership: 'Exclusive' }, anObserved(), { secrets, status });
    expect(plan).toMatchObject({ kind: 'nothing', reason: 'InSync' });
  });
});

describe('a field that was ignored', () => {
  test('is sent once more after a read that began after the window, and not after a read within it', () => {
    const old = anObserved({
      sourceRevisionConfig: { fields: { imageURI: 'registry.example.com/agent:1.3' } },
    });
    const spec: Partial<DeploymentSpec> = { sourceRevisionConfig: SPEC.sourceRevisionConfig! };
    const written = settled(spec, old);
    const status = { ...written, applied: { ...written.applied!, fields: withoutBaselines(written) } };
    const [early, late] = [NOW_MS + 59_999, NOW_MS + 60_001];
    expect(planFor(spec, old, { status, beganMs: early, nowMs: late }).kind).toBe('wait');
    expect(planFor(spec, old, { status, beganMs: late, nowMs: late })).toMatchObject({
      kind: 'patch',
      cause: 'repair',
    });
  });

  test.each([
    ['repoURL', true],
    ['customURL', false],
  ])(
    'is sent by a repair with a whole body, which carries it anyway, if it may be immutable: %s',
    (name, isSent) => {
      const spec: Partial<DeploymentSpec> = { sourceConfig: { [name]: 'https://two.example.com' } };
      const at = (fields: JsonObject, graphConfigPath: string | null = 'graph.json'): ObservedDeployment =>
        anObserved({ sourceConfig: { fields }, sourceRevisionConfig: { fields: { graphConfigPath } } });
      const before = at({});
      const sent = settled(spec, at({ [name]: 'https://one.example.com' }));
      const status = { ...sent, lastPatch: { ...sent.lastPatch!, paths: ['sourceConfig.buildCommand'] } };
      const path = `sourceConfig.${name}`;
      const pathsIf = (lost: readonly string[]): readonly string[] | undefined => {
        const plan = planFor(spec, at({}, null), {
          ...{ status, listedPaths: new Set(), open: new Map([[path, 'ignored']]) },
          written: {
            ...{ before, listed: before, body: {}, endedMs: NOW_MS, dueMs: NOW_MS + 60_000 },
            effect: { lost, dropped: [] },
          },
        });
        return plan.kind === 'patch' ? plan.announcement.paths : undefined;
      };
      expect(pathsIf(['sourceRevisionConfig.graphConfigPath'])).toEqual(isSent ? [path] : []);
      expect(pathsIf([])).toBeUndefined();
    },
  );

  function withoutBaselines({ applied }: DeploymentStatus) {
    return (applied?.fields ?? []).map(({ path, a }) => ({ path, a }));
  }
});

test('a field lost to an earlier write stays reported, even if the answer is completed from another read', () => {
  const completed = anObserved({ ...LIVE, secrets: [{ name: 'BY_HAND' }] });
  const listed = anObserved({ ...LIVE, secrets: [] });
  const status = { ...settled(SPEC, LIVE), leftOut: ['secrets.BY_HAND'] };
  const spec = { ...SPEC, sourceConfig: { customURL: 'https://other.example.com' } };
  expect(planFor(spec, completed, { status, generation: 2, listed })).toMatchObject({
    kind: 'patch',
    announcement: { leftOut: expect.arrayContaining(['secrets.BY_HAND']) as unknown },
  });
});

describe('a lost digest key', () => {
  test('sends nothing if neither the spec nor its Secrets changed', () => {
    const secrets = secretsOf({ A: 'x' });
    const spec: Partial<DeploymentSpec> = { ...SPEC, secrets: [{ name: 'A', value: 'x' }] };
    const observed = anObserved({ ...LIVE, secrets: [{ name: 'A' }] });
    const status = settled(spec, observed, secrets);
    const plan = planFor(spec, observed, { secrets, status, digests: digestsWith('another') });
    expect(plan).toMatchObject({ kind: 'nothing', reason: 'InSync' });
  });
});

test('a redeploy is recognized by its text, regardless of the rest of its request', () => {
  const status = settled(SPEC, LIVE);
  const pendingWrite = {
    ...{
      operation: 'Patch' as const,
      bodyDigest: 'with an edit',
      paths: [],
      generation: 1,
      time: at(-120_000),
    },
    ...{ attempt: 1, redeploy: 'once' },
  };
  const attemptOf = (redeploy: string): number | undefined => {
    const annotations = { 'dms-operator.dev/redeploy': redeploy };
    const resource = aResource(SPEC, { status: { ...status, pendingWrite }, annotations });
    const { plan } = makePlan(aSituation(resource, LIVE, { secondRead: true }));
    return announced(resource, plan).pendingWrite?.attempt;
  };
  expect(attemptOf('once')).toBe(2);
  expect(attemptOf('once more')).toBe(1);
});

describe('an announced write', () => {
  const spec: Partial<DeploymentSpec> = { ...SPEC, secrets: [{ name: 'A', value: 'new' }] };
  const secrets = secretsOf({ A: 'new' });
  const before = anObserved({ ...LIVE, secrets: [{ name: 'A' }] });

  function pending(ageMs: number): DeploymentStatus {
    const applied = settled(spec, before, secretsOf({ A: 'old' }));
    // The window of the write before is over, so every revision of it has been seen.
    const status = { ...applied, lastPatch: { ...applied.lastPatch!, time: at(-600_000) } };
    const resource = aResource(spec, { status });
    const situation = aSituation(resource, before, { secrets, rotationSeenMs: NOW_MS - 10_000 });
    const { plan } = makePlan(situation);
    if (plan.kind !== 'patch') throw new Error('a PATCH was expected');
    return announcedStatus(resource, plan, digestsWith(), NOW_MS - ageMs);
  }

  test('is awaited while it could still be applied late', () => {
    expect(planFor(spec, before, { secrets, status: pending(5_000) })).toMatchObject({
      kind: 'wait',
      reason: 'OutcomeUnknown',
    });
  });

  test('counts as applied when a new revision appears that no push explains', () => {
    const after = anObserved({ ...before, latestRevisionID: 'rev-2' });
    expect(planFor(spec, after, { secrets, status: pending(5_000) })).toMatchObject({
      kind: 'nothing',
      reason: 'InSync',
    });
  });

  test('is not taken as applied when the write before it may have made the new revision', () => {
    const after = anObserved({ ...before, latestRevisionID: 'rev-2' });
    const status = pending(5_000);
    const recent = { ...status, lastPatch: { ...status.lastPatch!, time: at(-30_000) } };
    expect(planFor(spec, after, { secrets, status: recent }).kind).toBe('wait');
    const revisions = [{ id: 'rev-1', firstSeenTime: at(-29_000), cause: 'Operator' as const }];
    expect(planFor(spec, after, { secrets, status: { ...recent, revisions } })).toMatchObject({
      kind: 'nothing',
      reason: 'InSync',
    });
  });

  test('is not taken as applied when a push made the new revision', () => {
    const after = anObserved({
      ...before,
      latestRevisionID: 'rev-2',
      sourceRevisionConfig: { ...before.sourceRevisionConfig!, repoCommitSHA: 'c'.repeat(40) },
    });
    expect(planFor(spec, after, { secrets, status: pending(5_000) }).kind).toBe('wait');
  });

  test('is sent once more after two reads that do not prove it', () => {
    const status = pending(61_000);
    expect(planFor(spec, before, { secrets, status }).kind).toBe('wait');
    expect(planFor(spec, before, { secrets, status, secondRead: true })).toMatchObject({
      kind: 'patch',
      announcement: { paths: ['secrets'] },
    });
  });

  test('rests on the revision of the first read if a replica that lags answers the second', () => {
    const status = pending(61_000);
    const [known] = status.revisions ?? [];
    expect(known?.id).toBe(before.latestRevisionID);
    const baseOf = (latestRevisionID: string, observed = before): unknown => {
      const earlier = anObserved({ ...before, latestRevisionID });
      const plan = planFor(spec, observed, { secrets, status, secondRead: true, earlier });
      return plan.kind === 'patch' ? plan.announcement.baseRevisionID : plan.kind;
    };
    expect(baseOf('rev-2')).toBe('rev-2');
    expect(baseOf(known!.id)).toBe(known!.id);
    expect(baseOf('rev-2', anObserved({ ...before, latestRevisionID: 'rev-3' }))).not.toBe('rev-2');
  });
});

test('an announcement names no more omitted fields than the status may hold', () => {
  const leftOut = Array.from({ length: 64 }, (_, at) => `secrets.S${at}`);
  const status = { ...settled(SPEC, LIVE), leftOut };
  const edited = { ...SPEC, sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1.5' } };
  const plan = planFor(edited, LIVE, { status, generation: 2, listed: LIVE });
  const named = plan.kind === 'patch' ? plan.announcement.leftOut : [];
  expect(named).toHaveLength(64);
  expect(named[0]).toBe('sourceConfig.customURL');
});

describe('a missing deployment', () => {
  const absent = { kind: 'absent', proven: true, beganMs: NOW_MS } as const;

  test('is NotFound if the spec does not allow its creation', () => {
    expect(planFor(SPEC, LIVE, { observation: absent })).toMatchObject({
      kind: 'blocked',
      reason: 'NotFound',
    });
  });

  test('is created on request', () => {
    const plan = planFor({ ...SPEC, creation: { policy: 'IfMissing' } }, LIVE, { observation: absent });
    expect(plan).toMatchObject({
      kind: 'create',
      body: { name: 'support-agent', source: 'external_container', secrets: [] },
    });
  });

  test('is looked for again before it counts as gone', () => {
    const status = settled(SPEC, LIVE);
    expect(planFor(SPEC, LIVE, { status, observation: absent })).toMatchObject({
      kind: 'wait',
      reason: 'NotVisibleYet',
    });
  });

  test('blocks if several deployments have its name', () => {
    const observation = { kind: 'ambiguous', ids: ['a', 'b'], beganMs: NOW_MS } as const;
    expect(planFor(SPEC, LIVE, { observation })).toMatchObject({ kind: 'blocked', reason: 'AmbiguousName' });
  });

  test('releases a resource in deletion', () => {
    const plan = planFor({ deletionPolicy: 'Delete' }, LIVE, {
      observation: absent,
      deleting: true,
      status: { deploymentID: ID, missingSinceTime: at(-30_000) },
    });
    expect(plan.kind).toBe('release');
  });
});

describe('a whole body beside a value that may be shown as before our last write', () => {
  const older = anObserved({
    ...LIVE,
    sourceConfig: { fields: { customURL: 'https://older.example.com' }, resourceSpec: null },
  });
  const lastPatch = { time: at(-20_000), outcome: 'Verified', paths: ['sourceConfig.customURL'] } as const;
  const edited = { ...SPEC, sourceConfig: { ...SPEC.sourceConfig, buildOnPush: true } };
  const planOf = (patchBodies: 'Full' | 'Partial', lastMs: number): Plan => {
    const status = { ...settled(SPEC, LIVE), lastPatch: { ...lastPatch, time: at(lastMs) } };
    return planFor(edited, older, { status, generation: 2, settings: someSettings({ patchBodies }) });
  };

  test('waits for another read, since it would revert that write', () => {
    expect(planOf('Full', -20_000)).toMatchObject({ kind: 'wait', reason: 'Pending' });
  });

  test('is sent once reads show our last write, and at once if it repeats nothing', () => {
    expect(planOf('Full', -600_000).kind).toBe('patch');
    expect(planOf('Partial', -20_000).kind).toBe('patch');
  });
});
