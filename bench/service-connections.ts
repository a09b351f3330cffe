import type { Benchmark } from './support/benchmark.ts';
import { type CountingProxy, countingProxy } from './support/counting-proxy.ts';
import { openFleet } from './support/fleet.ts';
import { atMost } from './support/measurement.ts';
import { until } from './support/until.ts';
import { warmUp } from './support/warm-up.ts';

const CALLS = 10_000;
const SIZE = 1_500;
const CONCURRENCY = 10;
const LIMIT_MS = 300_000;

/** Whether connections to the service are kept: edits without end, and sweeps after them, until the calls are made. */
export const serviceConnections: Benchmark = {
  name: 'service-connections',
  about: 'connections that 10,000 calls to the service take',
  async run(context) {
    const [wanted, size] = context.smoke ? [60, 20] : [CALLS, SIZE];
    let proxy: CountingProxy | undefined;
    const fleet = await openFleet(context, {
      sizes: [size + 1],
      connection: {
        rateLimit: { requestsPerSecond: 1_000, burst: 1_000, concurrency: CONCURRENCY },
        poll: { intervalSeconds: 1, rolloutSeconds: 1 },
      },
      async through(url) {
        proxy = await countingProxy(Number(new URL(url).port));
        return `http://127.0.0.1:${proxy.port}`;
      },
    });
    const operator = fleet.run();
    try {
      await operator.allReady(size + 1);
      const [first, ...edited] = fleet.members.flat();
      if (first === undefined) throw new Error('a fleet needs a member');
      await warmUp(fleet, first);
      const made = async (): Promise<number> => (await fleet.service.requests()).at(-1)?.number ?? 0;
      for (let round = 0; (await made()) < wanted; round += 1) {
        const before = await made();
        await fleet.editAll(edited, `round-${round}`);
        await until(
          'the edits are at the service',
          async () => (await made()) >= before + size,
          LIMIT_MS,
          500,
        );
        context.progress(`${await made()} calls, ${proxy?.opened} connections`);
      }
      return [
        {
          name: 'connections to the service for 10,000 calls',
          unit: 'connections',
          samples: [proxy?.opened ?? Number.NaN],
          target: atMost(CONCURRENCY),
          peer: '10,000',
        },
        { name: 'calls to the service', unit: 'calls', samples: [await made()] },
      ];
    } finally {
      await operator.stop();
      await fleet.end();
      proxy?.close();
    }
  },
};
