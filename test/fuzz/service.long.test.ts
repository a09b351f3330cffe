import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';

describe('answers of the service that are broken in any way', () => {
  fuzzTests('service');
});
