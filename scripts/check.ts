/**
 * `npm run check`: everything that must hold before a change goes in, apart from the tests. Every step runs, so one
 * visit shows everything that is wrong; the exit code is 1 when any step failed.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The usual remedy. */
  readonly remedy?: string;
}

const STEPS: readonly Step[] = [
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'], remedy: 'npm run format' },
  { name: 'lint and import ladder', command: ['oxlint', '.'] },
  { name: 'types', command: ['tsc', '--noEmit', '--project', '.'] },
  { name: 'types of the page', command: ['tsc', '--noEmit', '--project', 'src/console/page'] },
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
  generated('generated schemas are current', 'schemas'),
  generated('picture of the demo is current', 'picture'),
  generated('page of the console is current', 'console'),
];

/** Makes a step that runs a generator with `--check`, which reports whether its output is current. */
function generated(name: string, what: string): Step {
  const command = ['node', `scripts/generate-${what}.ts`, '--check'] as const;
  return { name, command, remedy: 'npm run generate' };
}

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs one step and prints its verdict; output is shown only where the step failed. */
async function passes({ name, command, remedy }: Step): Promise<boolean> {
  const [program, ...args] = command;
  const { code, output } = await ended(program, args);
  if (code === 0) {
    console.log(`ok      ${name}`);
    return true;
  }
  console.log(`FAILED  ${name}${remedy === undefined ? '' : ` (try: ${remedy})`}`);
  console.log(output.trimEnd());
  return false;
}

/** Resolves with everything that a program printed, or with the reason why it could not be started. */
function ended(program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', ({ message }) => resolve({ code: null, output: message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/**
 * Runs as many steps at once as there are cores: most keep one busy or wait, and none writes a file that another
 * reads.
 */
async function failedSteps(): Promise<readonly Step[]> {
  const failed = new Set<Step>();
  const waiting = [...STEPS];
  const inTurn = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
      if (!(await passes(step))) failed.add(step);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, inTurn));
  return STEPS.filter((step) => failed.has(step));
}

const failed = await failedSteps();
console.log(
  failed.length === 0
    ? `\ncheck: all ${STEPS.length} steps passed`
    : `\ncheck: ${failed.length} of ${STEPS.length} steps failed: ${failed.map((step) => step.name).join(', ')}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
