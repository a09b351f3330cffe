import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { type Fleet, GENEROUS, withFleetAtRest } from './support/fleet.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import type { OperatorProcess } from './support/operator-process.ts';
import { pause } from './support/until.ts';

/** A number of resources, the most memory with them, and the memory of the best peer. */
export interface Size {
  readonly count: number;
  readonly targetMiB: number;
  readonly peer?: string;
}

const SIZES: readonly Size[] = [
  { count: 1_000, targetMiB: 100, peer: '85 MiB' },
  { count: 5_000, targetMiB: 120, peer: '181 MiB' },
  { count: 10_000, targetMiB: 145 },
];
/** A sweep at least, at the poll interval that a connection has by default. */
const REST_MS = 90_000;
const LOOK_EVERY_MS = 2_000;
/** Seconds that the collector has taken since the start, by its own clock. */
const COLLECTED = 'nodejs_gc_duration_seconds_sum';
/** Edits per second during churn: each is a watch event, a PATCH and up to three status writes. */
const CHURN_PER_SECOND = 5;
/** The middle of the last third against the middle of the first: what may be noise of the collector. */
const FLAT_SHARE = 1.1;

/** Measures the memory of the process at rest, and whether it grows while resources change. */
export const memory: Benchmark = {
  name: 'memory',
  about:
    'resident memory and processor time at rest with 1,000 to 10,000 resources, of their first passes, and memory while they change',
  async run(context) {
    const measurements: Measurement[] = [];
    for (const size of SIZES) {
      const count = context.smoke ? 5 : size.count;
      measurements.push(...(await memoryOf(context, count, size)));
      if (context.smoke) break;
      await context.leavePlane();
    }
    return measurements;
  },
};

/** Measures a process with so many resources, at rest and while they change. */
export async function memoryOf(
  context: BenchContext,
  count: number,
  { targetMiB, count: named, ...about }: Size,
): Promise<readonly Measurement[]> {
  const options = {
    sizes: [count],
    connection: {
      rateLimit: GENEROUS,
      poll: { rolloutSeconds: 1, ...(context.smoke ? { intervalSeconds: 5 } : {}) },
    },
  };
  return await withFleetAtRest(context, options, async (fleet) => {
    // A restart, as most processes begin: everything is listed, nothing is written.
    const operator = await fleet.run();
    await operator.allReady(count);
    const restMs = context.smoke ? 1_000 : REST_MS;
    const first = await operator.processorSeconds();
    const collected = await operator.metric(COLLECTED);
    const resting = await watched(operator, restMs);
    const taken = (await operator.processorSeconds()) - first;
    const collecting = (await operator.metric(COLLECTED)) - collected;
    const resources = `${named.toLocaleString('en')} resources`;
    const name = `resident memory, ${resources}`;
    context.progress(`${name}: ${resting.at(-1)?.toFixed(0)} MiB`);
    const atRest: Measurement = { name, unit: 'MiB', samples: resting, target: atMost(targetMiB), ...about };
    const churning = named === 1_000 ? await underChurn(context, fleet, operator) : [];
    return [
      atRest,
      processorTime(`of a start and its first passes, ${resources} unchanged`, first, named, 5),
      processorTime(`of a minute at rest, ${resources}`, taken * (60_000 / restMs), named, 2.5),
      {
        name: `share of garbage collection in it, ${resources}`,
        unit: '',
        samples: [taken === 0 ? 0 : collecting / taken],
        ...(named === 10_000 ? { target: atMost(0.25) } : {}),
      },
      ...churning,
    ];
  });
}

/** Seconds of the processor, with a target for 10,000 resources. */
function processorTime(what: string, seconds: number, count: number, mostSeconds: number): Measurement {
  const target = count === 10_000 ? { target: atMost(mostSeconds) } : {};
  return { name: `processor time ${what}`, unit: 's', samples: [seconds], ...target };
}

async function underChurn(
  context: BenchContext,
  fleet: Fleet,
  operator: OperatorProcess,
): Promise<readonly Measurement[]> {
  const minutes = context.minutes ?? (context.smoke ? 0.05 : 3);
  const ending = new AbortController();
  const churn = edits(fleet, ending.signal);
  const looks = await watched(operator, minutes * 60_000);
  ending.abort();
  const edited = await churn;
  const third = Math.ceil(looks.length / 3);
  const [before, after] = [middleOf(looks.slice(0, third)), middleOf(looks.slice(-third))];
  const name = `${minutes} minutes of churn, 1,000 resources`;
  return [
    { name: `edits in ${name}`, unit: '', samples: [edited] },
    { name: `resident memory, last third of ${name}`, unit: 'MiB', samples: looks.slice(-third) },
    {
      name: `growth from the first to the last third of ${name}`,
      unit: '',
      samples: [after / before],
      target: atMost(FLAT_SHARE),
    },
  ];
}

async function edits(fleet: Fleet, signal: AbortSignal): Promise<number> {
  const members = fleet.members.flat();
  let made = 0;
  for (; !signal.aborted; made += 1) {
    const member = members[made % members.length];
    if (member !== undefined) await fleet.edit(member, `churn-${made}`);
    await pause(1_000 / CHURN_PER_SECOND);
  }
  return made;
}

async function watched(operator: OperatorProcess, ms: number): Promise<readonly number[]> {
  const looks: number[] = [];
  for (const endMs = Date.now() + ms; Date.now() < endMs;) {
    await pause(Math.min(LOOK_EVERY_MS, ms));
    looks.push(await operator.residentMiB());
  }
  return looks;
}

function middleOf(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
}
