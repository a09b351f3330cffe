import { describe } from 'vitest';
import { fuzzTests } from '../support/fuzz/suite.ts';
import { DIRECTORY_TARGETS } from '../support/fuzz/targets/directory.ts';

describe('manifests and state files that are broken in any way', () => {
  fuzzTests(DIRECTORY_TARGETS);
});
