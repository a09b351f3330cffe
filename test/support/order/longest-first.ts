import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/**
 * The files that take half a minute or more. One that started last would keep one core busy while the others wait, and
 * a fresh checkout knows no durations of earlier runs. Files that wait for programs alternate with files that compute.
 */
const LONGEST = [
  'test/docs/story/stories.cluster.test.ts',
  'test/matrix/random-seeds.long.test.ts',
  'test/attack/answers.cluster.test.ts',
  'test/install/installed.cluster.test.ts',
  'test/matrix/matrix.long.test.ts',
  'test/cli/commands/plan-agrees.long.test.ts',
  'test/e2e/bench-smoke.test.ts',
  'test/attack/secrets.cluster.test.ts',
  'test/directory/store/checkout.long.test.ts',
  'test/docs/first-change.long.test.ts',
  'test/kubernetes/installed/other-crds.test.ts',
  'test/matrix/mutants.long.test.ts',
  'test/e2e/trusted-ready.test.ts',
  'test/attack/redaction.cluster.test.ts',
  'test/reconcile/recovery/crash-everywhere.long.test.ts',
  'test/e2e/chaos.test.ts',
  'test/e2e/at-rest.test.ts',
  'test/reconcile/fairness/bad-services.long.test.ts',
  'test/supply-chain/release.long.test.ts',
  'test/e2e/kill.test.ts',
  'test/e2e/soak.test.ts',
  'test/cli/commands/demo.long.test.ts',
].map(existing);

function existing(path: string): string {
  if (existsSync(join(ROOT, path))) return `/${path}`;
  throw new Error(`${path} is in the list of the longest test files and does not exist`);
}

/** Starts the longest files first, and the others in the order of vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ordered = await BaseSequencer.prototype.sort.call(this, files);
    const longest = LONGEST.flatMap((path) => ordered.filter(({ moduleId }) => moduleId.endsWith(path)));
    return [...longest, ...ordered.filter((file) => !longest.includes(file))];
  }
}
