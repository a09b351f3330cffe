import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';

describe('state files and their locks that are broken in any way', () => {
  fuzzTests('state');
});
