import { describe, expect, it } from 'vitest';
import { Removals } from '../../../src/directory/state/removals.ts';

const GRACE_MS = 30_000;

const texts = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `Deployment/a/${n}`);

/** Returns how many of `away` missing manifests are removed beside `present` others, after the whole grace time. */
function removed(away: number, present: number, many = false): number {
  const removals = new Removals({ graceMs: GRACE_MS, many });
  expect(removals.note(texts(away), present, 0).due).toEqual([]);
  return removals.note(texts(away), present, GRACE_MS).due.length;
}

describe('manifests that disappear together', () => {
  it.each([
    { away: 1, present: 0, due: 1 },
    { away: 2, present: 1, due: 2 },
    { away: 3, present: 3, due: 3 },
    { away: 3, present: 2, due: 0 },
    { away: 10, present: 100, due: 10 },
    { away: 11, present: 1_000, due: 0 },
  ])('with $away missing and $present present: $due are removed', ({ away, present, due }) => {
    expect(removed(away, present)).toBe(due);
  });

  it('are removed if the user allowed it, however many they are', () => {
    expect(removed(500, 3, true)).toBe(500);
  });

  it('are held and reported once until enough of them return; then the rest is removed', () => {
    const removals = new Removals({ graceMs: GRACE_MS, many: false });
    removals.note(texts(20), 100, 0);
    expect(removals.note(texts(20), 100, GRACE_MS)).toMatchObject({ due: [], held: texts(20) });
    expect(removals.note(texts(20), 100, 2 * GRACE_MS)).toMatchObject({ due: [], held: [], begun: [] });
    expect(removals.isWaiting('Deployment/a/19')).toBe(true);
    const after = removals.note(texts(5), 115, 3 * GRACE_MS);
    expect(after).toMatchObject({ due: texts(5), held: [] });
    expect(after.ended).toHaveLength(15);
  });

  it('count together, also if they disappear one after the other', () => {
    const removals = new Removals({ graceMs: GRACE_MS, many: false });
    for (let n = 1; n <= 20; n += 1) {
      const { due } = removals.note(texts(n), 100 - n, n * 2_000);
      expect(due).toEqual([]);
    }
  });

  it('start their grace time again after a reading showed them, even during a change', () => {
    const removals = new Removals({ graceMs: GRACE_MS, many: false });
    removals.note(texts(2), 100, 0);
    removals.seen((text) => text === 'Deployment/a/0', GRACE_MS - 1);
    expect(removals.note(texts(2), 100, GRACE_MS).due).toEqual(['Deployment/a/1']);
    expect(removals.isWaiting('Deployment/a/0')).toBe(true);
    expect(removals.note(texts(1), 100, 2 * GRACE_MS - 1).due).toEqual(['Deployment/a/0']);
  });
});
