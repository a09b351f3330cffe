import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';

describe('lines of a watch that are broken in any way', () => {
  fuzzTests('watch');
});
