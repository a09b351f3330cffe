import { expect, test } from 'vitest';
import { HANDS, type Part } from '../support/fuzz/deal.ts';

/** What others write: the service, the API server, whoever may change a file. */
const OUTSIDE: readonly Part[] = ['service', 'watch', 'manifests', 'state', 'kubeconfig'];

const sum = (all: readonly { readonly cases: number }[]): number =>
  all.reduce((total, { cases }) => total + cases, 0);

test('a hundred thousand broken inputs are read in every run of the tests', () => {
  process.stdout.write(`${sum(HANDS)} inputs by chance, for ${HANDS.length} readers\n`);
  expect(sum(HANDS)).toBeGreaterThanOrEqual(100_000);
});

test('most of them are answers of the service, lines of a watch, manifests, state files and kubeconfigs', () => {
  expect(sum(HANDS.filter(({ part }) => OUTSIDE.includes(part)))).toBeGreaterThanOrEqual(0.8 * sum(HANDS));
});
