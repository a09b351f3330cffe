import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measurement, type Summary, summaryOf, tableOf } from './measurement.ts';

const RESULTS = join(import.meta.dirname, '..', 'results');

/** How a benchmark was called. */
export interface BenchOptions {
  readonly runs: number;
  /** Results go to standard output as one line of JSON, instead of a table and a file. */
  readonly json: boolean;
}

/** Reads `--runs COUNT` and `--json`. Throws for anything else. */
export function benchOptions(defaultRuns: number): BenchOptions {
  const { values } = parseArgs({ options: { runs: { type: 'string' }, json: { type: 'boolean' } } });
  const runs = Number(values.runs ?? defaultRuns);
  if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs: expected a number of 1 or more');
  return { runs, json: values.json ?? false };
}

/** Says on standard error what is being prepared, so that nobody waits before a silent terminal. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Tells the results: a table and bench/results/NAME.json, or a line of JSON on standard output. */
export function tellResults(
  name: string,
  measurements: readonly Measurement[],
  { json }: BenchOptions,
): void {
  const summaries = measurements.map(summaryOf);
  const result = { bench: name, at: new Date().toISOString(), ...machine(), summaries };
  if (json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(result, undefined, 2)}\n`);
  process.stdout.write(`\n${tableOf(summaries)}${verdict(summaries)}`);
}

function machine(): { readonly node: string; readonly processors: number; readonly model: string } {
  return { node: process.version, processors: cpus().length, model: cpus()[0]?.model ?? 'unknown' };
}

function verdict(summaries: readonly Summary[]): string {
  const missed = summaries.filter(({ ratio = 0 }) => ratio > 1);
  return missed.length === 0
    ? 'every median is within its target\n'
    : `over target: ${missed.map(({ name }) => name).join(', ')}\n`;
}
