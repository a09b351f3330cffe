import { describe, expect, test } from 'vitest';
import { SYNCED_REASONS } from '../../../src/api/condition.ts';
import { conditionsFor, heldConditions, MEANING } from '../../../src/model/status/conditions-for.ts';
import { judgeRollout } from '../../../src/model/external/rollout.ts';
import { expectSoundConditions, expectTimesByStatus } from '../../support/resources/condition-lint.ts';
import { aResource, anObserved, NOW_MS } from '../../support/resources/builders.ts';

type Conditions = ReturnType<typeof conditionsFor>;

const LIVE = judgeRollout(anObserved(), { startedMs: undefined, nowMs: NOW_MS, deadlineMs: 1 });
const facts = { message: 'm', rollout: LIVE, generation: 1, carriedOut: true, nowMs: NOW_MS };

const statusOf = (conditions: Conditions, type: string) =>
  conditions.find((condition) => condition.type === type)?.status;

describe('conditions', () => {
  test.each(SYNCED_REASONS)('with reason %s keep every promise', (reason) => {
    const conditions = conditionsFor(undefined, { ...facts, reason });
    expectSoundConditions(aResource({}, { status: { conditions, observedGeneration: 1 } }));
    expect(conditions.find(({ type }) => type === 'Synced')?.status).toBe(MEANING[reason].synced);
  });

  test.each(SYNCED_REASONS)(
    'with reason %s are not Ready for a generation that was not applied (K1)',
    (reason) => {
      const ready = conditionsFor(undefined, { ...facts, reason: 'InSync' });
      expect(statusOf(ready, 'Ready')).toBe('True');
      const edited = { ...facts, reason, generation: 2, carriedOut: false };
      let conditions = ready;
      for (const afterMs of [1_000, 60_000, 299_000, 301_000]) {
        conditions = conditionsFor(conditions, { ...edited, nowMs: NOW_MS + afterMs });
        expect(statusOf(conditions, 'Ready'), `${afterMs} ms later`).not.toBe('True');
        expectSoundConditions(aResource({}, { generation: 2, status: { conditions } }));
      }
      const [at1, at2] = ['Ready', 'Synced'].map((type) => conditions.find((c) => c.type === type)?.reason);
      if (statusOf(conditions, 'Ready') === 'Unknown') expect(at1, 'the reason of Synced').toBe(at2);
    },
  );

  test.each(SYNCED_REASONS)(
    'after reason %s change their transition time only with their status (K2)',
    (from) => {
      const nowMs = NOW_MS + 5_000;
      const pass = { fromMs: nowMs, toMs: nowMs };
      for (const carriedOut of [true, false]) {
        const before = conditionsFor(undefined, { ...facts, carriedOut, reason: from });
        expectTimesByStatus(before, heldConditions(before, 'paused', nowMs), pass);
        for (const reason of SYNCED_REASONS) {
          const after = conditionsFor(before, { ...facts, carriedOut, reason, message: 'another', nowMs });
          expectTimesByStatus(before, after, pass);
        }
      }
    },
  );

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

  test('do not keep Ready on the word of a time far in the future, from before the clock was set back', () => {
    const before = conditionsFor(undefined, { ...facts, reason: 'InSync' });
    const lost = { ...facts, reason: 'ConnectionNotReady' as const };
    const first = conditionsFor(before, lost);
    const later = conditionsFor(first, { ...lost, nowMs: NOW_MS - 3_600_000 });
    expect(later.find(({ type }) => type === 'Ready')?.status).toBe('Unknown');
  });

  test('say Paused and leave Ready unchanged during the pause', () => {
    const before = conditionsFor(undefined, { ...facts, reason: 'InSync' });
    const held = heldConditions(before, 'paused', NOW_MS + 1);
    expect(held.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['Ready', 'True', 'Active'],
      ['Synced', 'Unknown', 'Paused'],
    ]);
    expectSoundConditions(aResource({}, { status: { conditions: held } }));
  });

  test('truncate a message at one KiB', () => {
    const conditions = conditionsFor(undefined, { ...facts, reason: 'Rejected', message: 'x'.repeat(5000) });
    expect(conditions.every(({ message }) => message.length <= 1024)).toBe(true);
  });
});
