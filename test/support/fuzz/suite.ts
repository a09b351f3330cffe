import { expect, test } from 'vitest';
import { fuzzApart } from './apart.ts';
import { HANDS, type Part } from './deal.ts';
import { LIMITS } from './process.ts';
import { harmText } from './report.ts';

/** A fixed seed, so that a failed run fails again. `npm run fuzz` uses other seeds. */
const SEED = 20_261_122;

/** Declares a test for each target of a part. */
export function fuzzTests(part: Part): void {
  for (const hand of HANDS.filter((hand) => hand.part === part)) {
    const { cases, target } = hand;
    // A little longer than the limit of the reader's process, so that the test can report the input that was being
    // read.
    test(`do no harm to the reader ${target}`, { timeout: LIMITS.afterMs + 10_000 }, async () => {
      const outcome = await fuzzApart(hand, { cases, seed: SEED });
      if (outcome.failure !== undefined) expect.fail(harmText(target, SEED, outcome.failure));
      expect(outcome.cases).toBeGreaterThanOrEqual(cases);
      process.stdout.write(`${outcome.cases} inputs for ${target}\n`);
    });
  }
}
