import { expect, test } from 'vitest';
import { isPreState } from '../../../src/model/external/is-pre-state.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { anObserved } from '../../support/resources/builders.ts';

const COMMIT = 'a'.repeat(40);
const body = { sourceRevisionConfig: { repoRef: 'main' } };

const showing = (repoRef: string, repoCommitSHA?: string): ObservedDeployment =>
  anObserved({
    sourceRevisionConfig: { fields: { repoRef }, ...(repoCommitSHA !== undefined && { repoCommitSHA }) },
  });

test('an answer shows the state before a request if it shows another branch than the requested one, as before', () => {
  expect(isPreState(showing('release', COMMIT), body, showing('release'))).toBe(true);
  expect(isPreState(showing('release', COMMIT), body, showing('main'))).toBe(false);
});

test('a branch shown as its commit does not prove that, whether or not the answer names the commit', () => {
  expect(isPreState(showing(COMMIT, COMMIT), body, showing(COMMIT, COMMIT))).toBe(false);
  expect(isPreState(showing(COMMIT, COMMIT), body, showing(COMMIT))).toBe(false);
  expect(isPreState(showing(COMMIT), body, showing(COMMIT)), 'no look names it').toBe(true);
});
