import type { LoggedRequest } from '../src/simulator/api/request-log.ts';
import { apiWrites, writesBetween } from './support/api-writes.ts';
import type { Benchmark } from './support/benchmark.ts';
import { type Fleet, lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import { until } from './support/until.ts';
import { warmUp } from './support/warm-up.ts';

const SIZE = 1_000;
/** The rate that the peer was measured with. */
const RATE_LIMIT = { requestsPerSecond: 10, burst: 20, concurrency: 10 };
const LIMIT_MS = 300_000;

/** A bulk edit: how close the rate limit is come to, and what it costs. */
export const thousandEdits: Benchmark = {
  name: 'thousand-edits',
  about: '1,000 edits at once: time until the last is at the service, PATCHes, status writes and conflicts',
  countsWrites: true,
  async run(context) {
    const size = context.smoke ? 5 : SIZE;
    const options = { sizes: [size + 1], connection: { rateLimit: RATE_LIMIT } };
    return await withFleetAtRest(context, options, async (fleet, operator) => {
      const edited = (await warmUp(fleet)).flat();
      context.progress(`${size} edits`);
      const before = await apiWrites(fleet.plane);
      const from = await lastRequest(fleet);
      const beganMs = Date.now();
      await fleet.editAll(edited, 'edited');
      context.progress(`stored after ${Date.now() - beganMs} ms`);
      const calls = await callsUntilPatched(fleet, from, size);
      await operator.allReady(size + 1);
      return figures(size, beganMs, calls, writesBetween(before, await apiWrites(fleet.plane)));
    });
  },
};

/** Every call until so many deployments were patched. */
async function callsUntilPatched(
  fleet: Fleet,
  from: number,
  count: number,
): Promise<readonly LoggedRequest[]> {
  let calls: readonly LoggedRequest[] = [];
  await until(
    `${count} deployments are patched`,
    async () => {
      calls = await fleet.service.requests(from);
      return new Set(calls.filter(isPatch).map(({ id }) => id)).size >= count;
    },
    LIMIT_MS,
    1_000,
  );
  return calls;
}

function isPatch({ operation }: LoggedRequest): boolean {
  return operation === 'patch';
}

function figures(
  count: number,
  beganMs: number,
  calls: readonly LoggedRequest[],
  written: { readonly status: number; readonly refused: number },
): readonly Measurement[] {
  const patches = calls.filter(isPatch);
  const perDeployment = new Map<string, number>();
  for (const { id } of patches) perDeployment.set(id, (perDeployment.get(id) ?? 0) + 1);
  const lastMs = Math.max(...patches.map(({ beganMs: atMs }) => atMs));
  const others = calls.filter((call) => !isPatch(call) && call.beganMs <= lastMs);
  return [
    {
      name: '1,000 edits at once, until the last PATCH',
      unit: 'ms',
      samples: [lastMs - beganMs],
      target: atMost(1.05 * (count / RATE_LIMIT.requestsPerSecond) * 1_000),
      peer: '107 s at 10/s',
    },
    { name: 'permits that other calls took meanwhile', unit: 'calls', samples: [others.length] },
    {
      name: 'PATCHes for one edit, at most',
      unit: 'PATCHes',
      samples: [Math.max(...perDeployment.values())],
      target: atMost(1),
    },
    {
      name: 'status writes for one edit',
      unit: 'writes',
      samples: [written.status / count],
      target: atMost(3),
    },
    {
      name: 'writes refused with 409',
      unit: 'refusals',
      samples: [written.refused],
      target: atMost(0),
      peer: '340',
    },
  ];
}
