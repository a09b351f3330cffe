/**
 * `node bench/cli-start.ts [--runs N] [--json]`: from the start of the process to its end, for the commands that people
 * and editors call most.
 */
import { join } from 'node:path';
import type { Measurement } from './support/measurement.ts';
import { buildProgram, type Program } from './support/program.ts';
import { benchOptions, progress, tellResults } from './support/report.ts';

const MANIFEST = join(import.meta.dirname, '..', 'manifests', 'examples', 'adopt-by-name.yaml');

const COMMANDS = [
  { name: '--help', words: ['--help'], targetMs: 150 },
  { name: 'validate, one file', words: ['validate', '-f', MANIFEST], targetMs: 250 },
] as const;

async function measured(
  program: Program,
  command: (typeof COMMANDS)[number],
  runs: number,
): Promise<Measurement> {
  const { name, words, targetMs } = command;
  progress(`${name}: ${runs} runs`);
  // The first one reads the files from the disk, and is not counted.
  await program.start(words).ended();
  const samplesMs: number[] = [];
  for (let run = 0; run < runs; run += 1) samplesMs.push(await program.start(words).ended());
  return { name, samplesMs, targetMs };
}

const options = benchOptions(15);
progress('building the bundle');
const program = await buildProgram();
try {
  const measurements: Measurement[] = [];
  for (const command of COMMANDS) measurements.push(await measured(program, command, options.runs));
  tellResults('cli-start', measurements, options);
} finally {
  await program.remove();
}
