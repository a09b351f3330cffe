import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';

describe('kubeconfigs that are broken in any way', () => {
  fuzzTests('kubeconfig');
});
