import { memoryOf, type Size } from './memory.ts';
import type { Benchmark } from './support/benchmark.ts';

const LARGEST: Size = { count: 20_000, targetMiB: 220 };

/** Measures memory with the most resources that one process is meant for; it takes a quarter of an hour to make them. */
export const memoryOf20000: Benchmark = {
  name: 'memory-of-20000',
  about: 'the same as memory, with 20,000 resources',
  run: (context) => memoryOf(context, context.smoke ? 5 : LARGEST.count, LARGEST),
};
