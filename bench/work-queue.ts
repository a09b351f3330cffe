import type { Key } from '../src/api/metadata.ts';
import { systemClock } from '../src/runtime/process/system-clock.ts';
import { WorkQueue } from '../src/runtime/queue/work-queue.ts';
import type { Benchmark } from './support/benchmark.ts';
import { atLeast, atMost, type Measurement, summaryOf } from './support/measurement.ts';
import { type Elapsed, stopwatch } from './support/stopwatch.ts';

const SIZES = [1, 100, 10_000] as const;
const ROUNDS = 200_000;
const PER_SECOND = 500_000;
/** Ten thousand keys hardly fit into the caches of a processor, one does. */
const FLAT_SHARE = 2;

/** Add, get and done, with so many keys in the queue at a time. */
export const workQueue: Benchmark = {
  name: 'work-queue',
  about: 'add, get and done per second, with 1 to 10,000 keys in the queue',
  async run(context) {
    const rounds = context.smoke ? 2_000 : ROUNDS;
    const measurements: Measurement[] = [];
    for (const size of SIZES) {
      const samples: number[] = [];
      const byProcessor: number[] = [];
      for (let run = 0; run <= (context.runs ?? (context.smoke ? 1 : 5)); run += 1) {
        const made = Math.max(rounds, size);
        const { seconds, processorSeconds } = await timeOf(size, made);
        // The first one is compiled on the way.
        if (run === 0) continue;
        samples.push(made / seconds);
        byProcessor.push(made / processorSeconds);
      }
      const name = `add, get and done, ${size.toLocaleString('en')} keys`;
      measurements.push({ name, unit: 'per second', samples, target: atLeast(PER_SECOND) });
      measurements.push({ name: `${name}, by processor time`, unit: 'per second', samples: byProcessor });
    }
    const medians = measurements
      .filter(({ target }) => target === undefined)
      .map((measurement) => summaryOf(measurement).median);
    const spread = Math.max(...medians) / Math.min(...medians);
    return [
      ...measurements,
      { name: 'fastest against slowest of these', unit: '', samples: [spread], target: atMost(FLAT_SHARE) },
    ];
  },
};

/** Puts every key back as soon as it is done, so the queue always has the same size. */
async function timeOf(size: number, rounds: number): Promise<Elapsed> {
  const keys = Array.from({ length: size }, (_, at): Key => ({
    kind: 'Deployment',
    namespace: `team-${at % 50}`,
    name: `agent-${at}`,
  }));
  const queue = new WorkQueue({ clock: systemClock, laneOf: () => 'lane', laneLimit: () => 64 });
  for (const key of keys) queue.add(key, 'resync');
  const elapsed = stopwatch();
  for (let round = 0; round < rounds; round += 1) {
    const key = await queue.get();
    if (key === undefined) throw new Error('the queue ended');
    queue.done(key);
    queue.add(key, 'resync');
  }
  const took = elapsed();
  queue.shutdown();
  return took;
}
