import { expect, test } from 'vitest';
import { TARGETS } from '../support/fuzz/targets.ts';

test('a hundred thousand broken inputs are read in every run of the tests', () => {
  const total = TARGETS.reduce((sum, { cases }) => sum + cases, 0);
  process.stdout.write(`${total} inputs by chance, for ${TARGETS.length} readers\n`);
  expect(total).toBeGreaterThanOrEqual(100_000);
});
