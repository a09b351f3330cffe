import type { Target } from './target.ts';
import { DECISION_TARGETS } from './targets/decisions.ts';
import { DIRECTORY_TARGETS } from './targets/directory.ts';
import { KUBERNETES_TARGETS } from './targets/kubernetes.ts';
import { SERVICE_TARGETS } from './targets/service.ts';
import { WORD_TARGETS } from './targets/words.ts';

/** Everything that reads what comes from outside. */
export const TARGETS: readonly Target[] = [
  ...SERVICE_TARGETS,
  ...KUBERNETES_TARGETS,
  ...DIRECTORY_TARGETS,
  ...WORD_TARGETS,
  ...DECISION_TARGETS,
];
