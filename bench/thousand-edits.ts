import type { LoggedRequest } from '../src/simulator/api/request-log.ts';
import { apiWrites, writesBetween } from './support/api-writes.ts';
import type { Benchmark } from './support/benchmark.ts';
import { boundMs, type Bulk, editAtOnce, isPatch, lastPatchMs } from './support/bulk.ts';
import { bulkFigures, readsPerEdit } from './support/bulk-figures.ts';
import { type Fleet, type Member, withFleetAtRest } from './support/fleet.ts';
import { atMost, type Measurement } from './support/measurement.ts';
import { pause } from './support/until.ts';
import { warmUp } from './support/warm-up.ts';

const SIZE = 1_000;
/** Number of resources that are edited again soon after. */
const AGAIN = 220;
const AGAIN_AFTER_MS = 10_000;

/** Measures a bulk edit on a connection with the default settings: its rate against the limit, and its cost. */
export const thousandEdits: Benchmark = {
  name: 'thousand-edits',
  about:
    '1,000 edits at once at the default rate: time, reads, Ready, writes and conflicts; and some of them again',
  countsWrites: true,
  async run(context) {
    const size = context.smoke ? 5 : SIZE;
    const options = { sizes: [size + 1], connection: {}, semantics: 'rollout:10s' };
    return await withFleetAtRest(context, options, async (fleet, operator) => {
      const edited = (await warmUp(fleet)).flat();
      context.progress(`${size} edits`);
      const before = await apiWrites(fleet.plane);
      const bulk = await editAtOnce(fleet, edited, 'edited');
      context.progress('edited again');
      const again = edited.slice(-AGAIN);
      if (!context.smoke) await pause(AGAIN_AFTER_MS);
      const second = await editAtOnce(fleet, again, 'again');
      await operator.allReady(size + 1);
      // Only resources without a second edit show the end of the rollout of the first.
      const lags = await readyLags(fleet, edited.slice(0, -again.length || undefined), bulk.calls);
      const written = writesBetween(before, await apiWrites(fleet.plane));
      return [
        ...bulkFigures(SIZE, size, bulk),
        ...lagFigures(lags),
        ...writeFigures(size + again.length, written),
        ...againFigures(again.length, second),
      ];
    });
  },
};

/** Milliseconds from the PATCH of each until it was Ready, to the second. */
async function readyLags(
  fleet: Fleet,
  members: readonly Member[],
  calls: readonly LoggedRequest[],
): Promise<readonly number[]> {
  const patchedMs = new Map(calls.filter(isPatch).map(({ id, beganMs }) => [id, beganMs]));
  const [first] = members;
  if (first === undefined) return [];
  const got = await fleet.plane.kubectl(['get', 'dmsd', '-n', first.namespace, '-o', 'json']);
  const { items } = JSON.parse(got.stdout) as { readonly items: readonly Shown[] };
  const names = new Set(members.map(({ name }) => name));
  return items
    .filter(({ metadata }) => names.has(metadata.name))
    .map(({ status }) => {
      const ready = status.conditions.find(({ type }) => type === 'Ready');
      return Date.parse(ready?.lastTransitionTime ?? '') - (patchedMs.get(status.deploymentID) ?? Number.NaN);
    })
    .toSorted((a, b) => a - b);
}

/** The parts of a Deployment resource that the benchmark reads. */
interface Shown {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly deploymentID: string;
    readonly conditions: readonly { readonly type: string; readonly lastTransitionTime: string }[];
  };
}

function lagFigures(lags: readonly number[]): readonly Measurement[] {
  const at = (share: number): number => lags[Math.min(lags.length - 1, Math.floor(share * lags.length))] ?? 0;
  return [
    {
      name: 'PATCH to Ready in that bulk, rollouts of 10 s, p50',
      unit: 'ms',
      samples: [at(0.5)],
      target: atMost(25_000),
    },
    {
      name: 'PATCH to Ready in that bulk, rollouts of 10 s, p99',
      unit: 'ms',
      samples: [at(0.99)],
      target: atMost(45_000),
    },
  ];
}

function writeFigures(
  count: number,
  written: { readonly all: number; readonly status: number; readonly refused: number },
): readonly Measurement[] {
  return [
    {
      name: 'status writes for one edit',
      unit: 'writes',
      samples: [written.status / count],
      target: atMost(3),
    },
    {
      name: 'writes to the API server for one edit, events among them',
      unit: 'writes',
      // The edit itself is one of these writes.
      samples: [written.all / count - 1],
      target: atMost(4.1),
      peer: '3.7',
    },
    {
      name: 'writes refused with 409',
      unit: 'refusals',
      samples: [written.refused],
      target: atMost(0),
      peer: '835',
    },
  ];
}

function againFigures(count: number, bulk: Bulk): readonly Measurement[] {
  return [
    {
      name: `${AGAIN} of them edited again 10 s later, until the last PATCH`,
      unit: 'ms',
      samples: [lastPatchMs(bulk.calls) - bulk.beganMs],
      target: atMost(1.1 * boundMs(count)),
    },
    {
      name: 'reads by id for one of these edits',
      unit: 'calls',
      samples: [Math.max(...readsPerEdit(bulk))],
      target: atMost(0.08),
    },
  ];
}
