import { expect, test } from 'vitest';
import { HANDS, type Part } from '../support/fuzz/deal.ts';

/** The inputs from other parties: the service, the API server, and everyone with write access to a file. */
const OUTSIDE: readonly Part[] = ['service', 'watch', 'manifests', 'state', 'kubeconfig'];

const sum = (all: readonly { readonly cases: number }[]): number =>
  all.reduce((total, { cases }) => total + cases, 0);

test('every run of the tests reads a hundred thousand corrupted inputs', () => {
  process.stdout.write(`${sum(HANDS)} inputs by chance, for ${HANDS.length} readers\n`);
  expect(sum(HANDS)).toBeGreaterThanOrEqual(100_000);
});

test('most of them are answers of the service, lines of a watch, manifests, state files and kubeconfigs', () => {
  expect(sum(HANDS.filter(({ part }) => OUTSIDE.includes(part)))).toBeGreaterThanOrEqual(0.8 * sum(HANDS));
});
