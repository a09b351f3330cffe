import type { LoggedRequest } from '../src/simulator/request-log.ts';
import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { type Fleet, GENEROUS, lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import { until } from './support/until.ts';

const SIZES = [1, 150, 1_050, 10_050] as const;
const SMOKE_SIZES = [1, 150] as const;
const INTERVAL_S = 1;
/** Of ten sweeps in a row one goes on until the list has ended. */
const SWEEPS = 10;
const LIMIT_MS = 120_000;

/** What a connection costs its service while nothing happens, however many resources there are. */
export const callsAtRest: Benchmark = {
  name: 'calls-at-rest',
  about: 'service calls per poll interval at rest, for 1 to 10,050 resources',
  async run(context) {
    const measurements: Measurement[] = [];
    for (const size of context.smoke ? SMOKE_SIZES : SIZES)
      measurements.push(...(await callsWith(context, size)));
    return measurements;
  },
};

async function callsWith(context: BenchContext, size: number): Promise<readonly Measurement[]> {
  const options = {
    sizes: [size],
    connection: { rateLimit: GENEROUS, poll: { intervalSeconds: INTERVAL_S, rolloutSeconds: 1 } },
  };
  return await withFleetAtRest(context, options, async (fleet) => {
    const sweeps = await sweepsOf(fleet);
    const usual = Math.floor(size / 100) + 1;
    const name = `${size.toLocaleString('en')} resources`;
    return [
      {
        name: `calls per poll interval, ${name}`,
        unit: 'calls',
        samples: sweeps,
        target: atMost(usual),
        peer: `${size.toLocaleString('en')} wanted; saturated at 600 a minute`,
      },
      {
        name: `calls in ${SWEEPS} poll intervals, ${name}`,
        unit: 'calls',
        samples: [sweeps.reduce((total, calls) => total + calls, 0)],
        target: atMost(SWEEPS * usual + 1),
      },
    ];
  });
}

/** How many calls each of ten sweeps took that followed each other at rest; any other call counts for its sweep too. */
async function sweepsOf(fleet: Fleet): Promise<readonly number[]> {
  const from = await lastRequest(fleet);
  let begun: readonly number[] = [];
  let seen: readonly LoggedRequest[] = [];
  await until(
    `${SWEEPS} sweeps`,
    async () => {
      seen = await fleet.service.requests(from);
      begun = seen.filter(beginsSweep).map(({ number }) => number);
      return begun.length > SWEEPS;
    },
    LIMIT_MS,
    1_000,
  );
  const between = (at: number): number =>
    seen.filter(({ number }) => number >= begun[at]! && number < begun[at + 1]!).length;
  return Array.from({ length: SWEEPS }, (_, at) => between(at));
}

function beginsSweep({ operation, query }: LoggedRequest): boolean {
  return operation === 'list' && /offset=0(&|$)/.test(query);
}
