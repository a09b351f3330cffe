import type { LoggedRequest } from '../src/simulator/api/request-log.ts';
import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { type Fleet, GENEROUS, lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import { until } from './support/until.ts';

const SIZES = [1, 150, 1_050, 10_050] as const;
/**
 * Makes as many pages as 150 resources take by default. On a slow machine, two of the sweeps may contain one call more:
 * the list of providers after the start, and the page behind the last. The median of five is that of the others. The
 * interval leaves room for a starved process: a decision reads again when the last sweep is two intervals old.
 */
const SMOKE = { sizes: [15], pageSize: 10, sweeps: 5, intervalSeconds: 3 } as const;
const PAGE_SIZE = 100;
/** So many resources are listed and compared in a second, with room for everything else. */
const LISTED_PER_SECOND = 2_000;
/** One of ten sweeps in a row continues to the end of the list. */
const SWEEPS = 10;
const LIMIT_MS = 120_000;

/** Measures the calls of a connection to its service while nothing happens, for several numbers of resources. */
export const callsAtRest: Benchmark = {
  name: 'calls-at-rest',
  about: 'service calls per poll interval at rest, for 1 to 10,050 resources',
  async run(context) {
    const measurements: Measurement[] = [];
    const how = context.smoke ? SMOKE : { sizes: SIZES, pageSize: PAGE_SIZE, sweeps: SWEEPS };
    for (const size of how.sizes) {
      measurements.push(...(await callsWith(context, { ...how, size })));
      await context.leavePlane();
    }
    return measurements;
  },
};

async function callsWith(
  context: BenchContext,
  how: {
    readonly size: number;
    readonly pageSize: number;
    readonly sweeps: number;
    readonly intervalSeconds?: number;
  },
): Promise<readonly Measurement[]> {
  const { size, pageSize, sweeps, intervalSeconds = Math.ceil(size / LISTED_PER_SECOND) } = how;
  const options = {
    sizes: [size],
    connection: {
      rateLimit: GENEROUS,
      poll: { intervalSeconds, rolloutSeconds: 1 },
      list: { pageSize },
    },
  };
  return await withFleetAtRest(context, options, async (fleet) => {
    const calls = await sweepsOf(fleet, sweeps);
    const usual = Math.floor(size / pageSize) + 1;
    const name = `${size.toLocaleString('en')} resources`;
    return [
      {
        name: `calls per poll interval, ${name}`,
        unit: 'calls',
        samples: calls,
        target: atMost(usual),
        peer: `${size.toLocaleString('en')} wanted; saturated at 600 a minute`,
      },
      {
        name: `calls in ${sweeps} poll intervals, ${name}`,
        unit: 'calls',
        samples: [calls.reduce((total, some) => total + some, 0)],
        target: atMost(sweeps * usual + 1),
      },
    ];
  });
}

/**
 * Counts the calls of each of so many sweeps at rest that follow each other; any other call counts for its sweep too.
 */
async function sweepsOf(fleet: Fleet, sweeps: number): Promise<readonly number[]> {
  const from = await lastRequest(fleet);
  let begun: readonly number[] = [];
  let seen: readonly LoggedRequest[] = [];
  await until(
    `${sweeps} sweeps`,
    async () => {
      seen = await fleet.service.requests(from);
      begun = seen.filter(beginsSweep).map(({ number }) => number);
      return begun.length > sweeps;
    },
    LIMIT_MS,
    1_000,
  );
  const between = (at: number): number =>
    seen.filter(({ number }) => number >= begun[at]! && number < begun[at + 1]!).length;
  return Array.from({ length: sweeps }, (_, at) => between(at));
}

function beginsSweep({ operation, query }: LoggedRequest): boolean {
  return operation === 'list' && /offset=0(&|$)/.test(query);
}
