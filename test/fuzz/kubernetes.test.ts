import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';
import { KUBERNETES_TARGETS } from '../support/fuzz/targets/kubernetes.ts';

describe('streams, objects and kubeconfigs that are broken in any way', () => {
  fuzzTests(KUBERNETES_TARGETS);
});
