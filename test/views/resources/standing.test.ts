import { describe, expect, test } from 'vitest';
import type { Condition, Reason, SyncedReason } from '../../../src/api/condition.ts';
import { SYNCED_REASONS } from '../../../src/api/condition.ts';
import type { ConnectionResource } from '../../../src/api/connection.ts';
import type { DeploymentStatus } from '../../../src/api/deployment.ts';
import { conditionsFor, MEANING } from '../../../src/model/status/conditions-for.ts';
import type { Rollout } from '../../../src/model/external/rollout.ts';
import { type Goal, type Standing, standingOf } from '../../../src/views/resources/standing.ts';
import { aResource, NOW_MS } from '../../support/resources/builders.ts';

/** Returns the status after a pass with this reason, for a revision that rolls out or is active. */
function statusOf(reason: SyncedReason, rolling: boolean): DeploymentStatus {
  const rollout: Rollout = rolling
    ? { ready: 'False', reason: 'RolloutInProgress', message: 'rolls out', rolling: true, stalled: false }
    : { ready: 'True', reason: 'Active', message: 'is active', rolling: false, stalled: false };
  const facts = { reason, message: 'a text', generation: 1, carriedOut: true, nowMs: NOW_MS };
  const conditions = conditionsFor(undefined, { ...facts, rollout });
  return { conditions, latestRevisionID: 'r-2', activeRevisionID: rolling ? 'r-1' : 'r-2' };
}

function connectionWith(type: 'Stalled' | 'Reconciling', reason: Reason): ConnectionResource {
  const condition: Condition = {
    ...{ type, reason, status: 'True', message: '' },
    ...{ observedGeneration: 1, lastTransitionTime: '' },
  };
  return {
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Connection',
    metadata: { name: 'default', namespace: 'team-a' },
    spec: { baseURL: 'https://deploy.example.com' },
    status: { conditions: [condition] },
  };
}

const standing = (status: DeploymentStatus, goal: Goal, connection?: ConnectionResource): Standing =>
  standingOf(aResource({}, { status }), connection, goal);

describe('the progress of a resource', () => {
  test('waits before the first read', () => {
    expect(standing({}, 'synced').kind).toBe('waiting');
  });

  test.each(SYNCED_REASONS.filter((reason) => MEANING[reason].beside === 'Stalled'))(
    'failed, if a person must change something: %s',
    (reason) => {
      expect(standing(statusOf(reason, false), 'synced')).toMatchObject({ kind: 'failed', reason });
    },
  );

  test.each(['InSync', 'DriftReported', 'Differs'] as const)('is settled at %s', (reason) => {
    expect(standing(statusOf(reason, true), 'synced')).toMatchObject({ kind: 'settled', reason });
    expect(standing(statusOf(reason, false), 'active')).toMatchObject({ kind: 'settled', reason });
  });

  test('waits for the newest revision if that is the goal', () => {
    expect(standing(statusOf('InSync', true), 'active')).toMatchObject({
      kind: 'waiting',
      reason: 'RolloutInProgress',
    });
    const { latestRevisionID: _, activeRevisionID: __, ...none } = statusOf('InSync', false);
    expect(standing(none, 'active').kind).toBe('waiting');
  });

  test.each(['Paused', 'AwaitingApproval'] as const)('is held until a person decides: %s', (reason) => {
    expect(standing(statusOf(reason, false), 'synced')).toMatchObject({ kind: 'held', reason });
  });

  test.each(['ConnectionNotFound', 'SecretMissing'] as const)(
    'failed, since manifests are not read again: %s',
    (reason) => {
      expect(standing(statusOf(reason, false), 'synced')).toMatchObject({ kind: 'failed', reason });
    },
  );

  test('depends on the connection if that is unusable', () => {
    const status = statusOf('ConnectionNotReady', false);
    const kindWith = (connection?: ConnectionResource): string => standing(status, 'synced', connection).kind;
    expect(kindWith()).toBe('waiting');
    expect(kindWith(connectionWith('Reconciling', 'RateLimited'))).toBe('waiting');
    expect(kindWith(connectionWith('Stalled', 'AuthFailed'))).toBe('failed');
  });

  test('of a deletion depends on the connection in use', () => {
    const status = statusOf('Deleting', false);
    const kindWith = (connection?: ConnectionResource): string => standing(status, 'synced', connection).kind;
    expect(kindWith()).toBe('failed');
    expect(kindWith(connectionWith('Reconciling', 'RateLimited'))).toBe('waiting');
    expect(kindWith(connectionWith('Stalled', 'AuthFailed'))).toBe('failed');
  });

  test.each(['Pending', 'Sent', 'OutcomeUnknown', 'Retrying', 'CreatePending', 'NotVisibleYet'] as const)(
    'waits at %s',
    (reason) => {
      expect(standing(statusOf(reason, false), 'synced')).toMatchObject({ kind: 'waiting', reason });
    },
  );
});
