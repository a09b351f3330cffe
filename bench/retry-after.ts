import { DEFAULTS } from '../src/model/connection/connection.ts';
import { apiWrites, writesBetween } from './support/api-writes.ts';
import type { Benchmark } from './support/benchmark.ts';
import { type Fleet, lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost } from './support/measurement.ts';
import { pause, until } from './support/until.ts';
import { warmUp } from './support/warm-up.ts';

const SIZE = 200;
const RETRY_AFTER_S = 5;
const CONCURRENCY = 10;
const LIMIT_MS = 60_000;

/** Measures whether a service that asks for a pause gets one. */
export const retryAfter: Benchmark = {
  name: 'retry-after',
  about:
    'calls in the first 5 s after a 429 with Retry-After 5, and status writes that one causes, 200 resources',
  countsWrites: true,
  async run(context) {
    const size = context.smoke ? 20 : SIZE;
    const options = {
      sizes: [size + 1],
      connection: {
        rateLimit: { requestsPerSecond: 100, burst: 100, concurrency: CONCURRENCY },
        // A smoke run does not wait a minute for a sweep.
        ...(context.smoke ? { poll: { intervalSeconds: 10 } } : {}),
      },
    };
    return await withFleetAtRest(context, options, async (fleet) => {
      const caused = await writesCausedAtRest(fleet, context.smoke ? RETRY_AFTER_S : 3 * RETRY_AFTER_S);
      const edited = (await warmUp(fleet)).flat();
      const from = await lastRequest(fleet);
      await refuseOnce(fleet);
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
        {
          name: 'status writes caused by one 429 at rest, 200 resources',
          unit: 'writes',
          samples: [caused],
          target: atMost(2),
          peer: '0',
        },
      ];
    });
  },
};

/** Writes to status within so many seconds after a sweep was answered with 429. */
async function writesCausedAtRest(fleet: Fleet, seconds: number): Promise<number> {
  const [from, before] = [await lastRequest(fleet), await apiWrites(fleet.plane)];
  await refuseOnce(fleet);
  await until(
    'a sweep is refused',
    async () => (await fleet.service.requests(from)).some(({ status }) => status === 429),
    LIMIT_MS + DEFAULTS.pollIntervalMs,
  );
  await pause(seconds * 1_000);
  return writesBetween(before, await apiWrites(fleet.plane)).status;
}

async function refuseOnce({ service }: Fleet): Promise<void> {
  const fault = { kind: 'status', status: 429, headers: { 'retry-after': String(RETRY_AFTER_S) } };
  await service.control('faults', { match: {}, fault, times: 1 });
}
