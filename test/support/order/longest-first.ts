import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take half a minute or more, alone in their worker. One that starts last would keep one core busy while
 * the other waits; a fresh checkout knows no durations of earlier runs.
 */
const LONGEST = [
  'test/docs/story/stories.cluster.test.ts',
  'test/attack/answers.cluster.test.ts',
  'test/install/installed.cluster.test.ts',
  'test/e2e/bench-smoke.test.ts',
  'test/attack/secrets.cluster.test.ts',
  'test/attack/redaction.cluster.test.ts',
  'test/kubernetes/installed/other-crds.test.ts',
  'test/e2e/trusted-ready.test.ts',
  'test/e2e/chaos.test.ts',
  'test/e2e/at-rest.test.ts',
  'test/e2e/kill.test.ts',
  'test/e2e/soak.test.ts',
  'test/cli/commands/plan-agrees.long.test.ts',
  'test/directory/store/checkout.long.test.ts',
  'test/docs/first-change.long.test.ts',
  'test/matrix/random-seeds.long.test.ts',
  'test/matrix/matrix.long.test.ts',
  'test/matrix/mutants.long.test.ts',
  'test/cli/commands/demo.long.test.ts',
  'test/reconcile/recovery/crash-everywhere.long.test.ts',
  'test/reconcile/fairness/bad-services.long.test.ts',
];

/** Starts the longest files of each project first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return at === -1 ? LONGEST.length : at;
    };
    const group = ({ project }: TestSpecification): string =>
      `${project.config.sequence.groupOrder} ${project.name}`;
    return sorted.sort((a, b) => (group(a) === group(b) ? rank(a) - rank(b) : 0));
  }
}
