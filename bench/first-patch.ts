import type { LoggedRequest } from '../src/simulator/api/request-log.ts';
import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { type Fleet, GENEROUS, lastRequest, withFleetAtRest } from './support/fleet.ts';
import { loopDelayOf, LOOP_DELAY_WORDS } from './support/loop-delay.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import type { OperatorProcess } from './support/operator-process.ts';
import { pause, until } from './support/until.ts';

const SIZES = [
  { count: 1, targetMs: 1_500, runs: 3 },
  { count: 1_000, targetMs: 2_000, runs: 2 },
  { count: 10_000, targetMs: 3_500, runs: 3 },
] as const;
const PATCH_LIMIT_MS = 60_000;
/** Each start is stopped at another moment: at once, during its first sweep, and while its first passes run. */
const STOPS_AFTER_MS = [0, 1_000, 4_000];

/** The times of one start, in milliseconds after the start of the process. */
interface Start {
  /** Every cache is filled. */
  readonly readyMs: number;
  /** The service is asked for the first time. */
  readonly firstCallMs: number;
  readonly firstPatchMs: number;
  /** From SIGTERM, some time after the first PATCH, to the end. */
  readonly stopMs: number;
  /** Delays of the event loop until the answer to the first PATCH. */
  readonly delay: { readonly p99Ms: number; readonly longestMs: number };
}

/** From the start of the process to the arrival of the PATCH for an edit that was made while it was down. */
export const firstPatch: Benchmark = {
  name: 'first-patch',
  about: 'from the start of the process to its first PATCH, and how long the event loop is held up meanwhile',
  async run(context) {
    const measurements: Measurement[] = [];
    for (const { count, targetMs, runs } of SIZES) {
      const size = context.smoke ? Math.min(count, 3) : count;
      const starts = await startsWith(context, size, context.runs ?? (context.smoke ? 1 : runs));
      measurements.push(...measurementsOf(`${count.toLocaleString('en')} resources`, starts, targetMs));
      const held = {
        name: `event loop, p99 of its delay, ${count.toLocaleString('en')} resources`,
        unit: 'ms',
      } as const;
      const p99 = starts.map(({ delay }) => delay.p99Ms);
      measurements.push({ ...held, samples: p99, ...(count === 10_000 ? { target: atMost(50) } : {}) });
      const longest = starts.map(({ delay }) => delay.longestMs);
      measurements.push({
        ...held,
        name: held.name.replace('p99 of its delay', 'longest delay'),
        samples: longest,
      });
      if (context.smoke) break;
      await context.leavePlane();
    }
    return measurements;
  },
};

function measurementsOf(size: string, starts: readonly Start[], targetMs: number): readonly Measurement[] {
  const figure = (name: string, read: (start: Start) => number): Measurement => ({
    name: `${name}, ${size}`,
    unit: 'ms',
    samples: starts.map(read),
  });
  return [
    figure('caches filled', ({ readyMs }) => readyMs),
    figure('first call to the service', ({ firstCallMs }) => firstCallMs),
    {
      ...figure('first PATCH at the service', ({ firstPatchMs }) => firstPatchMs),
      target: atMost(targetMs),
      peer: '49–82 s',
    },
    { ...figure('SIGTERM to the end', ({ stopMs }) => stopMs), target: atMost(2_000) },
  ];
}

async function startsWith(context: BenchContext, count: number, runs: number): Promise<readonly Start[]> {
  const options = { sizes: [count], connection: { rateLimit: GENEROUS } };
  // Every resource is bound, so this measures a restart.
  return await withFleetAtRest(context, options, async (fleet, operator) => {
    await operator.stop();
    const starts: Start[] = [];
    for (let run = context.smoke ? 1 : 0; run <= runs; run += 1) {
      const start = await oneStart(fleet, `run-${run}`, STOPS_AFTER_MS[run % STOPS_AFTER_MS.length] ?? 0);
      context.progress(
        `${count} resources, ${run === 0 ? 'warm-up' : `run ${run}`}: ${start.firstPatchMs} ms`,
      );
      // The first one reads the bundle from the disk, and is not counted.
      if (run > 0) starts.push(start);
    }
    return starts;
  });
}

async function oneStart(fleet: Fleet, tag: string, stopsAfterMs: number): Promise<Start> {
  const [edited] = fleet.members.flat().slice(-1);
  if (edited === undefined) throw new Error('a fleet needs a member');
  await fleet.edit(edited, tag);
  const since = await lastRequest(fleet);
  const operator = await fleet.run(LOOP_DELAY_WORDS);
  try {
    const patch = await patchAfter(fleet, since, operator);
    const [first] = await fleet.service.requests(since);
    const ready = JSON.parse(await operator.line('"msg":"ready"')) as { readonly time: string | number };
    const delay = await loopDelayOf(operator);
    await pause(stopsAfterMs);
    return {
      readyMs: new Date(ready.time).getTime() - operator.startMs,
      firstCallMs: (first?.beganMs ?? Number.NaN) - operator.startMs,
      firstPatchMs: patch.beganMs - operator.startMs,
      delay,
      stopMs: await operator.stop(),
    };
  } finally {
    await operator.stop();
  }
}

async function patchAfter(fleet: Fleet, since: number, operator: OperatorProcess): Promise<LoggedRequest> {
  let found: LoggedRequest | undefined;
  const seen = async (): Promise<boolean> => {
    found = (await fleet.service.requests(since)).find(({ operation }) => operation === 'patch');
    return found !== undefined;
  };
  // The time of arrival comes from the service's own log; asking more often would only take processor time away.
  await until(`a PATCH\n${operator.lines.slice(-10).join('\n')}`, seen, PATCH_LIMIT_MS, 250);
  if (found === undefined) throw new Error('no PATCH arrived');
  return found;
}
