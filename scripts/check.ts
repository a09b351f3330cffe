/**
 * `npm run check`: everything that must hold before a change goes in, apart from the tests. Every step runs, so one
 * visit shows everything that is wrong; the exit code is 1 when any step failed.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** What usually puts it right. */
  readonly remedy?: string;
}

const STEPS: readonly Step[] = [
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'], remedy: 'npm run format' },
  { name: 'lint and import ladder', command: ['oxlint', '.'] },
  { name: 'types', command: ['tsc', '--noEmit', '--project', '.'] },
  { name: 'unused files, exports and dependencies', command: ['knip', '--no-progress'] },
  {
    name: 'lock file, licences and install scripts',
    command: ['node', 'scripts/check-lock-file.ts'],
  },
  generated('generated files are current', 'api'),
  generated('generated manifests are current', 'gitops'),
  generated('generated monitoring is current', 'monitoring'),
  generated('generated chart is current', 'chart'),
  generated('generated reference is current', 'reference'),
  generated('picture of the demo is current', 'picture'),
];

/** A generator says with `--check` whether what it would write is there. */
function generated(name: string, what: string): Step {
  const command = ['node', `scripts/generate-${what}.ts`, '--check'] as const;
  return { name, command, remedy: 'npm run generate' };
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs one step and prints its verdict; output is shown only where the step failed. */
function passes({ name, command, remedy }: Step): boolean {
  const [program, ...args] = command;
  const result = spawnSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (result.status === 0) {
    console.log(`ok      ${name}`);
    return true;
  }
  console.log(`FAILED  ${name}${remedy === undefined ? '' : ` (try: ${remedy})`}`);
  console.log(`${result.error?.message ?? ''}${result.stdout ?? ''}${result.stderr ?? ''}`.trimEnd());
  return false;
}

const failed = STEPS.filter((step) => !passes(step));
console.log(
  failed.length === 0
    ? `\ncheck: all ${STEPS.length} steps passed`
    : `\ncheck: ${failed.length} of ${STEPS.length} steps failed: ${failed.map((step) => step.name).join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
