import { join } from 'node:path';
import type { Benchmark } from './support/benchmark.ts';
import { atMost, type Measurement } from './support/measurement.ts';

const MANIFEST = join(import.meta.dirname, '..', 'manifests', 'examples', 'adopt-by-name.yaml');

const COMMANDS = [
  { name: '--help', words: ['--help'], target: atMost(150) },
  { name: 'validate, one file', words: ['validate', '-f', MANIFEST], target: atMost(250) },
] as const;

/** From the start of the process to its end. */
export const cliStart: Benchmark = {
  name: 'cli-start',
  about: 'how long the commands take that people and editors call most',
  async run(context) {
    const program = await context.program();
    const runs = context.runs ?? (context.smoke ? 1 : 15);
    const measurements: Measurement[] = [];
    for (const { name, words, target } of COMMANDS) {
      context.progress(`${name}: ${runs} runs`);
      // The first one reads the files from the disk, and is not counted.
      await program.start(words).ended();
      const samples: number[] = [];
      for (let run = 0; run < runs; run += 1) samples.push(await program.start(words).ended());
      measurements.push({ name, unit: 'ms', samples, target });
    }
    return measurements;
  },
};
