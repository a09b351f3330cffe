import { describe, expect, it } from 'vitest';
import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentResource, DeploymentStatus } from '../../../src/api/deployment.ts';
import { keyOf } from '../../../src/api/metadata.ts';
import { ApplyOversight } from '../../../src/compose/apply/apply-oversight.ts';
import { conditionsFor } from '../../../src/model/status/conditions-for.ts';
import type { SyncedReason } from '../../../src/api/condition.ts';
import type { Requeue } from '../../../src/model/outcome/outcome.ts';
import { makePlan } from '../../../src/model/decide/make-plan.ts';
import { anObserved, aResource, aSituation, at, NOW_MS } from '../../support/resources/builders.ts';

/** A decision to send something. The oversight only shows its content. */
const SITUATION = aSituation(aResource({ sourceRevisionConfig: { imageURI: 'agent:2' } }), anObserved());
const DECISION = { ...makePlan(SITUATION), situation: SITUATION };
const ASKED = { askedPerson: true };

const AT_REST: Requeue = { kind: 'after', ms: 600_000, priority: 'resync' };
const SOON: Requeue = { kind: 'after', ms: 1_000, priority: 'user' };

const answered = (requeue: Requeue) => ({ kind: 'answered', requeue }) as const;

function statusOf(reason: SyncedReason): DeploymentStatus {
  const facts = {
    reason,
    message: 'a text',
    rollout: undefined,
    generation: 1,
    carriedOut: true,
    nowMs: NOW_MS,
  };
  return { conditions: conditionsFor(undefined, facts) };
}

function named(name: string, status: DeploymentStatus = {}): DeploymentResource {
  const resource = aResource({}, { status });
  return { ...resource, metadata: { ...resource.metadata, name } };
}

/** Creates an oversight over resources that a test can replace. */
function over(first: readonly DeploymentResource[], yes = false) {
  const world = { resources: first, connections: [] as readonly ConnectionResource[] };
  const oversight = new ApplyOversight(
    { list: () => world.resources, listConnections: () => world.connections },
    { goal: 'synced', yes, sendSecrets: false, hashes: { digest: (text) => text } },
    () => undefined,
  );
  return { world, oversight };
}

describe('the question to a person before an apply', () => {
  it('is asked when the effect on every resource is known', () => {
    const [made, changed, quiet] = [named('made'), named('changed'), named('quiet', statusOf('InSync'))];
    const { oversight } = over([made, changed, quiet]);
    expect(oversight.gate.holdsBack(made, 'create', DECISION)).toMatchObject({ kind: 'postponed' });
    oversight.onPass(keyOf(made), answered(SOON));
    expect(oversight.gate.holdsBack(changed, 'patch', DECISION)).toMatchObject({ kind: 'postponed' });
    oversight.onPass(keyOf(changed), answered(SOON));
    expect(oversight.plan()).toBeUndefined();
    oversight.onPass(keyOf(quiet), answered(AT_REST));
    expect(oversight.plan()?.questions).toEqual([
      { key: keyOf(made), operation: 'create' },
      { key: keyOf(changed), operation: 'patch' },
    ]);
    expect(oversight.plan()?.resources.map(({ name, action }) => `${name} ${action}`)).toEqual([
      ...['made Update', 'changed Update', 'quiet None'],
    ]);
    expect(oversight.open(ASKED)).toEqual([keyOf(made), keyOf(changed)]);
    expect(oversight.gate.holdsBack(made, 'create', DECISION)).toBeUndefined();
    expect(oversight.gate.holdsBack(changed, 'patch', DECISION)).toBeUndefined();
  });

  it('waits while a look fails, or does not show yet whether a deployment exists', () => {
    const { oversight, world } = over([named('a', statusOf('InSync'))]);
    const key = keyOf(named('a'));
    oversight.onPass(key, answered({ kind: 'backoff' }));
    expect(oversight.plan()).toBeUndefined();
    world.resources = [named('a', statusOf('NotVisibleYet'))];
    oversight.onPass(key, answered(AT_REST));
    expect(oversight.plan()).toBeUndefined();
  });

  it('does not cover a write that was announced before: the apply continues that write', () => {
    const pendingWrite = { operation: 'Create', time: at(0), attempt: 1 } as DeploymentStatus['pendingWrite'];
    const begun = named('begun', { ...statusOf('CreatePending'), ...(pendingWrite && { pendingWrite }) });
    const { oversight } = over([begun]);
    oversight.onPass(keyOf(begun), answered(AT_REST));
    expect(oversight.plan()?.questions).toEqual([]);
    oversight.open(ASKED);
    expect(oversight.gate.holdsBack(begun, 'create', DECISION)).toBeUndefined();
    expect(oversight.gate.holdsBack(begun, 'delete', DECISION)).toMatchObject({ reason: 'AwaitingApproval' });
  });

  it('keeps back an operation that was unknown when the question was asked', () => {
    const late = named('late', statusOf('InSync'));
    const { oversight } = over([late]);
    oversight.onPass(keyOf(late), answered(AT_REST));
    oversight.open({ askedPerson: false });
    expect(oversight.gate.holdsBack(late, 'patch', DECISION)).toBeUndefined();
    expect(oversight.gate.holdsBack(late, 'create', DECISION)).toMatchObject({ kind: 'waiting' });
  });

  it('keeps back a change that was not shown to the person', () => {
    const late = named('late', statusOf('InSync'));
    const { oversight } = over([late]);
    oversight.onPass(keyOf(late), answered(AT_REST));
    oversight.open(ASKED);
    expect(oversight.gate.holdsBack(late, 'patch', DECISION)).toMatchObject({ kind: 'waiting' });
  });

  it('does not wait for undecided resources if the user said yes in advance', () => {
    const { oversight } = over([named('a')], true);
    expect(oversight.plan()).toBeUndefined();
    oversight.onPass(keyOf(named('a')), answered({ kind: 'backoff' }));
    expect(oversight.plan()?.questions).toEqual([]);
    oversight.open({ askedPerson: false });
    expect(oversight.gate.holdsBack(named('a'), 'delete', DECISION)).toBeUndefined();
  });
});

describe('the standing of a resource in an apply', () => {
  const kinds = (oversight: ApplyOversight): readonly string[] =>
    oversight.standings().map(({ standing }) => `${standing.kind} ${standing.reason}`);

  it('does not come from an earlier status', () => {
    const a = named('a', statusOf('InSync'));
    const { oversight, world } = over([a]);
    expect(kinds(oversight)).toEqual(['waiting Pending']);
    oversight.onPass(keyOf(a), answered(SOON));
    expect(kinds(oversight)).toEqual(['waiting Pending']);
    oversight.onPass(keyOf(a), answered(AT_REST));
    expect(kinds(oversight)).toEqual(['settled InSync']);
    world.resources = [];
    expect(kinds(oversight)).toEqual(['settled Released']);
  });

  it('is a failure if the service never answered, and a wait if it did', () => {
    const a = named('a', statusOf('ConnectionNotReady'));
    const { oversight, world } = over([a]);
    const connection = (reason: string): ConnectionResource => ({
      apiVersion: a.apiVersion,
      kind: 'Connection',
      metadata: { name: 'default', namespace: 'team-a' },
      spec: { baseURL: 'https://deploy.example.com' },
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason,
            message: '',
            observedGeneration: 1,
            lastTransitionTime: '',
          },
        ],
      },
    });
    const seen = (reason: string): void => {
      world.connections = [connection(reason)];
      oversight.onPass(keyOf(connection(reason)), answered(AT_REST));
    };
    oversight.onPass(keyOf(a), answered(AT_REST));
    seen('RateLimited');
    expect(kinds(oversight)).toEqual(['waiting ConnectionNotReady']);
    seen('Unreachable');
    expect(kinds(oversight)).toEqual(['failed ConnectionNotReady']);
    seen('Ok');
    seen('Unreachable');
    expect(kinds(oversight)).toEqual(['waiting ConnectionNotReady']);
  });
});
