import { describe, expect, test } from 'vitest';
import type { Decided } from '../../../src/model/decide/make-plan.ts';
import { refilledAfter } from '../../../src/model/decide/refilled-after.ts';
import type { Situation } from '../../../src/model/plan/situation.ts';

const BRANCH = 'sourceRevisionConfig.repoRef';
const COMMAND = 'sourceConfig.buildCommand';

/** Makes the parts of a decision on which the answer rests. */
function decision({
  emptied = [],
  sent,
  corrected = [],
  endedMs,
}: {
  readonly emptied?: readonly string[];
  readonly sent?: readonly string[];
  readonly corrected?: readonly string[];
  /** The end of our last write, unless it is forgotten. */
  readonly endedMs?: number;
}): Decided & { readonly situation: Pick<Situation, 'resource' | 'written'> } {
  const drift = corrected.map((path) => ({ path, times: ['2026-11-20T00:00:00.000Z'] }));
  const plan = sent === undefined ? { kind: 'nothing' } : { kind: 'patch', announcement: { paths: sent } };
  const resource = { status: { budget: { sends: [], drift } } };
  const written = endedMs === undefined ? undefined : { endedMs };
  return { plan, assessment: { emptied }, situation: { resource, written } } as unknown as ReturnType<
    typeof decision
  >;
}

describe('a value that a write of ours left out and that is gone', () => {
  test('counts as sent again by the write that carries it, after the write that left it out', () => {
    const sent = [BRANCH, COMMAND];
    expect(refilledAfter(undefined, decision({ emptied: [BRANCH], sent, endedMs: 7 }))).toEqual(
      new Map([[BRANCH, 7]]),
    );
    expect(refilledAfter(undefined, decision({ emptied: [BRANCH], sent }))).toEqual(new Map([[BRANCH, 0]]));
  });

  test('counts after the later write if two writes left it out', () => {
    const before = new Map([[BRANCH, 7]]);
    const again = { emptied: [BRANCH], sent: [BRANCH], corrected: [BRANCH], endedMs: 9 };
    expect(refilledAfter(before, decision(again))).toEqual(new Map([[BRANCH, 9]]));
  });

  test('does not count before a write carries it', () => {
    expect(refilledAfter(undefined, decision({ emptied: [BRANCH] }))).toBeUndefined();
    expect(refilledAfter(undefined, decision({ emptied: [BRANCH], sent: [COMMAND] }))).toBeUndefined();
  });

  test('counts as long as its correction counts in the budget, and after a pass without a decision', () => {
    const before = new Map([[BRANCH, 7]]);
    expect(refilledAfter(before, decision({ corrected: [BRANCH] }))).toEqual(before);
    expect(refilledAfter(before, undefined)).toBe(before);
    expect(refilledAfter(before, decision({ corrected: [COMMAND] }))).toBeUndefined();
  });

  test('does not count if somebody else removed it and the operator corrected that', () => {
    expect(refilledAfter(undefined, decision({ sent: [BRANCH], corrected: [BRANCH] }))).toBeUndefined();
  });
});
