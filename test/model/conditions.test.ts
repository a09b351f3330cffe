import { describe, expect, test } from 'vitest';
import { SYNCED_REASONS } from '../../src/api/condition.ts';
import { conditionsFor, heldConditions, MEANING } from '../../src/model/conditions.ts';
import { judgeRollout } from '../../src/model/rollout.ts';
import { expectSoundConditions } from '../support/condition-lint.ts';
import { aResource, anObserved, at, NOW_MS } from '../support/builders.ts';

const LIVE = judgeRollout(anObserved(), { startedMs: undefined, nowMs: NOW_MS, deadlineMs: 1 });
const facts = { message: 'm', rollout: LIVE, generation: 1, nowMs: NOW_MS };

describe('conditions', () => {
  test.each(SYNCED_REASONS)('with reason %s keep every promise', (reason) => {
    const conditions = conditionsFor(undefined, { ...facts, reason });
    expectSoundConditions(aResource({}, { status: { conditions, observedGeneration: 1 } }));
    expect(conditions.find(({ type }) => type === 'Synced')?.status).toBe(MEANING[reason].synced);
  });

  test('move their transition time only when status or reason change', () => {
    const before = conditionsFor(undefined, { ...facts, reason: 'InSync' });
    const later = { ...facts, message: 'another text', nowMs: NOW_MS + 5_000 };
    const same = conditionsFor(before, { ...later, reason: 'InSync' });
    expect(same.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([at(0), at(0)]);
    const moved = conditionsFor(before, { ...later, reason: 'Rejected' });
    expect(moved.find(({ type }) => type === 'Ready')?.lastTransitionTime).toBe(at(5_000));
  });

  test('keep Ready for five minutes when the connection stops answering', () => {
    const before = conditionsFor(undefined, { ...facts, reason: 'InSync' });
    const lost = { ...facts, reason: 'ConnectionNotReady' as const };
    const first = conditionsFor(before, lost);
    expect(first.find(({ type }) => type === 'Ready')?.status).toBe('True');
    const kept = conditionsFor(first, { ...lost, nowMs: NOW_MS + 299_999 });
    expect(kept.find(({ type }) => type === 'Ready')?.status).toBe('True');
    const given = conditionsFor(kept, { ...lost, nowMs: NOW_MS + 300_000 });
    expect(given.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'ConnectionNotReady',
    });
  });

  test('say Paused and leave Ready as it was while nothing may move', () => {
    const before = conditionsFor(undefined, { ...facts, reason: 'InSync' });
    const held = heldConditions(before, 'paused', NOW_MS + 1);
    expect(held.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['Ready', 'True', 'Active'],
      ['Synced', 'Unknown', 'Paused'],
    ]);
    expectSoundConditions(aResource({}, { status: { conditions: held } }));
  });

  test('cut a message at one KiB', () => {
    const conditions = conditionsFor(undefined, { ...facts, reason: 'Rejected', message: 'x'.repeat(5000) });
    expect(conditions.every(({ message }) => message.length <= 1024)).toBe(true);
  });
});
