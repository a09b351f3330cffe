import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';

describe('manifests that are broken in any way', () => {
  fuzzTests('manifests');
});
