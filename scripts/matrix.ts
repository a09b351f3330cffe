/**
 * `npm run matrix -- --seeds N --seed S`: the operator against every pair of answers to the open questions of the
 * specification, then N runs by chance from seed S on. `--replay S` makes the run of one seed as small as it goes and
 * prints it; `--pair N` plays one combination; `--hours H` plays stories of H hours, one for each seed; `--until-wrong` stops at the first seed that goes wrong. The exit code is 1
 * when anything went wrong.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { progressLine } from '../test/support/chaos/report.ts';
import { EXCUSES } from '../test/support/oracle/finding.ts';
import {
  described,
  joined,
  longRun,
  pairRuns,
  playAll,
  seededRun,
  shrunk,
  type Summary,
} from '../test/support/matrix/series.ts';

const HELP = `npm run matrix -- [--seeds N] [--seed S] [--hours H | --until-wrong | --replay SEED | --pair N]

Plays every pair of answers to the open questions of the specification, then random runs, and judges each. The
exit code is 1 when a run goes wrong.

  --seeds N       random runs; 1000 by default, 1 with --hours
  --seed S        the seed of the first one; 1 by default
  --hours H       plays stories of H hours instead, one for each seed
  --until-wrong   stops at the first seed that goes wrong
  --replay SEED   makes the run of one seed as small as it goes, and prints it
  --pair N        plays one pair
`;

/** Every `step`-th run from `from` on is one worker's. */
interface Share {
  readonly seed: number;
  readonly seeds: number;
  readonly from: number;
  readonly step: number;
}

/** Failures that are printed in full. */
const SHOWN_FAILURES = 5;

/** Tells after a run whether it went well. */
type OnPlayed = (isGood: boolean) => void;

/** A message of a worker: the result of one run, or of its whole share. */
type Message = { readonly isGood: boolean } | { readonly summary: Summary };

async function playShare({ seed, seeds, from, step }: Share, onPlayed: OnPlayed): Promise<Summary> {
  const seeded = Array.from({ length: seeds }, (_, at) => seed + at);
  const runs = [...pairRuns().map((named) => () => named), ...seeded.map((one) => () => seededRun(one))];
  const own = runs.filter((_, at) => at % step === from).map((make) => make());
  return playAll(own, onPlayed);
}

function inWorker(share: Share, onPlayed: OnPlayed): Promise<Summary> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    const receive = (message: Message): void =>
      'summary' in message ? resolve(message.summary) : onPlayed(message.isGood);
    worker.on('message', receive).once('error', reject);
  });
}

async function runWorker(): Promise<void> {
  const tell = (message: Message): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread has no origin
    parentPort?.postMessage(message);
  };
  tell({ summary: await playShare(workerData as Share, (isGood) => tell({ isGood })) });
}

/** Plays a number of runs, and shows on standard error how many have ended. */
async function withProgress<T>(runs: number, play: (onPlayed: OnPlayed) => Promise<T>): Promise<T> {
  const progress = progressLine();
  let [played, wrong] = [0, 0];
  const result = await play((isGood) => {
    played += 1;
    if (!isGood) wrong += 1;
    progress.tell(`${played} of ${runs} runs, ${wrong} wrong`);
  });
  progress.done();
  return result;
}

async function replay(seed: number): Promise<boolean> {
  const found = await shrunk(seed);
  if (found === undefined) console.log(`seed ${seed} goes well`);
  else
    console.log(`seed ${seed} goes wrong, and as small as it goes:\n${described(found.run)}\n${found.wrong}`);
  return found === undefined;
}

async function playPair(at: number): Promise<boolean> {
  return report(await playAll(pairRuns().slice(at, at + 1)));
}

/** Plays one seed after the other until one goes wrong. */
async function playUntilWrong(seed: number, seeds: number): Promise<boolean> {
  const wrong = await withProgress(seeds, async (onPlayed) => {
    for (let at = 0; at < seeds; at += 1) {
      const { failures } = await playAll([seededRun(seed + at)], onPlayed);
      const [failure] = failures;
      if (failure !== undefined)
        return `WRONG after ${at + 1} runs at seed ${seed + at}: ${failure.wrong.split('\n')[0]}`;
    }
    return undefined;
  });
  console.log(wrong ?? `${seeds} seeds from ${seed} on: all went well`);
  return wrong === undefined;
}

/** Plays stories of several days, one after the other. */
async function playLong(seed: number, seeds: number, hours: number): Promise<boolean> {
  const started = performance.now();
  const runs = Array.from({ length: seeds }, (_, at) => longRun(seed + at, hours));
  const acts = runs.reduce((sum, { run }) => sum + run.story.length, 0);
  const summary = await withProgress(seeds, (onPlayed) => playAll(runs, onPlayed));
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`${seeds} × ${hours} hours, ${acts} acts, ${seconds} s`);
  return report(summary);
}

async function playEverything(seed: number, seeds: number): Promise<boolean> {
  const step = Math.min(4, availableParallelism());
  const started = performance.now();
  const summary = await withProgress(pairRuns().length + seeds, async (onPlayed) => {
    const shares = Array.from({ length: step }, (_, from) => inWorker({ seed, seeds, from, step }, onPlayed));
    return joined(await Promise.all(shares));
  });
  const last = seeds === 0 ? '' : `, seeds ${seed} to ${seed + seeds - 1}`;
  console.log(`${summary.runs} runs${last}, ${Math.round((performance.now() - started) / 1000)} s`);
  return report(summary);
}

function report(summary: Summary): boolean {
  const { worstPatches, worstRevisions, worstPasses, excused, ends, reasons, failures } = summary;
  console.log(`after one act at most ${worstPatches} PATCHes and ${worstRevisions} revisions`);
  console.log(`at rest at most ${worstPasses} passes over the list within a poll interval`);
  console.log(
    `ended with: ${Object.entries(ends)
      .map(([end, count]) => `${end} ${count}`)
      .join(', ')}`,
  );
  console.log(`reasons on the way: ${reasons.join(', ')}`);
  console.log('excused:');
  for (const [name, reason] of Object.entries(EXCUSES))
    console.log(`  ${excused[name as keyof typeof EXCUSES] ?? 0} × ${name}: ${reason}`);
  for (const { name, run, wrong } of failures.slice(0, SHOWN_FAILURES))
    console.log(`\nWRONG   npm run matrix -- ${name}\n${described(run)}\n${wrong}`);
  if (failures.length > 0)
    console.log(`\n${failures.length} went wrong: ${failures.map(({ name }) => name).join(', ')}`);
  return failures.length === 0;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      seeds: { type: 'string' },
      hours: { type: 'string' },
      seed: { type: 'string', default: '1' },
      replay: { type: 'string' },
      pair: { type: 'string' },
      'until-wrong': { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const good =
    values.replay !== undefined
      ? await replay(Number(values.replay))
      : values.pair !== undefined
        ? await playPair(Number(values.pair))
        : values.hours !== undefined
          ? await playLong(Number(values.seed), Number(values.seeds ?? 1), Number(values.hours))
          : values['until-wrong']
            ? await playUntilWrong(Number(values.seed), Number(values.seeds ?? 1000))
            : await playEverything(Number(values.seed), Number(values.seeds ?? 1000));
  process.exitCode = good ? 0 : 1;
}

await (isMainThread ? main() : runWorker());
