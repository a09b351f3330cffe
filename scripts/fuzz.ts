/**
 * `npm run fuzz -- --minutes 10`: everything that reads what comes from outside is given inputs that are not what they
 * should be, as in `npm test` but with other seeds and for as long as is asked. An input that does harm is made as small
 * as it goes and kept in a file, which every run of `npm test` reads from then on; the exit code is 1.
 */
import { parseArgs } from 'node:util';
import { harmText } from '../test/support/fuzz/report.ts';
import { fuzz } from '../test/support/fuzz/run.ts';
import type { Target } from '../test/support/fuzz/target.ts';
import { TARGETS } from '../test/support/fuzz/targets.ts';

const HELP = `npm run fuzz -- [--minutes N] [--target NAME]... [--seed S]

  --minutes N     how long, shared by the targets; 10 unless told
  --target NAME   only this one; may be given several times
  --seed S        where chance begins; another one in every run unless told

targets: ${TARGETS.map(({ name }) => name).join(', ')}
`;

/** Inputs between two looks at the time. */
const SLICE = 500;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    target: { type: 'string', multiple: true },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

/** False where an input did harm. */
async function play(target: Target, seconds: number, firstSeed: number): Promise<boolean> {
  const endMs = Date.now() + seconds * 1000;
  let count = 0;
  for (let seed = firstSeed; ; seed += 1) {
    const length = { cases: Math.min(SLICE, target.cases), seed, onlyChance: seed !== firstSeed };
    const { cases, failure } = await fuzz(target, length);
    count += cases;
    if (failure !== undefined) {
      console.log(harmText(target, failure));
      return false;
    }
    if (Date.now() >= endMs) break;
  }
  console.log(`${target.name}: ${count} inputs, none did harm`);
  return true;
}

const unknown = (values.target ?? []).filter((name) => !TARGETS.some((target) => target.name === name));
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `no target ${unknown.join(', ')}\n\n${HELP}` : HELP);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  const targets = TARGETS.filter(({ name }) => values.target?.includes(name) ?? true);
  const seconds = (Number(values.minutes) * 60) / targets.length;
  console.log(`seed ${values.seed}`);
  for (const target of targets) if (!(await play(target, seconds, Number(values.seed)))) process.exitCode = 1;
}
