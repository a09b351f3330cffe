import { apiWrites, writesBetween } from './support/api-writes.ts';
import type { Benchmark } from './support/benchmark.ts';
import { GENEROUS, lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost } from './support/measurement.ts';
import { pause, until } from './support/until.ts';

const SIZE = 1_000;
/** Sixty times as often as by default: a minute here holds the sweeps of an hour. */
const INTERVAL_S = 1;
const QUIET_MS = 3_000;
const QUIET_LIMIT_MS = 180_000;

/** Measures the writes of a fleet to the API server while nothing happens. */
export const writesAtRest: Benchmark = {
  name: 'writes-at-rest',
  about: 'writes to the API server while 1,000 resources are at rest and swept every second',
  countsWrites: true,
  async run(context) {
    const minutes = context.minutes ?? (context.smoke ? 0.05 : 2);
    const size = context.smoke ? 5 : SIZE;
    const options = {
      sizes: [size],
      connection: { rateLimit: GENEROUS, poll: { intervalSeconds: INTERVAL_S, rolloutSeconds: 1 } },
    };
    return await withFleetAtRest(context, options, async (fleet) => {
      const written = async (): Promise<number> => (await apiWrites(fleet.plane)).all;
      // Events are written in the background.
      await until(
        'nothing is written any more',
        async () => {
          const before = await written();
          await pause(context.smoke ? QUIET_MS / 2 : QUIET_MS);
          return (await written()) === before;
        },
        QUIET_LIMIT_MS,
      );
      context.progress(`watching for ${minutes} minutes`);
      const before = await apiWrites(fleet.plane);
      const from = await lastRequest(fleet);
      await pause(minutes * 60_000);
      const calls = (await lastRequest(fleet)) - from;
      const { all } = writesBetween(before, await apiWrites(fleet.plane));
      return [
        {
          name: `writes in ${minutes} minutes at rest, 1,000 resources`,
          unit: 'writes',
          samples: [all],
          target: atMost(0),
          peer: '2 per object and read',
        },
        { name: 'service calls meanwhile', unit: 'calls', samples: [calls] },
      ];
    });
  },
};
