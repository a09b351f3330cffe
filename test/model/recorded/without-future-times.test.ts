import { describe, expect, test } from 'vitest';
import type { DeploymentResource, DeploymentStatus } from '../../../src/api/deployment.ts';
import { withoutFutureTimes } from '../../../src/model/recorded/without-future-times.ts';

const NOW_MS = Date.parse('2026-03-01T10:00:00.000Z');
const NOW = '2026-03-01T10:00:00.000Z';
const LATER = '2026-03-01T10:00:00.001Z';
const LATEST = '2026-03-01T10:00:00.002Z';

function having(status: DeploymentStatus | undefined): DeploymentResource {
  return {
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: { name: 'agent' },
    spec: { source: 'external_container' },
    ...(status === undefined ? {} : { status }),
  };
}

function after(status: DeploymentStatus): DeploymentStatus | undefined {
  return withoutFutureTimes(having(status), NOW_MS).status;
}

describe('times in the future in a status', () => {
  test('become the present in their order, and equal ones stay equal', () => {
    const write = { outcome: 'Applied', paths: [] };
    expect(
      after({
        lastPatch: {
          ...write,
          time: '2026-03-01T12:00:00.000Z',
          accepted: { ...write, time: '2026-03-01T11:00:00Z' },
        },
        revisions: [
          { id: 'r2', cause: 'Operator', firstSeenTime: '2026-03-01T12:00:30.000Z' },
          { id: 'r1', cause: 'Operator', firstSeenTime: '2026-03-01T09:00:00.000Z' },
        ],
        budget: {
          sends: ['2026-03-01T09:30:00.000Z', '2026-03-01T11:00:00.000Z'],
          drift: [{ path: 'a', times: ['2026-03-01T12:00:00.000Z'] }],
          same: [],
        },
      }),
    ).toEqual({
      lastPatch: { ...write, time: LATER, accepted: { ...write, time: NOW } },
      revisions: [
        { id: 'r2', cause: 'Operator', firstSeenTime: LATEST },
        { id: 'r1', cause: 'Operator', firstSeenTime: '2026-03-01T09:00:00.000Z' },
      ],
      budget: {
        sends: ['2026-03-01T09:30:00.000Z', NOW],
        drift: [{ path: 'a', times: [LATER] }],
        same: [],
      },
    });
  });

  test('of every other wait become the present, too', () => {
    const time = '2026-03-02T00:00:00.000Z';
    const pendingWrite = {
      operation: 'Patch',
      bodyDigest: 'd',
      paths: [],
      generation: 1,
      attempt: 1,
    } as const;
    expect(
      after({
        rolloutStartedTime: time,
        missingSinceTime: time,
        creation: { state: 'Pending', time },
        pendingWrite: { ...pendingWrite, time },
        lastPatch: { time, outcome: 'Refused', paths: [], lastSentTime: time },
      }),
    ).toEqual({
      rolloutStartedTime: NOW,
      missingSinceTime: NOW,
      creation: { state: 'Pending', time: NOW },
      pendingWrite: { ...pendingWrite, time: NOW },
      lastPatch: { time: NOW, outcome: 'Refused', paths: [], lastSentTime: NOW },
    });
  });

  test('stay if they are of the service, or of a condition', () => {
    const time = '2026-03-02T00:00:00.000Z';
    const condition = { type: 'Ready', status: 'True', reason: 'Active', message: '', observedGeneration: 1 };
    const resource = having({
      createdTime: time,
      updatedTime: time,
      conditions: [{ ...condition, lastTransitionTime: time } as never],
    });
    expect(withoutFutureTimes(resource, NOW_MS)).toBe(resource);
  });

  test.each([
    ['no status', undefined],
    ['an empty status', {}],
    ['times in the past', { rolloutStartedTime: '2026-03-01T09:59:59.000Z' }],
    ['a time of a replica whose clock is a minute ahead', { rolloutStartedTime: '2026-03-01T10:01:00.000Z' }],
  ])('are not found in %s, and the resource is the same', (_, status) => {
    const resource = having(status);
    expect(withoutFutureTimes(resource, NOW_MS)).toBe(resource);
  });
});
