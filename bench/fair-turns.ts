import type { LoggedRequest } from '../src/simulator/api/request-log.ts';
import type { Benchmark, BenchContext } from './support/benchmark.ts';
import { type Fleet, lastRequest, type Member, withFleetAtRest } from './support/fleet.ts';
import { atMost, type Measurement, percentile } from './support/measurement.ts';
import { pause, until } from './support/until.ts';
import { warmUp } from './support/warm-up.ts';

const RESYNCS = 10_000;
const WAITING_EDITS = 1_000;
/** Members of the quiet namespace, each edited once at rest and once after a start. */
const QUIET = 120;
const RATE_LIMIT = { requestsPerSecond: 10, burst: 10, concurrency: 4 };
const LIMIT_MS = 60_000;

/** The times of one edit in a quiet namespace. */
interface Sample {
  readonly ms: number;
  /** The time without that in which no call had a permit. */
  readonly abovePermitMs: number;
}

/** Measures whether a person who edits one resource waits for a person who edits a thousand. */
export const fairTurns: Benchmark = {
  name: 'fair-turns',
  about:
    'edit to PATCH of one resource while another namespace has 1,000 edits waiting and 10,000 resyncs are due',
  async run(context) {
    const [resyncs, waiting, quietOnes] = context.smoke ? [20, 15, 2] : [RESYNCS, WAITING_EDITS, QUIET];
    // The quiet namespace is the second one; the crowd of the first is edited in part, and at rest for the rest.
    const options = { sizes: [resyncs, quietOnes + 1], connection: { rateLimit: RATE_LIMIT } };
    return await withFleetAtRest(context, options, async (fleet, operator) => {
      const [crowd = [], quiet = []] = await warmUp(fleet);
      const edited = crowd.slice(0, waiting);
      await fleet.editAll(edited, 'crowd');
      const known = await samplesOf(context, fleet, quiet, 'known');
      // After a start the operator does not know what the service shows: an edit needs a read by id before its PATCH.
      await operator.stop();
      await fleet.editAll(edited, 'crowd-again');
      const restarted = await fleet.run();
      await restarted.line('"msg":"ready"');
      const unknown = await samplesOf(context, fleet, quiet, 'unknown');
      return [...figures('', known, 150), ...figures(', after a start', unknown, 250)];
    });
  },
};

async function samplesOf(
  context: BenchContext,
  fleet: Fleet,
  quiet: readonly Member[],
  tag: string,
): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const [at, member] of quiet.entries()) {
    samples.push(await oneEdit(fleet, member, `${tag}-${at}`));
    if (at % 20 === 0) context.progress(`${at + 1} of ${quiet.length} edits: ${samples.at(-1)?.ms} ms`);
    // Edits like a person at a keyboard, never in step with the permits.
    await pause(100 + ((at * 37) % 150));
  }
  return samples;
}

async function oneEdit(fleet: Fleet, member: Member, tag: string): Promise<Sample> {
  const from = await lastRequest(fleet);
  const beganMs = Date.now();
  await fleet.edit(member, tag);
  let calls: readonly LoggedRequest[] = [];
  const found = (): LoggedRequest | undefined =>
    calls.find(({ operation, body }) => operation === 'patch' && JSON.stringify(body).includes(`:${tag}"`));
  await until(
    `the edit of ${member.name} is at the service`,
    async () => {
      calls = await fleet.service.requests(from);
      return found() !== undefined;
    },
    LIMIT_MS,
    20,
  );
  const arrivedMs = found()?.beganMs ?? Number.NaN;
  const nextPermitMs = calls.find(({ beganMs: atMs }) => atMs >= beganMs)?.beganMs ?? arrivedMs;
  return { ms: arrivedMs - beganMs, abovePermitMs: arrivedMs - nextPermitMs };
}

function figures(when: string, samples: readonly Sample[], mostMs: number): readonly Measurement[] {
  const all = samples.map(({ ms }) => ms);
  const above = samples.map(({ abovePermitMs }) => abovePermitMs);
  const figure = (name: string, value: number, more: Partial<Measurement> = {}): Measurement => ({
    name: `edit to PATCH beside 1,000 edits and 10,000 resyncs${when}, ${name}`,
    unit: 'ms',
    samples: [value],
    ...more,
  });
  return [
    figure('p50', percentile(all, 50), { peer: '23.5 s' }),
    figure('p99', percentile(all, 99), { peer: '100 s' }),
    figure('p50 above the next permit', percentile(above, 50)),
    figure('p99 above the next permit', percentile(above, 99), { target: atMost(mostMs) }),
  ];
}
