import { describe, expect, test } from 'vitest';
import { allPairs } from '../support/matrix/all-pairs.ts';
import { pairRuns, playOne, seededRun } from '../support/matrix/series.ts';
import { SWITCHES } from '../support/matrix/switches.ts';

/** `npm run matrix` plays a thousand of them. */
const SEEDS = 20;

describe('the operator converges or stops with a reason, within the budget and without losing what is not ours', () => {
  for (const { name, run } of pairRuns()) {
    const odd = Object.values(run.switches).join(' ');
    test(`in the plain story, ${name}: ${odd}`, async () => {
      const { worstPatches } = await playOne(run);
      expect(
        worstPatches,
        'one request for an edit, and one to put right what it showed',
      ).toBeLessThanOrEqual(3);
    });
  }

  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { name, run } = seededRun(seed);
    test(`in the story of chance ${name}`, async () => {
      await playOne(run);
    });
  }
});

describe('all pairs', () => {
  test('hold every pair of values of two switches, in few rows', () => {
    const rows = allPairs(SWITCHES);
    const names = Object.keys(SWITCHES) as (keyof typeof SWITCHES)[];
    for (const [at, one] of names.entries()) {
      for (const other of names.slice(at + 1)) {
        const seen = new Set(rows.map((row) => `${row[one]} ${row[other]}`));
        expect(seen.size, `${one} with ${other}`).toBe(SWITCHES[one].length * SWITCHES[other].length);
      }
    }
    expect(rows.length).toBeLessThan(100);
  });

  test('are the same each time', () => {
    expect(allPairs(SWITCHES)).toEqual(allPairs(SWITCHES));
  });
});
