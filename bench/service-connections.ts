import type { Benchmark } from './support/benchmark.ts';
import { type CountingProxy, countingProxy } from './support/counting-proxy.ts';
import { lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost } from './support/measurement.ts';
import { until } from './support/until.ts';
import { warmUp } from './support/warm-up.ts';

const CALLS = 10_000;
const SIZE = 500;
const CONCURRENCY = 10;
/** Edits at once in each round, between sweeps that take a call for each deployment. */
const EDITED = 50;
const LIMIT_MS = 300_000;

/**
 * Measures whether the operator reuses connections to the service: sweeps of many small pages, and rounds of edits.
 */
export const serviceConnections: Benchmark = {
  name: 'service-connections',
  about: 'connections that 10,000 calls to the service take',
  async run(context) {
    const [wanted, size] = context.smoke ? [60, 20] : [CALLS, SIZE];
    let proxy: CountingProxy | undefined;
    const options = {
      sizes: [size + 1],
      connection: {
        rateLimit: { requestsPerSecond: 1_000, burst: 1_000, concurrency: CONCURRENCY },
        poll: { intervalSeconds: 1, rolloutSeconds: 1 },
        list: { pageSize: 1 },
      },
      async through(url: string) {
        proxy = await countingProxy(Number(new URL(url).port));
        return `http://127.0.0.1:${proxy.port}`;
      },
    };
    try {
      return await withFleetAtRest(context, options, async (fleet) => {
        const edited = (await warmUp(fleet)).flat().slice(0, EDITED);
        let made = await lastRequest(fleet);
        for (let round = 0; made < wanted; round += 1) {
          const before = made;
          await fleet.editAll(edited, `round-${round}`);
          const sweptAndEdited = async (): Promise<boolean> => {
            made = await lastRequest(fleet, made);
            return made >= before + size + edited.length;
          };
          await until('a sweep and the edits are through', sweptAndEdited, LIMIT_MS, 500);
          context.progress(`${made} calls, ${proxy?.opened} connections`);
        }
        return [
          {
            name: 'connections to the service for 10,000 calls',
            unit: 'connections',
            samples: [proxy?.opened ?? Number.NaN],
            target: atMost(CONCURRENCY),
            peer: '10,000',
          },
          { name: 'calls to the service', unit: 'calls', samples: [made] },
        ];
      });
    } finally {
      proxy?.close();
    }
  },
};
