import type { Benchmark } from './support/benchmark.ts';
import { boundMs, callsUntilPatched, editAtOnce, lastPatchMs } from './support/bulk.ts';
import { lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost } from './support/measurement.ts';

const SIZE = 200;

/** Edits on a connection that has not learned yet how its service merges. */
export const newConnection: Benchmark = {
  name: 'new-connection',
  about:
    '200 edits as the first writes of a connection at the default rate, and one in another namespace meanwhile',
  async run(context) {
    const size = context.smoke ? 5 : SIZE;
    return await withFleetAtRest(context, { sizes: [size, 1], connection: {} }, async (fleet) => {
      const [crowd = [], [other] = []] = fleet.members;
      const from = await lastRequest(fleet);
      const bulk = editAtOnce(fleet, crowd, 'edited');
      await callsUntilPatched(fleet, from, 1);
      const editedMs = Date.now();
      if (other !== undefined) await fleet.edit(other, 'neighbour');
      const { beganMs, calls } = await bulk;
      const all = await callsUntilPatched(fleet, from, size + 1);
      const neighbours = all.find(({ body }) => JSON.stringify(body ?? '').includes(':neighbour"'));
      return [
        {
          name: '200 edits on a new connection, until the last PATCH',
          unit: 'ms',
          samples: [lastPatchMs(calls) - beganMs],
          target: atMost(1.1 * boundMs(size)),
          peer: '29 to 31 s at 10/s, burst 100',
        },
        {
          name: 'edit in another namespace meanwhile, until its PATCH',
          unit: 'ms',
          samples: [(neighbours?.beganMs ?? Number.NaN) - editedMs],
          target: atMost(2_000),
        },
      ];
    });
  },
};
