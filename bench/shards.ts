import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { type Fleet, GENEROUS, withFleetAtRest } from './support/fleet.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import type { OperatorProcess } from './support/operator-process.ts';
import { pause } from './support/until.ts';

const SHARDS = ['a', 'b', 'c'] as const;
const RESOURCES = 50_000;
/** A sweep at least, at the poll interval that a connection has by default. */
const REST_MS = 90_000;
/** The most memory of a process that serves 20,000 resources alone. */
const MOST_MIB = 220;
const LOOK_EVERY_MS = 2_000;

/** Measures fifty thousand resources on three processes, each with a third of them and its own connection. */
export const shards: Benchmark = {
  name: 'shards',
  about: 'start, memory and processor time of three shards with 50,000 resources together',
  async run(context) {
    const plane = await context.plane();
    const shared = { ...context, plane: () => Promise.resolve(plane) };
    return await withShards(shared, SHARDS, [], (fleets) => measured(context, fleets));
  },
};

/** Measures on a fleet for each shard, all on one API server. */
async function withShards<T>(
  context: BenchContext,
  [shard, ...others]: readonly string[],
  fleets: readonly Fleet[],
  measure: (fleets: readonly Fleet[]) => Promise<T>,
): Promise<T> {
  if (shard === undefined) return await measure(fleets);
  const sizes = [context.smoke ? 2 : Math.ceil(RESOURCES / SHARDS.length)];
  return await withFleetAtRest(context, { sizes, shard, connection: { rateLimit: GENEROUS } }, (fleet) =>
    withShards(context, others, [...fleets, fleet], measure),
  );
}

async function measured(context: BenchContext, fleets: readonly Fleet[]): Promise<readonly Measurement[]> {
  const beganMs = Date.now();
  // A restart of all at once, as after an upgrade: everything is listed three times, nothing is written.
  const operators = await Promise.all(fleets.map((fleet) => fleet.run()));
  await Promise.all(
    operators.map((operator, at) => operator.allReady(fleets[at]?.members.flat().length ?? 0)),
  );
  const readyMs = Date.now() - beganMs;
  const first = await processorSeconds(operators);
  const restMs = context.smoke ? 1_000 : REST_MS;
  const looks: number[] = [];
  for (const endMs = Date.now() + restMs; Date.now() < endMs;) {
    await pause(Math.min(LOOK_EVERY_MS, restMs));
    looks.push(...(await Promise.all(operators.map((operator) => operator.residentMiB()))));
  }
  const resting = (await processorSeconds(operators)).map((seconds, at) => seconds - (first[at] ?? 0));
  const fleet = `${RESOURCES.toLocaleString('en')} resources on three shards`;
  return [
    { name: `start until all are Ready, ${fleet}`, unit: 'ms', samples: [readyMs] },
    { name: `resident memory of a shard, ${fleet}`, unit: 'MiB', samples: looks, target: atMost(MOST_MIB) },
    {
      name: `processor time of a start and its first passes, each shard, ${fleet}`,
      unit: 's',
      samples: first,
    },
    {
      name: `processor time of a minute at rest, each shard, ${fleet}`,
      unit: 's',
      samples: resting.map((seconds) => seconds * (60_000 / restMs)),
    },
  ];
}

function processorSeconds(operators: readonly OperatorProcess[]): Promise<readonly number[]> {
  return Promise.all(operators.map((operator) => operator.processorSeconds()));
}
