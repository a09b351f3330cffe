import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';

describe('flags, certificates and seeds that are broken in any way', () => {
  fuzzTests('words');
});
