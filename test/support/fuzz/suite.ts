import { expect, test } from 'vitest';
import { fuzz } from './run.ts';
import { harmText } from './report.ts';
import type { Target } from './target.ts';

/** Fixed, so that a red run is red again; `npm run fuzz` takes others. */
const SEED = 20_261_122;

/** Some inputs are a megabyte, and take a second each on a machine that has other work. */
const LIMIT_MS = 180_000;

/** A test for each of these targets. */
export function fuzzTests(targets: readonly Target[]): void {
  for (const target of targets) {
    test(`do no harm to the reader ${target.name}`, { timeout: LIMIT_MS }, async () => {
      const { cases, failure } = await fuzz(target, { cases: target.cases, seed: SEED });
      if (failure !== undefined) expect.fail(harmText(target, failure));
      expect(cases).toBeGreaterThanOrEqual(target.cases);
      process.stdout.write(`${cases} inputs for ${target.name}\n`);
    });
  }
}
