import { describe, expect, test } from 'vitest';
import type { SyncedReason } from '../../../src/api/condition.ts';
import type { Change } from '../../../src/model/compare/change.ts';
import { makePlan } from '../../../src/model/decide/make-plan.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { countsOf, isHeld, summaryOf, verdictOf } from '../../../src/views/plans/plan-summary.ts';
import { failedView, planView } from '../../../src/views/plans/plan-view.ts';
import type { Memory, PlanView } from '../../../src/views/plans/planned-resource.ts';
import { anObserved, aResource, aSituation, at, secretsOf } from '../../support/resources/builders.ts';

const CHANGE: Change = {
  path: 'sourceRevisionConfig.imageURI',
  from: 'a:1',
  to: 'a:2',
  revision: 'Expected',
};

const early = (plan: Plan): PlanView => planView(plan, undefined, 'whole');

function wait(reason: SyncedReason, more: { changes?: readonly Change[]; hash?: string } = {}): PlanView {
  return early({ kind: 'wait', reason, message: 'm', ...more });
}

describe('a plan as people read it', () => {
  test.each<[string, PlanView, PlanView['action'], boolean]>([
    ['paused', early({ kind: 'held', message: 'm' }), 'Held', false],
    ['blocked', early({ kind: 'blocked', reason: 'NotFound', message: 'm' }), 'Held', false],
    ['to be released', early({ kind: 'release', message: 'm' }), 'Release', false],
    ['to be deleted', early({ kind: 'delete', id: 'd-1' }), 'Delete', true],
    ['of a shared deployment', early({ kind: 'postponed', againInMs: 1, rotation: false }), 'Held', false],
    ['waiting for a rollout', wait('Pending', { changes: [CHANGE] }), 'Wait', true],
    ['waiting for a sent write', wait('Sent', { changes: [CHANGE] }), 'Wait', false],
    [
      'waiting for a sent write, and changed by another client since',
      wait('Sent', { changes: [{ ...CHANGE, drift: true }] }),
      'Wait',
      true,
    ],
    ['waiting for a person', wait('AwaitingApproval', { changes: [CHANGE], hash: 'h' }), 'Approve', true],
    ['waiting for a missing object', wait('SecretMissing'), 'Held', false],
    ['unclear', wait('OutcomeUnknown'), 'Held', false],
    ['unreadable', failedView('m'), 'Error', false],
  ])('is of one action where a resource is %s', (_, view, action, sends) => {
    expect([view.action, view.sends]).toEqual([action, sends]);
  });

  test('has the severity of its most severe change', () => {
    const [changes, held] = [early({ kind: 'delete', id: 'd-1' }), wait('SecretMissing')];
    const nothing = wait('Sent');
    expect(verdictOf([nothing])).toBe('nothing');
    expect(verdictOf([nothing, changes])).toBe('changes');
    expect(verdictOf([nothing, changes, held])).toBe('held');
    const withheld = { path: 'secrets', reason: 'SecretMissing', message: 'm' } as const;
    expect(isHeld({ ...changes, withheld: [withheld] })).toBe(true);
    expect(countsOf([nothing, changes, held])).toMatchObject({
      resources: 3,
      wait: 1,
      delete: 1,
      held: 1,
      create: 0,
    });
    expect(summaryOf([nothing, changes, held])).toBe('1 to delete, 1 waiting, 1 held');
    expect(summaryOf([])).toBe('no resources');
  });

  test('contains no hash made without the key of the controller', () => {
    const plan: Plan = { kind: 'wait', reason: 'AwaitingApproval', message: 'approve h', hash: 'h' };
    expect(planView(plan, undefined, 'whole').approval).toBe('h');
    const view = planView(plan, undefined, 'none');
    expect([view.approval, view.message.includes('approve h')]).toEqual([undefined, false]);
  });
});

describe('unknown changes', () => {
  const image = { imageURI: 'a:2' };

  function viewOf(spec: object, memory: Memory): PlanView {
    const resource = aResource({ sourceRevisionConfig: image, ...spec });
    const observed = anObserved({ sourceRevisionConfig: { fields: { imageURI: 'a:2' } } });
    const secrets = 'secrets' in spec ? { secrets: secretsOf({ TOKEN: 'the-token' }) } : {};
    const situation = aSituation(resource, observed, secrets);
    const decided = makePlan(situation);
    return planView(decided.plan, { ...decided, situation }, memory);
  }

  const SECRETS = { secrets: [{ name: 'TOKEN', value: 'the-token' }] };

  test('include secrets if only a controller has the key: they are not a change', () => {
    expect(viewOf(SECRETS, 'whole')).toMatchObject({ action: 'Update', unknown: [] });
    const view = viewOf(SECRETS, 'paths only');
    expect(view).toMatchObject({ action: 'None', sends: false, changes: [], withheld: [] });
    expect(view.unknown.map(({ path }) => path)).toEqual(['secrets']);
  });

  test('are secrets without a record of earlier writes: they are sent anyway, as with apply', () => {
    const view = viewOf(SECRETS, 'none');
    expect(view).toMatchObject({ action: 'Update', sends: true, unknown: [{ path: 'secrets' }] });
  });

  test('are hidden fields: a change without any record, none if a controller knows', () => {
    const spec = { sourceConfig: { buildOnPush: true } };
    const path = 'sourceConfig.buildOnPush';
    expect(viewOf(spec, 'whole').unknown).toEqual([]);
    expect(viewOf(spec, 'none')).toMatchObject({
      action: 'Update',
      changes: [{ path }],
      unknown: [{ path }],
    });
    expect(viewOf(spec, 'paths only')).toMatchObject({ action: 'None', changes: [], unknown: [{ path }] });
  });
});

describe('the expected revision', () => {
  function revisionOf(spec: object, annotations?: Readonly<Record<string, string>>, learned = {}): unknown {
    const status = { applied: { generation: 1, key: 'v1:testkey', fields: [], secrets: {} } };
    const about = annotations === undefined ? {} : { annotations, status: status as never };
    const resource = aResource({ sourceRevisionConfig: { imageURI: 'a:1' }, ...spec }, about);
    const observed = anObserved({ sourceRevisionConfig: { fields: { imageURI: 'a:1' } } });
    const situation = aSituation(resource, observed, { learned });
    const decided = makePlan(situation);
    return planView(decided.plan, { ...decided, situation }, 'whole').revision?.expected;
  }

  test('depends on the request, and on the observed behaviour of the service', () => {
    expect(revisionOf({ sourceRevisionConfig: { imageURI: 'a:2' } })).toBe('Expected');
    expect(revisionOf({ sourceConfig: { resourceSpec: { cpu: 1 } } })).toBe('Possible');
    expect(revisionOf({ sourceConfig: { buildOnPush: true } })).toBe('None');
    expect(revisionOf({}, { 'dms-operator.dev/redeploy': '1' })).toBe('Expected');
    const replaces = { omittedFields: { verdict: 'Replace', count: 1, time: at(0) } };
    expect(revisionOf({ sourceConfig: { buildOnPush: true } }, undefined, replaces)).toBe('Possible');
    expect(revisionOf({})).toBeUndefined();
  });
});
