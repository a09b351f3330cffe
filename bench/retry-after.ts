import type { Benchmark } from './support/benchmark.ts';
import { lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost } from './support/measurement.ts';
import { until } from './support/until.ts';
import { warmUp } from './support/warm-up.ts';

const SIZE = 200;
const RETRY_AFTER_S = 5;
const CONCURRENCY = 10;
const LIMIT_MS = 60_000;

/** Whether a service that asks for a pause gets one. */
export const retryAfter: Benchmark = {
  name: 'retry-after',
  about: 'calls in the first 5 s after a 429 with Retry-After 5, while 200 resources have something to send',
  async run(context) {
    const size = context.smoke ? 20 : SIZE;
    const options = {
      sizes: [size + 1],
      connection: { rateLimit: { requestsPerSecond: 100, burst: 100, concurrency: CONCURRENCY } },
    };
    return await withFleetAtRest(context, options, async (fleet) => {
      const edited = (await warmUp(fleet)).flat();
      const from = await lastRequest(fleet);
      const fault = { kind: 'status', status: 429, headers: { 'retry-after': String(RETRY_AFTER_S) } };
      await fleet.service.control('faults', { match: {}, fault, times: 1 });
      await fleet.editAll(edited, 'edited');
      await until(
        'the pause is over',
        async () => {
          const calls = await fleet.service.requests(from);
          const refused = calls.find(({ status }) => status === 429);
          return (
            refused !== undefined &&
            calls.some(({ beganMs }) => beganMs > refused.beganMs + RETRY_AFTER_S * 1_000)
          );
        },
        LIMIT_MS,
      );
      const calls = await fleet.service.requests(from);
      const refusedMs = calls.find(({ status }) => status === 429)?.beganMs ?? Number.NaN;
      const early = calls.filter(
        ({ beganMs }) => beganMs >= refusedMs && beganMs < refusedMs + RETRY_AFTER_S * 1_000,
      );
      return [
        {
          name: 'calls in the first 5 s after a 429 with Retry-After 5, 200 resources',
          unit: 'calls',
          samples: [early.length],
          target: atMost(CONCURRENCY),
          peer: '80–102',
        },
      ];
    });
  },
};
