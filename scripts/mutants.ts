/**
 * `npm run mutants -- --seeds 2000 [CODE ...]`: takes the fixes back one by one and says after how many seeds of the matrix
 * the oracle noticed. `--write` keeps the seeds in test/support/mutants/found.json, which `npm test` plays again. The exit
 * code is 1 where one was not noticed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allMutants, copyTo, type Mutant, revertIn, runIn } from '../test/support/mutants/mutant.ts';
import { FOUND, type Found, readFound } from '../test/support/mutants/found.ts';

/** The result of one mutant. */
interface Verdict extends Found {
  readonly code: string;
}

const ROOT = join(import.meta.dirname, '..');

const HELP = `npm run mutants -- [--seeds N] [--seed S] [--write] [CODE...]

Reverts the fixes with these codes, or all of them, one at a time, and says after how many seeds of the matrix the
oracle fails. The exit code is 1 when it fails for none of the seeds of a fix.

  --seeds N   seeds for each fix; 2000 by default
  --seed S    the first one; 1 by default
  --write     keeps the seeds in test/support/mutants/found.json, which npm test plays again
`;

const { values, positionals } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    seeds: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const wanted = allMutants().filter(({ code }) => positionals.length === 0 || positionals.includes(code));
const waiting = [...wanted];
const verdicts: Verdict[] = [];
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, () => work()));
const missed = verdicts.filter(({ seed }) => seed === undefined);
console.log(`${verdicts.length - missed.length} of ${verdicts.length} noticed within ${values.seeds} seeds`);
if (values.write) {
  const all = { ...readFound() };
  // A mutant that no seed found keeps its written reason.
  for (const { code, ...found } of verdicts) if (found.seed !== undefined) all[code] = found;
  writeFileSync(FOUND, `${JSON.stringify(all, undefined, 2)}\n`);
}
process.exitCode = missed.length > 0 ? 1 : 0;

async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const verdict = await judged(mutant);
    verdicts.push(verdict);
    const after =
      verdict.seed === undefined
        ? 'not noticed'
        : `noticed by seed ${verdict.seed}, run ${verdict.runs}: ${verdict.rule}`;
    console.log(`${mutant.code}  ${after}`);
  }
}

async function judged(mutant: Mutant): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'mutant-'));
  try {
    copyTo(folder);
    revertIn(folder, mutant);
    const [first, end] = [Number(values.seed), Number(values.seed) + Number(values.seeds)];
    for (let from = first; from < end;) {
      const wrong = await firstWrong(folder, from, end - from);
      if (wrong === undefined) break;
      const { seed, rule } = wrong;
      // A seed that goes wrong without the mutant too says nothing about it.
      const isOpen = (await firstWrong(ROOT, seed, 1)) !== undefined;
      if (!isOpen) return { code: mutant.code, runs: seed - first + 1, seed, rule };
      from = seed + 1;
    }
    return { code: mutant.code };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first of so many seeds that goes wrong in a copy of the project; undefined where none does. */
async function firstWrong(
  folder: string,
  seed: number,
  seeds: number,
): Promise<{ readonly seed: number; readonly rule: string } | undefined> {
  const { output } = await runIn(folder, [
    join(folder, 'scripts', 'matrix.ts'),
    ...['--until-wrong', '--seeds', String(seeds), '--seed', String(seed)],
  ]);
  const line = /WRONG after \d+ runs at seed (\d+): (.*)/.exec(output);
  if (line !== null) return { seed: Number(line[1]), rule: line[2]?.split(':')[0] ?? '' };
  if (!output.includes('all went well')) throw new Error(output.slice(-2000));
  return undefined;
}
