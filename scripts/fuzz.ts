/**
 * `npm run fuzz -- --minutes 10`: gives broken inputs to every reader of outside data, as `npm test` does, but with
 * other seeds and for as long as you ask. Shrinks an input that does harm and keeps it in a file, which every later
 * `npm test` reads; the exit code is then 1.
 */
import { parseArgs } from 'node:util';
import { fuzzApart } from '../test/support/fuzz/apart.ts';
import { type Hand, HANDS } from '../test/support/fuzz/deal.ts';
import { harmText } from '../test/support/fuzz/report.ts';

const HELP = `npm run fuzz -- [--minutes N] [--target NAME]... [--seed S]

  --minutes N     how long, shared by the targets, each of which reads as many inputs as in npm test at least;
                  10 unless told
  --target NAME   only this one; may be given several times
  --seed S        where chance begins; another one in every run unless told

targets: ${HANDS.map(({ target }) => target).join(', ')}
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    target: { type: 'string', multiple: true },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

/** False where an input did harm. */
async function play(hand: Hand, seconds: number, firstSeed: number): Promise<boolean> {
  const endMs = Date.now() + seconds * 1000;
  let count = 0;
  for (let seed = firstSeed; seed === firstSeed || Date.now() < endMs; seed += 1) {
    const length = { cases: hand.cases, seed, onlyChance: seed !== firstSeed };
    const { cases, failure } = await fuzzApart(hand, length);
    count += cases;
    if (failure !== undefined) {
      console.log(harmText(hand.target, seed, failure));
      return false;
    }
  }
  console.log(`${hand.target}: ${count} inputs, none did harm`);
  return true;
}

const unknown = (values.target ?? []).filter((name) => !HANDS.some(({ target }) => target === name));
if (values.help || unknown.length > 0) {
  console.log(unknown.length > 0 ? `no target ${unknown.join(', ')}\n\n${HELP}` : HELP);
  process.exitCode = unknown.length > 0 ? 2 : 0;
} else {
  const hands = HANDS.filter(({ target }) => values.target?.includes(target) ?? true);
  const seconds = (Number(values.minutes) * 60) / hands.length;
  console.log(`seed ${values.seed}`);
  for (const hand of hands) if (!(await play(hand, seconds, Number(values.seed)))) process.exitCode = 1;
}
