import { expect, test } from 'vitest';
import type { ObservedDeployment } from '../../src/model/observation.ts';
import { judgeRollout } from '../../src/model/rollout.ts';
import { anObserved, NOW_MS } from '../support/builders.ts';

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
  ['unused', anObserved({ serviceStatus: 'UNUSED' }), undefined, 'Unknown', 'Unused'],
  ['a state nobody knows', anObserved({ serviceStatus: 'SLEEPING' }), undefined, 'Unknown', 'UnknownState'],
];

test.each(ROWS)('%s: Ready is %3$s, %4$s', (_name, observed, startedMs, ready, reason) => {
  const rollout = judgeRollout(observed, { startedMs, nowMs: NOW_MS, deadlineMs: 1_800_000 });
  expect([rollout.ready, rollout.reason]).toEqual([ready, reason]);
});

test('only a rollout that is under way is polled faster, and only an overdue one stalls', () => {
  const judge = (startedMs: number) =>
    judgeRollout(anObserved({ latestRevisionID: 'rev-2' }), { startedMs, nowMs: NOW_MS, deadlineMs: 60_000 });
  expect(judge(NOW_MS - 59_999)).toMatchObject({ rolling: true, stalled: false });
  expect(judge(NOW_MS - 60_000)).toMatchObject({ rolling: false, stalled: true });
});
