/** `npm run bench -- [NAME…]`: runs all benchmarks, or the named ones, one after the other. */
import { parseArgs } from 'node:util';
import { callsAtRest } from './calls-at-rest.ts';
import { cliStart } from './cli-start.ts';
import { consolePage } from './console-page.ts';
import { consoleServer } from './console.ts';
import { crdSize } from './crd-size.ts';
import { directoryApply } from './directory-apply.ts';
import { fairTurns } from './fair-turns.ts';
import { firstPatch } from './first-patch.ts';
import { kill } from './kill.ts';
import { memory } from './memory.ts';
import { memoryOf20000 } from './memory-of-20000.ts';
import { newConnection } from './new-connection.ts';
import { reflector } from './reflector.ts';
import { retryAfter } from './retry-after.ts';
import { serviceConnections } from './service-connections.ts';
import { shards } from './shards.ts';
import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { contexts, progress } from './support/context.ts';
import { summaryOf, tableOf } from './support/measurement.ts';
import { keepResult, keptResults, type Result, resultOf } from './support/results.ts';
import { writePerformanceDocs } from './support/performance-docs.ts';
import { thousandEdits } from './thousand-edits.ts';
import { threeThousandEdits } from './three-thousand-edits.ts';
import { withoutLimit } from './without-limit.ts';
import { workQueue } from './work-queue.ts';
import { writesAtRest } from './writes-at-rest.ts';

const BENCHMARKS: readonly Benchmark[] = [
  callsAtRest,
  writesAtRest,
  thousandEdits,
  threeThousandEdits,
  newConnection,
  withoutLimit,
  kill,
  fairTurns,
  firstPatch,
  retryAfter,
  serviceConnections,
  memory,
  memoryOf20000,
  shards,
  reflector,
  workQueue,
  consoleServer,
  consolePage,
  crdSize,
  cliStart,
  directoryApply,
];

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  smoke: { type: 'boolean' },
  json: { type: 'boolean' },
  docs: { type: 'boolean' },
  runs: { type: 'string' },
  minutes: { type: 'string' },
  program: { type: 'string' },
} as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  if (values.help === true) return say(help(), 0);
  const unknown = positionals.filter((name) => !BENCHMARKS.some((known) => known.name === name));
  if (unknown.length > 0) return say(`unknown: ${unknown.join(', ')}\n\n${help()}`, 64);
  if (values.docs === true)
    return say(
      await writePerformanceDocs(
        keptResults(),
        BENCHMARKS.map(({ name }) => name),
      ),
      0,
    );
  const chosen = BENCHMARKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const { smoke = false, json = false } = values;
  const how = { smoke, runs: numberOf('runs', values.runs), minutes: numberOf('minutes', values.minutes) };
  const { results, failed } = await runAll(chosen, how, values.program);
  if (json) say(JSON.stringify(results), 0);
  else tell(results);
  return failed ? 1 : 0;
}

async function runAll(
  benchmarks: readonly Benchmark[],
  how: Pick<BenchContext, 'smoke' | 'runs' | 'minutes'>,
  program: string | undefined,
): Promise<{ readonly results: readonly Result[]; readonly failed: boolean }> {
  const made = contexts(how, program);
  const results: Result[] = [];
  let failed = false;
  const runOne = async (benchmark: Benchmark): Promise<void> => {
    progress(`\n${benchmark.name}: ${benchmark.about}`);
    try {
      const summaries = (await benchmark.run(made.next())).map(summaryOf);
      const result = resultOf(benchmark.name, commandOf(benchmark, how), summaries);
      if (!how.smoke) keepResult(result);
      results.push(result);
    } catch (error) {
      failed = true;
      progress(`${benchmark.name} failed: ${error instanceof Error ? error.stack : String(error)}`);
    }
    await made.ended();
  };
  try {
    for (const turn of turnsOf(benchmarks, how.smoke)) await Promise.all(turn.map(runOne));
  } finally {
    await made.close();
  }
  return { results: inOrder(results), failed };
}

/** One after the other; a smoke run, whose figures say nothing, waits for many at once. */
function turnsOf(benchmarks: readonly Benchmark[], smoke: boolean): readonly (readonly Benchmark[])[] {
  const alone = benchmarks.filter(({ countsWrites }) => !smoke || countsWrites === true);
  const together = benchmarks.filter((benchmark) => !alone.includes(benchmark));
  return [...alone.map((benchmark) => [benchmark]), together];
}

/** Sorts results in the order of this list; leaves out benchmarks that no longer exist. */
function inOrder(results: readonly Result[]): readonly Result[] {
  return BENCHMARKS.flatMap(({ name }) => results.filter(({ bench }) => bench === name));
}

function commandOf({ name }: Benchmark, { runs, minutes }: Pick<BenchContext, 'runs' | 'minutes'>): string {
  const options = [
    ...(runs === undefined ? [] : [`--runs ${runs}`]),
    ...(minutes === undefined ? [] : [`--minutes ${minutes}`]),
  ];
  return ['npm run bench --', name, ...options].join(' ');
}

function tell(results: readonly Result[]): void {
  if (results.length === 0) return;
  const summaries = results.flatMap((result) => result.summaries);
  const missed = summaries.filter(({ ratio = 0 }) => ratio > 1);
  const verdict =
    missed.length === 0
      ? 'every figure keeps its target'
      : `over target: ${missed.map(({ name }) => name).join('; ')}`;
  say(`\n${tableOf(summaries)}${verdict}`, 0);
}

function numberOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`--${name}: expected a number above 0, not ${text}`);
  return number;
}

function help(): string {
  const width = Math.max(...BENCHMARKS.map(({ name }) => name.length));
  return [
    'npm run bench -- [NAME…] [--runs COUNT] [--minutes MINUTES] [--json] [--smoke] [--program FILE] [--docs]',
    '',
    ...BENCHMARKS.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
    '',
    'Without a name all of them, in little more than an hour. Results go to bench/results/NAME.json, with --json to',
    'standard output as well. --runs repeats what is repeated so often; --minutes watches what is watched so long.',
    '--smoke shows within a minute that everything still measures, with a few resources, and keeps nothing. --program',
    'FILE measures a bundle that was built before. --docs measures nothing and writes the results that are there into',
    'docs/performance.md and docs/scale.md.',
  ].join('\n');
}

function say(text: string, code: number): number {
  process.stdout.write(`${text}\n`);
  return code;
}
