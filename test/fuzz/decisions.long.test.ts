import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';

describe('statuses and lists that are broken in any way', () => {
  fuzzTests('decisions');
});
