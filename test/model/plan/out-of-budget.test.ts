import { expect, test } from 'vitest';
import { outOfBudget } from '../../../src/model/plan/wait-for-approval.ts';
import { aResource, at, NOW_MS } from '../../support/resources/builders.ts';

const MINUTE_MS = 60_000;

test('the message names the time of the next write, and does not change during the wait', () => {
  const budget = { sends: [at(NOW_MS - 30 * MINUTE_MS)], drift: [], same: [] };
  const resource = aResource({ rollout: { maxRevisionsPerHour: 1 } }, { status: { budget } });
  const heldAt = (nowMs: number) => outOfBudget(resource, { newGeneration: undefined, nowMs, changes: [] });
  const [first, later] = [heldAt(NOW_MS), heldAt(NOW_MS + 10 * MINUTE_MS)];
  expect(first).toMatchObject({
    kind: 'blocked',
    message: expect.stringContaining('the next one is possible at'),
  });
  expect(later).toMatchObject({ message: first?.kind === 'blocked' ? first.message : '' });
});
