import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';
import { WORD_TARGETS } from '../support/fuzz/targets/words.ts';

describe('flags, certificates and seeds that are broken in any way', () => {
  fuzzTests(WORD_TARGETS);
});
