import { describe, expect, test } from 'vitest';
import {
  type Budget,
  budgetOf,
  correctedInVain,
  mayCorrectDrift,
  mayMakeRevision,
  maySendAgain,
  roomAgainInMs,
  seen,
  spend,
  wasRefused,
} from '../../../src/model/plan/budget.ts';
import { aResource, at, NOW_MS } from '../../support/resources/builders.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const IMAGE = 'sourceRevisionConfig.imageURI';
const REPO = 'sourceConfig.repoURL';

function sentAt(...ms: readonly number[]): Budget {
  return { sends: ms.map(at), drift: [], same: [] };
}

interface RevisionRow {
  readonly name: string;
  readonly because: string;
  readonly given: Budget | undefined;
  readonly newGeneration?: number;
  readonly want: boolean;
}

const REVISIONS: readonly RevisionRow[] = [
  { name: 'nothing sent yet', because: 'nothing is used', given: undefined, want: true },
  { name: 'one below the limit', because: 'one is left', given: sentAt(-1, -2), want: true },
  { name: 'the limit', because: 'the hour is full', given: sentAt(-1, -2, -3), want: false },
  {
    name: 'the limit, with one write an hour ago',
    because: 'the hour is rolling',
    given: sentAt(-1, -2, -HOUR_MS),
    want: true,
  },
  {
    name: 'the limit, with one write almost an hour ago',
    because: 'the hour is not over',
    given: sentAt(-1, -2, 1 - HOUR_MS),
    want: false,
  },
  {
    name: 'the limit and a new generation',
    because: 'an edit by a person allows one more',
    given: sentAt(-1, -2, -3),
    newGeneration: 7,
    want: true,
  },
  {
    name: 'one beyond the limit for a new generation',
    because: 'it allows one more, not any number',
    given: { ...sentAt(-1, -2, -3, -4), beyond: 7 },
    newGeneration: 7,
    want: false,
  },
  {
    name: 'one beyond the limit for the generation before',
    because: 'each new generation allows one more',
    given: { ...sentAt(-1, -2, -3, -4), beyond: 6 },
    newGeneration: 7,
    want: true,
  },
  {
    name: 'one beyond the limit, and no new generation since',
    because: 'a correction allows none above it',
    given: { ...sentAt(-1, -2, -3, -4), beyond: 7 },
    want: false,
  },
  {
    name: 'times in the future',
    because: 'a clock that was set back must not open the gate',
    given: sentAt(DAY_MS, DAY_MS, DAY_MS),
    want: false,
  },
];

describe('revisions in an hour, with a limit of three', () => {
  test.each(REVISIONS)('$name: $want, since $because', ({ given, newGeneration, want }) => {
    expect(mayMakeRevision(given, { perHour: 3, newGeneration, nowMs: NOW_MS })).toBe(want);
  });

  test('room returns when the oldest is an hour old, and never in less than a second', () => {
    expect(roomAgainInMs(sentAt(-1000, -3000, -2000), NOW_MS)).toBe(HOUR_MS - 3000);
    expect(roomAgainInMs(sentAt(1 - HOUR_MS), NOW_MS)).toBe(1000);
    expect(roomAgainInMs(undefined, NOW_MS)).toBe(0);
  });
});

describe('corrections of drift in a day', () => {
  test.each([
    { name: 'two today', times: [-1, -2], path: IMAGE, want: true },
    { name: 'three today', times: [-1, -2, -3], path: IMAGE, want: false },
    { name: 'three, one of them a day ago', times: [-1, -2, -DAY_MS], path: IMAGE, want: true },
    { name: 'three of another field', times: [-1, -2, -3], path: REPO, want: true },
  ])('$name: $want', ({ times, path, want }) => {
    const budget: Budget = { sends: [], drift: [{ path: IMAGE, times: times.map(at) }], same: [] };
    expect(mayCorrectDrift(budget, path, NOW_MS)).toBe(want);
  });
});

describe('sends of one value', () => {
  test.each([
    { name: 'sent once', count: 1, digest: 'D', want: true },
    { name: 'sent twice', count: 2, digest: 'D', want: false },
    { name: 'another value sent twice', count: 2, digest: 'E', want: true },
  ])('$name: $want', ({ count, digest, want }) => {
    const budget: Budget = { sends: [], drift: [], same: [{ path: IMAGE, digest: 'D', count }] };
    expect(maySendAgain(budget, IMAGE, digest)).toBe(want);
    expect(maySendAgain(budget, REPO, digest)).toBe(true);
  });

  const AS = { alone: 'A', together: 'T' };
  test.each([
    { name: 'alone, with nothing changed since', path: REPO, digest: 'A', want: true },
    { name: 'together with others, with nothing changed since', path: REPO, digest: 'T', want: true },
    { name: 'with something else around it', path: REPO, digest: 'S', want: false },
    { name: 'for another field', path: IMAGE, digest: 'A', want: false },
  ])('are over after a value was refused $name: $want', ({ path, digest, want }) => {
    const budget: Budget = { sends: [], drift: [], same: [{ path, digest, count: 1, refused: true }] };
    expect(wasRefused(budget, REPO, AS)).toBe(want);
    expect(maySendAgain(budget, REPO, 'R')).toBe(true);
    const sent: Budget = { sends: [], drift: [], same: [{ path, digest, count: 1 }] };
    expect(wasRefused(sent, REPO, AS), 'sent and not refused').toBe(false);
    expect(wasRefused(undefined, REPO, AS)).toBe(false);
  });

  const HOUR = { perHour: 3, newGeneration: undefined };

  test('are counted by field, and those of other fields stay', () => {
    const before: Budget = {
      sends: [],
      drift: [
        { path: REPO, times: [at(-1)] },
        { path: IMAGE, times: [at(-2)] },
      ],
      same: [
        { path: REPO, digest: 'D', count: 1 },
        { path: IMAGE, digest: 'D', count: 4 },
      ],
    };
    const after = spend(
      before,
      { ...HOUR, makesRevision: false, sent: [{ path: IMAGE, digest: 'D' }], drift: [IMAGE] },
      NOW_MS,
    );
    expect(after.same).toEqual([
      { path: REPO, digest: 'D', count: 1 },
      { path: IMAGE, digest: 'D', count: 5 },
    ]);
    expect(after.drift).toEqual([
      { path: REPO, times: [at(-1)] },
      { path: IMAGE, times: [at(-2), at(0)] },
    ]);
    expect(after).not.toHaveProperty('beyond');
  });

  test('count from one with another value, and continue with the same', () => {
    const write = (digest: string, again = false) => ({
      ...HOUR,
      makesRevision: true,
      sent: [{ path: IMAGE, digest, again }],
      drift: [],
    });
    const twice = spend(spend(undefined, write('D'), NOW_MS), write('D'), NOW_MS);
    expect(twice.same).toEqual([{ path: IMAGE, digest: 'D', count: 2 }]);
    expect(spend(twice, write('E'), NOW_MS).same).toEqual([{ path: IMAGE, digest: 'E', count: 1 }]);
    expect(spend(undefined, write('D', true), NOW_MS).same).toEqual(twice.same);
  });

  test('are reset for observed values only', () => {
    const same = [
      { path: IMAGE, digest: 'D', count: 2 },
      { path: REPO, digest: 'R', count: 1 },
    ];
    const budget: Budget = { sends: [at(-1)], drift: [], same };
    expect(seen(budget, new Set([IMAGE]))).toEqual({ ...budget, same: [same[1]] });
    expect(seen(budget, new Set(['secrets']))).toBe(budget);
  });

  test.each([
    { name: 'a second correction', corrections: 2, count: 2, want: [IMAGE] },
    { name: 'a first correction: somebody may have changed it', corrections: 1, count: 2, want: [] },
    { name: 'a second correction, the first of which a list showed', corrections: 2, count: 1, want: [] },
    { name: 'a refused value', corrections: 2, count: 2, refused: true, want: [] },
  ])('are in vain with $name: $want', ({ corrections, want, ...sent }) => {
    const times = [at(-2), at(-1)].slice(-corrections);
    const same = [
      { path: IMAGE, digest: 'D', ...sent },
      { path: REPO, digest: 'R', count: 2 },
    ];
    expect(correctedInVain({ sends: [], drift: [{ path: IMAGE, times }], same })).toEqual(want);
  });

  test('allow one more with a new generation, and a refusal is recorded with its basis', () => {
    const same = [
      { path: IMAGE, digest: 'D', count: 2 },
      { path: REPO, digest: 'R', count: 1, refused: true },
    ];
    const budget: Budget = { sends: [at(-1)], drift: [{ path: IMAGE, times: [at(-1)] }], same };
    const edited = aResource({}, { generation: 2, status: { observedGeneration: 1, budget } });
    expect(budgetOf(edited)).toEqual({ ...budget, same: [{ path: IMAGE, digest: 'D', count: 1 }, same[1]] });
    expect(budgetOf(aResource({}, { status: { observedGeneration: 1, budget } }))).toEqual(budget);
  });
});

describe('a write', () => {
  const old: Budget = {
    sends: [at(-HOUR_MS), at(-1000)],
    drift: [
      { path: IMAGE, times: [at(-DAY_MS), at(-1000)] },
      { path: REPO, times: [at(-DAY_MS)] },
    ],
    same: [],
  };

  const HOUR = { perHour: 3, newGeneration: 7 };

  test('drops expired records, and adds itself', () => {
    const after = spend(old, { ...HOUR, makesRevision: true, sent: [], drift: [IMAGE] }, NOW_MS);
    expect(after.sends).toEqual([at(-1000), at(0)]);
    expect(after.drift).toEqual([{ path: IMAGE, times: [at(-1000), at(0)] }]);
  });

  test('without a revision does not use the hourly budget', () => {
    expect(spend(old, { ...HOUR, makesRevision: false, sent: [], drift: [] }, NOW_MS).sends).toEqual([
      at(-1000),
    ]);
  });

  test('counts as the one write beyond the hour for a generation only if the hour is full', () => {
    const write = { ...HOUR, makesRevision: true, sent: [], drift: [] };
    expect(spend(old, write, NOW_MS).beyond).toBeUndefined();
    expect(spend(sentAt(-1, -2, -3), write, NOW_MS).beyond).toBe(7);
    expect(spend(sentAt(-1, -2, -3), { ...write, makesRevision: false }, NOW_MS).beyond).toBeUndefined();
    expect(spend({ ...sentAt(-1), beyond: 6 }, write, NOW_MS).beyond).toBe(6);
  });
});
