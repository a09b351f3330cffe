import { describe, expect, test } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import type { Observation } from '../../../src/model/external/observation.ts';
import { makePlan } from '../../../src/model/decide/make-plan.ts';
import { nextStatus } from '../../../src/model/status/next-status.ts';
import {
  aResource,
  anObserved,
  aSituation,
  ID,
  NOW_MS,
  someSettings,
  at,
} from '../../support/resources/builders.ts';

const SHARED = { kind: 'ClusterConnection', namespace: '', name: 'shared' } as const;
const OF_NAMESPACE = someSettings({ name: SHARED, allowedNames: ['{namespace}-*', 'demo'] });

const here = (name: string): Observation => ({
  kind: 'present',
  deployment: anObserved({ name }),
  beganMs: NOW_MS,
  via: 'list',
});
const ABSENT: Observation = { kind: 'absent', proven: true, beganMs: NOW_MS };
const SEVERAL: Observation = { kind: 'ambiguous', ids: [ID, 'another'], beganMs: NOW_MS };

function planOn(resource: DeploymentResource, observation: Observation, settings = OF_NAMESPACE) {
  return makePlan(aSituation(resource, anObserved(), { observation, settings })).plan;
}

const called = (name: string) => aResource({ deploymentRef: { name } });
const missing = (name: string) => aResource({ deploymentRef: { name }, creation: { policy: 'IfMissing' } });
const identified = aResource({ deploymentRef: { id: ID } });
const deleting = (name: string) =>
  aResource(
    { deploymentRef: { name }, deletionPolicy: 'Delete' },
    { deleting: true, status: { deploymentID: ID, missingSinceTime: at(-60_000) } },
  );

describe('a connection that allows only some names', () => {
  test.each<[string, DeploymentResource, Observation, string]>([
    ['binds by a name that it allows', called('team-a-agent'), here('team-a-agent'), 'nothing InSync'],
    ['binds by another name that it allows', called('demo'), here('demo'), 'nothing InSync'],
    ['does not bind by any other', called('team-b-agent'), here('team-b-agent'), 'blocked NameNotAllowed'],
    [
      'does not adopt the name of the resource either',
      aResource(),
      here('support-agent'),
      'blocked NameNotAllowed',
    ],
    ['binds by the id of a name that it allows', identified, here('team-a-agent'), 'nothing InSync'],
    ['does not bind by the id of any other', identified, here('team-b-agent'), 'blocked NameNotAllowed'],
    ['creates an allowed name', missing('team-a-agent'), ABSENT, 'create -'],
    ['creates no other name', missing('team-b-agent'), ABSENT, 'blocked NameNotAllowed'],
    ['reports that an allowed name is missing', called('team-a-agent'), ABSENT, 'blocked NotFound'],
    ['does not report that for another name', called('team-b-agent'), ABSENT, 'blocked NameNotAllowed'],
    [
      'does not reveal the number of deployments with another name',
      called('team-b-agent'),
      SEVERAL,
      'blocked NameNotAllowed',
    ],
    ['deletes an allowed name', deleting('team-a-agent'), here('team-a-agent'), 'delete -'],
    ['deletes no other name', deleting('team-a-agent'), here('team-b-agent'), 'blocked NameNotAllowed'],
    ['releases a deleted deployment, regardless of its name', deleting('team-b-agent'), ABSENT, 'release -'],
  ])('%s', (_, resource, observation, expected) => {
    const plan = planOn(resource, observation);
    expect(`${plan.kind} ${'reason' in plan ? plan.reason : '-'}`).toBe(expected);
  });

  test('allows nothing with an empty list, and everything without a list', () => {
    const none = someSettings({ name: SHARED, allowedNames: [] });
    const any = someSettings({ name: SHARED });
    expect(planOn(called('demo'), here('demo'), none)).toMatchObject({
      reason: 'NameNotAllowed',
      message: expect.stringContaining('allows namespace team-a nothing') as string,
    });
    expect(planOn(called('demo'), here('demo'), any).kind).toBe('nothing');
  });

  test('reports the allowed names, and not the name of the deployment with an id', () => {
    expect(planOn(called('team-b-agent'), here('team-b-agent'))).toMatchObject({
      message:
        'team-b-agent may not be bound through ClusterConnection shared, which allows namespace team-a {namespace}-*, demo',
    });
    const plan = planOn(identified, here('team-b-secret-project'));
    expect(JSON.stringify(plan)).not.toContain('secret-project');
  });

  test('exposes nothing of a deployment that it does not allow, in any part of the status', () => {
    const situation = aSituation(identified, anObserved({ name: 'team-b-agent' }), {
      settings: OF_NAMESPACE,
    });
    const decided = makePlan(situation);
    if (decided.plan.kind !== 'blocked') throw new Error(`${decided.plan.kind} was not expected`);
    const { reason, message } = decided.plan;
    const outcome = { kind: 'settled', reason, message } as const;
    const status = nextStatus({
      resource: identified,
      current: {},
      situation,
      decided,
      outcome,
      nowMs: NOW_MS,
    });
    expect(Object.keys(status).toSorted()).toEqual(['conditions', 'observedGeneration']);
    const seen = status.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
    expect(seen).toEqual([
      'Ready Unknown NameNotAllowed',
      'Synced False NameNotAllowed',
      'Stalled True NameNotAllowed',
    ]);
  });
});
