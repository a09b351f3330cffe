import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';

describe('answers and objects of the API server that are broken in any way', () => {
  fuzzTests('api-server');
});
