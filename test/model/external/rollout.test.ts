import { expect, test } from 'vitest';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { judgeRollout } from '../../../src/model/external/rollout.ts';
import { anObserved, NOW_MS } from '../../support/resources/builders.ts';

const { serviceStatus: _, ...NO_STATUS } = anObserved();

const ROWS: readonly (readonly [string, ObservedDeployment, number | undefined, string, string])[] = [
  ['ready and active', anObserved(), undefined, 'True', 'Active'],
  ['active, and no status is ever shown', NO_STATUS, undefined, 'True', 'ActiveStatusNotShown'],
  [
    'newest not active yet',
    anObserved({ latestRevisionID: 'rev-2' }),
    NOW_MS - 1000,
    'False',
    'RolloutInProgress',
  ],
  [
    'newest not active past the deadline',
    anObserved({ latestRevisionID: 'rev-2' }),
    NOW_MS - 1_800_000,
    'False',
    'DeadlineExceeded',
  ],
  [
    'waiting for its database',
    anObserved({ serviceStatus: 'AWAITING_DATABASE' }),
    undefined,
    'False',
    'AwaitingDatabase',
  ],
  [
    'no revision at all',
    anObserved({ latestRevisionID: null, activeRevisionID: null }),
    undefined,
    'Unknown',
    'NoRevision',
  ],
  [
    'the first revision, without an active one',
    anObserved({ activeRevisionID: null }),
    undefined,
    'False',
    'RolloutInProgress',
  ],
  [
    'an active revision without a newest one',
    anObserved({ latestRevisionID: null }),
    undefined,
    'False',
    'RolloutInProgress',
  ],
  ['unused', anObserved({ serviceStatus: 'UNUSED' }), undefined, 'Unknown', 'Unused'],
  ['an unknown state', anObserved({ serviceStatus: 'SLEEPING' }), undefined, 'Unknown', 'UnknownState'],
];

test.each(ROWS)('%s: Ready is %3$s, %4$s', (_name, observed, startedMs, ready, reason) => {
  const rollout = judgeRollout(observed, { startedMs, nowMs: NOW_MS, deadlineMs: 1_800_000 });
  expect([rollout.ready, rollout.reason]).toEqual([ready, reason]);
});

test('only a rollout in progress is polled faster, and only an overdue rollout is stalled', () => {
  const judge = (startedMs: number) =>
    judgeRollout(anObserved({ latestRevisionID: 'rev-2' }), { startedMs, nowMs: NOW_MS, deadlineMs: 60_000 });
  expect(judge(NOW_MS - 59_999)).toMatchObject({ rolling: true, stalled: false });
  expect(judge(NOW_MS - 60_000)).toMatchObject({ rolling: false, stalled: true });
});

test('the serving revision is reported during a rollout', () => {
  const message = (more: Partial<ObservedDeployment>): string =>
    judgeRollout(anObserved(more), { startedMs: undefined, nowMs: NOW_MS, deadlineMs: 1 }).message;
  expect(message({ latestRevisionID: 'rev-2' })).toBe('revision rev-2 is not active; rev-1 still serves');
  expect(message({ activeRevisionID: null })).toBe('revision rev-1 is not active; no revision is active yet');
  expect(message({ serviceStatus: 'S'.repeat(100) })).toBe(`the service shows state ${'S'.repeat(64)}`);
});

test('an active rollout is never stalled', () => {
  const still = judgeRollout(anObserved(), { startedMs: undefined, nowMs: NOW_MS, deadlineMs: 1 });
  expect(still).toMatchObject({ rolling: false, stalled: false });
});
