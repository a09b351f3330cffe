import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';
import { SERVICE_TARGETS } from '../support/fuzz/targets/service.ts';

describe('answers of the service that are broken in any way', () => {
  fuzzTests(SERVICE_TARGETS);
});
