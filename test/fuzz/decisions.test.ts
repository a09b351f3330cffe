import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';
import { DECISION_TARGETS } from '../support/fuzz/targets/decisions.ts';

describe('statuses and lists that are broken in any way', () => {
  fuzzTests(DECISION_TARGETS);
});
