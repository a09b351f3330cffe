import { describe, expect, test } from 'vitest';
import { SYNCED_REASONS } from '../../../src/api/condition.ts';
import type { DeploymentResource, DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import { announcedStatus } from '../../../src/model/status/announced-status.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import type { Outcome } from '../../../src/model/outcome/outcome.ts';
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
} from '../../support/resources/builders.ts';

const SPEC: Partial<DeploymentSpec> = { sourceRevisionConfig: { imageURI: 'agent:2' } };
const image = (uri: string): Partial<ObservedDeployment> => ({
  sourceRevisionConfig: { fields: { imageURI: uri } },
});
const OLD = anObserved(image('agent:1'));
const NEW = anObserved({ ...image('agent:2'), latestRevisionID: 'rev-2', activeRevisionID: 'rev-1' });
const DONE = anObserved({ ...image('agent:2'), latestRevisionID: 'rev-2', activeRevisionID: 'rev-2' });

function answered(deployment: ObservedDeployment, lost: readonly string[] = []): Outcome {
  return { kind: 'applied', answer: { kind: 'shown', deployment, beganMs: NOW_MS }, open: lost };
}

function failed(how: Extract<Outcome, { kind: 'failed' }>['failure']): Outcome {
  return { kind: 'failed', failure: how, message: 'no luck' };
}

interface Row {
  readonly name: string;
  readonly because: string;
  readonly resource?: DeploymentResource;
  readonly observed?: ObservedDeployment;
  readonly outcome: Outcome;
  /** True if this pass announced a write. */
  readonly announces?: boolean;
  readonly want: { readonly synced: string; readonly ready: string; readonly status?: object };
}

const ROWS: readonly Row[] = [
  {
    name: 'an answer that shows what was sent',
    because: 'only the rollout remains',
    observed: OLD,
    announces: true,
    outcome: answered(NEW),
    want: {
      synced: 'True InSync',
      ready: 'False RolloutInProgress',
      status: {
        deploymentID: ID,
        latestRevisionID: 'rev-2',
        activeRevisionID: 'rev-1',
        rolloutStartedTime: at(0),
        lastPatch: { outcome: 'Applied', revisionID: 'rev-2' },
        revisions: [
          { id: 'rev-2', cause: 'Operator', generation: 1, imageURI: 'agent:2' },
          { id: 'rev-1', cause: 'Unknown', imageURI: 'agent:1' },
        ],
      },
    },
  },
  {
    name: 'an answer that shows the state before',
    because: 'a later read must show the write',
    observed: OLD,
    announces: true,
    outcome: answered(OLD),
    want: { synced: 'Unknown Sent', ready: 'Unknown Sent', status: { lastPatch: { outcome: 'Applied' } } },
  },
  {
    name: 'an answer without a deployment',
    because: 'the announcement stays, to be verified',
    observed: OLD,
    announces: true,
    outcome: { kind: 'applied', answer: { kind: 'unclear', why: '204' }, open: [] },
    want: {
      synced: 'Unknown Sent',
      ready: 'Unknown Sent',
      status: { pendingWrite: { operation: 'Patch', paths: ['sourceRevisionConfig.imageURI'] } },
    },
  },
  {
    name: 'an answer that shows an emptied field',
    because: 'the write is not complete until the field is restored',
    observed: OLD,
    announces: true,
    outcome: answered(NEW, ['secrets']),
    want: { synced: 'Unknown Sent', ready: 'Unknown Sent' },
  },
  {
    name: 'no answer',
    because: 'the announcement stays, to be verified',
    observed: OLD,
    announces: true,
    outcome: failed({ kind: 'transient', reason: 'OutcomeUnknown', sent: 'perhaps' }),
    want: {
      synced: 'Unknown OutcomeUnknown',
      ready: 'Unknown OutcomeUnknown',
      status: { pendingWrite: { operation: 'Patch' }, budget: { sends: [at(0)] } },
    },
  },
  {
    name: 'a refusal',
    because: 'it made no revision, and the same request waits',
    observed: OLD,
    announces: true,
    outcome: failed({ kind: 'terminal', reason: 'Rejected', sent: 'no', status: 422 }),
    want: {
      synced: 'False Rejected',
      ready: 'False Rejected',
      status: { lastPatch: { outcome: 'Refused' } },
    },
  },
  {
    name: 'a bug',
    because: 'people see that it is retried',
    observed: OLD,
    outcome: failed({ kind: 'bug', error: new Error('oops') }),
    want: { synced: 'Unknown Retrying', ready: 'Unknown Retrying' },
  },
  {
    name: 'no difference',
    because: 'Ready follows the revision',
    observed: DONE,
    outcome: { kind: 'settled', reason: 'InSync', message: '' },
    want: { synced: 'True InSync', ready: 'True Active' },
  },
  {
    name: 'a withheld field',
    because: 'it is declared and not applied',
    observed: DONE,
    outcome: { kind: 'settled', reason: 'UnmanagedSecretsPresent', message: '' },
    want: { synced: 'False UnmanagedSecretsPresent', ready: 'False UnmanagedSecretsPresent' },
  },
];

describe('the status after a pass', () => {
  test.each(ROWS)('$name: $because', (row) => {
    const { want } = row;
    const after = statusAfter(row);
    expect([conditionOf(after, 'Synced'), conditionOf(after, 'Ready')]).toEqual([want.synced, want.ready]);
    expect(after).toMatchObject(want.status ?? {});
  });

  test.each(ROWS)('$name: shows at most one of the two conditions for required human action', (row) => {
    const types = statusAfter(row).conditions?.map(({ type }) => type) ?? [];
    expect(types.includes('Stalled') && types.includes('Reconciling')).toBe(false);
  });

  test.each([
    { name: 'an answer', row: 0, gone: true },
    { name: 'an answer without a deployment', row: 2, gone: false },
    { name: 'no answer', row: 4, gone: false },
    { name: 'a refusal', row: 5, gone: true },
  ])('$name ends the announcement: $gone', ({ row, gone }) => {
    expect(statusAfter(ROWS[row] as Row).pendingWrite === undefined).toBe(gone);
  });

  test('is unchanged if nothing changed, so that no write happens at rest', () => {
    const rest = ROWS[7] as Row;
    const status = statusAfter(rest);
    expect(statusAfter({ ...rest, resource: aResource(SPEC, { status }) }, NOW_MS + 60_000)).toEqual(status);
  });

  test('counts a corrected value no more if a list shows it, also after the refusal of another one', () => {
    const path = 'sourceConfig.customURL';
    const url = 'https://a.example.com';
    const times = [at(-600)];
    const same = [{ path, digest: 'sent', count: 1 }];
    const resource = aResource(
      { ...SPEC, sourceConfig: { customURL: url } },
      { status: { budget: { sends: [], drift: [{ path, times }], same } } },
    );
    const shows = anObserved({ ...image('agent:1'), sourceConfig: { fields: { customURL: url } } });
    const refused = statusAfter({ ...(ROWS[5] as Row), resource, observed: shows });
    expect(refused.budget).toEqual({ sends: [], drift: [{ path, times }], same: [] });
    const hidden = anObserved({ ...image('agent:1'), sourceConfig: { fields: {} } });
    expect(statusAfter({ ...(ROWS[5] as Row), resource, observed: hidden }).budget?.same).toEqual(same);
  });

  test('has no members without a value', () => {
    expect(Object.values(statusAfter(ROWS[7] as Row))).not.toContain(undefined);
  });

  test('keeps its generation during a hold, and reports no more than that', () => {
    const status = statusAfter(ROWS[7] as Row);
    const resource = aResource(SPEC, { status, generation: 2 });
    const held = nextStatus({
      resource,
      current: status,
      outcome: { kind: 'held', message: 'paused' },
      nowMs: NOW_MS,
    });
    expect([conditionOf(held, 'Synced'), conditionOf(held, 'Ready')]).toEqual([
      'Unknown Paused',
      'True Active',
    ]);
    expect({ ...held, conditions: [] }).toEqual({ ...status, conditions: [] });
  });

  test('shows no later generation than that of the resource, as after a restore, which begins at 1 again', () => {
    const status: DeploymentStatus = { observedGeneration: 3 };
    const resource = aResource(SPEC, { status, generation: 2 });
    expect(statusAfter({ ...(ROWS[7] as Row), resource }).observedGeneration).toBe(2);
  });

  test('shows unsent changes, and only the length of a list or map', () => {
    const resourceSpec = { cpu: 2, labels: { a: 'b' } };
    const resource = aResource({ managementPolicy: 'Observe', sourceConfig: { resourceSpec } });
    const outcome: Outcome = { kind: 'settled', reason: 'Differs', message: '' };
    const { plan } = statusAfter({ ...(ROWS[7] as Row), resource, outcome });
    expect(plan).toMatchObject({ changesOmitted: 0, changes: [{ to: '2' }, { to: 'changed (1 item)' }] });
  });

  test('of a dry run is not Ready for a generation that was not sent (K1)', () => {
    const resource = aResource(SPEC, { generation: 2 });
    const outcome: Outcome = { kind: 'settled', reason: 'Differs', message: '' };
    const before = statusAfter({ ...(ROWS[7] as Row), resource: aResource(SPEC), observed: DONE });
    expect(conditionOf(before, 'Ready')).toBe('True Active');
    const edited = { ...resource, spec: { ...resource.spec, sourceRevisionConfig: { imageURI: 'agent:3' } } };
    const status = statusAfter({
      ...(ROWS[7] as Row),
      resource: { ...edited, status: before },
      observed: DONE,
      outcome,
    });
    expect(conditionOf(status, 'Synced')).toBe('False Differs');
    expect(conditionOf(status, 'Ready')).toBe('Unknown Differs');
  });

  test('names the fields that the answer to another write also omits, if lists show the field', () => {
    const url = { sourceConfig: { customURL: 'https://a.example.com' } };
    const shown = { sourceConfig: { fields: {} } };
    const first = statusAfter({
      ...(ROWS[0] as Row),
      resource: aResource(url),
      observed: anObserved(shown),
      outcome: answered(anObserved(shown)),
    });
    expect(conditionOf(first, 'Synced')).toBe('Unknown Sent');
    const edited = aResource({ ...url, ...SPEC }, { status: first, generation: 2 });
    const second = statusAfter({
      ...(ROWS[0] as Row),
      resource: edited,
      observed: anObserved({ ...shown, ...image('agent:1') }),
      outcome: answered(anObserved({ ...shown, ...image('agent:2') })),
    });
    expect(conditionOf(second, 'Synced')).toBe('Unknown Sent');
  });

  test.each(SYNCED_REASONS.filter((reason) => reason !== 'InSync'))(
    'with reason %s is not Ready for a generation that was not applied, regardless of duration (K1)',
    (reason) => {
      const done = { ...(ROWS[7] as Row), observed: DONE };
      let status = statusAfter({ ...done, resource: aResource(SPEC) });
      expect([conditionOf(status, 'Ready'), status.applied?.generation]).toEqual(['True Active', 1]);
      const edited: Partial<DeploymentSpec> = { sourceRevisionConfig: { imageURI: 'agent:3' } };
      for (const afterMs of [1_000, 60_000, 299_000, 301_000]) {
        const resource = aResource(edited, { generation: 2, status });
        status = statusAfter(
          { ...done, resource, outcome: { kind: 'settled', reason, message: '' } },
          NOW_MS + afterMs,
        );
        expect(conditionOf(status, 'Ready'), `${afterMs} ms later`).not.toContain('True');
      }
    },
  );

  test('counts a redeploy in the first spec as done', () => {
    const resource = aResource(SPEC, { annotations: { 'dms-operator.dev/redeploy': 'now' } });
    const after = statusAfter({ ...(ROWS[7] as Row), resource });
    expect(after.lastHandledRedeploy).toBe('now');
  });
});

function conditionOf({ conditions }: DeploymentStatus, type: string): string {
  const found = conditions?.find((condition) => condition.type === type);
  return `${found?.status} ${found?.reason}`;
}

function statusAfter(row: Row, nowMs = NOW_MS): DeploymentStatus {
  const { resource = aResource(SPEC), observed = DONE, outcome, announces = false } = row;
  const situation = aSituation(resource, observed, { nowMs, beganMs: nowMs });
  const decided = makePlan(situation);
  const before = resource.status ?? {};
  if (!announces) return nextStatus({ resource, current: before, situation, decided, outcome, nowMs });
  if (decided.plan.kind !== 'patch') throw new Error(`no PATCH was planned, but ${decided.plan.kind}`);
  const current = announcedStatus(resource, decided.plan, digestsWith(), nowMs);
  return nextStatus({ resource, current, situation, decided, outcome, nowMs });
}
