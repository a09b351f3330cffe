import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Summary } from './measurement.ts';

const RESULTS = join(import.meta.dirname, '..', 'results');

/** The machine of a measurement. */
export interface Machine {
  readonly node: string;
  readonly processors: number;
  readonly model: string;
  readonly memoryGiB: number;
}

/** The result of one benchmark. */
export interface Result {
  readonly bench: string;
  /** ISO 8601. */
  readonly at: string;
  /** The command that measures it again. */
  readonly command: string;
  readonly machine: Machine;
  readonly summaries: readonly Summary[];
}

/** The result of a benchmark that has just been run here. */
export function resultOf(bench: string, command: string, summaries: readonly Summary[]): Result {
  const machine = {
    node: process.version,
    processors: cpus().length,
    model: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
  };
  return { bench, at: new Date().toISOString(), command, machine, summaries };
}

/** Writes bench/results/NAME.json. */
export function keepResult(result: Result): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${result.bench}.json`), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** The newest result of every benchmark that was ever run in this checkout. */
export function keptResults(): readonly Result[] {
  mkdirSync(RESULTS, { recursive: true });
  return readdirSync(RESULTS)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => JSON.parse(readFileSync(join(RESULTS, file), 'utf8')) as Result);
}
