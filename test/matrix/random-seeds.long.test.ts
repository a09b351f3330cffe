import { describe, test } from 'vitest';
import { playOne, seededRun } from '../support/matrix/series.ts';

/** The number of runs. `npm run matrix` plays a thousand. */
const SEEDS = 175;

/** A run takes a second, and the processor may be shared with other work. */
const LIMIT_MS = 60_000;

describe('the operator converges or stops with a reason in a random scenario:', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { name, run } = seededRun(seed);
    test(name, { timeout: LIMIT_MS }, async () => {
      await playOne(run);
    });
  }
});
