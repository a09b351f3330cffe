import { describe, expect, test } from 'vitest';
import { allPairs } from '../support/matrix/all-pairs.ts';
import { longRun, type Named, pairRuns, playOne } from '../support/matrix/series.ts';
import { SWITCHES } from '../support/matrix/switches.ts';

/** The hours of a long run. `npm run matrix -- --hours 100` plays one of four days. */
const LONG = { seeds: 4, hours: 5 };

/** A run takes a second, and the processor may be shared with other work. */
const LIMIT_MS = 60_000;

/** Plays the plain story of one resource. */
async function plain({ run }: Named): Promise<void> {
  const { worstPatches } = await playOne(run);
  expect(worstPatches, 'something of the plain story goes under any switches').toBeGreaterThan(0);
  const because = 'one request for an edit, and one to put right what it showed';
  expect(worstPatches, because).toBeLessThanOrEqual(3);
}

describe('the operator converges or stops with a reason, within the budget and without losing foreign values', () => {
  for (const named of pairRuns()) {
    const odd = Object.values(named.run.switches).join(' ');
    test(`in the plain scenario, ${named.name}: ${odd}`, { timeout: LIMIT_MS }, () => plain(named));
  }

  for (let seed = 1; seed <= LONG.seeds; seed += 1) {
    const named = longRun(seed, LONG.hours);
    test(`in the scenario of hours ${named.name}`, { timeout: LIMIT_MS }, async () => {
      await playOne(named.run);
    });
  }
});

describe('all pairs', () => {
  test('contain every pair of values of two switches, in few rows', () => {
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

  test('are the same in every run', () => {
    expect(allPairs(SWITCHES)).toEqual(allPairs(SWITCHES));
  });
});
