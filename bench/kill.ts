import { DEFAULTS } from '../src/model/connection/connection.ts';
import type { Benchmark } from './support/benchmark.ts';
import { boundMs, callsUntilPatched, isPatch, patchedIn } from './support/bulk.ts';
import { lastRequest, withFleetAtRest } from './support/fleet.ts';
import { atMost } from './support/measurement.ts';
import { until } from './support/until.ts';
import { warmUp } from './support/warm-up.ts';

const SIZE = 200;
/** This share of the edits is carried out when the process is killed. */
const SHARE = 0.4;

/** Measures how soon the next process carries out the work that a killed process left. */
export const kill: Benchmark = {
  name: 'kill',
  about: 'kill -9 when 40 % of 200 edits are carried out, and a restart at once: time until all of them are',
  async run(context) {
    const size = context.smoke ? 5 : SIZE;
    return await withFleetAtRest(context, { sizes: [size + 1], connection: {} }, async (fleet, operator) => {
      const edited = (await warmUp(fleet)).flat();
      const from = await lastRequest(fleet);
      // A write under way would be waited for; a smoke run has no time for that.
      if (context.smoke) await operator.kill();
      await fleet.editAll(edited, 'edited');
      const patched = async (): Promise<number> => patchedIn(await fleet.service.requests(from)).size;
      await until(
        'a part of the edits is carried out',
        async () => (await patched()) >= (context.smoke ? 0 : SHARE * size),
        60_000,
      );
      await operator.kill();
      const left = size - (await patched());
      context.progress(`killed with ${left} edits left`);
      const next = await fleet.run();
      const leading = JSON.parse(await next.line('"msg":"leading"')) as { readonly time: string };
      const leadingMs = Date.parse(leading.time);
      const calls = await callsUntilPatched(fleet, from, size);
      const patches = calls.filter(isPatch);
      const times = patches
        .map(({ beganMs }) => beganMs - leadingMs)
        .filter((ms) => ms > 0)
        .toSorted((a, b) => a - b);
      const counts = [...patchedIn(calls)].map((of) => patches.filter(({ id }) => id === of).length);
      return [
        {
          name: 'kill -9 at 40 % of 200 edits: the Lease of the new process until all but those under way then are carried out',
          unit: 'ms',
          samples: [times.at(-1 - DEFAULTS.concurrency) ?? Number.NaN],
          target: atMost(1.2 * boundMs(left)),
          peer: '12.5 s at 10/s, burst 100',
        },
        {
          name: 'kill -9 at 40 % of 200 edits: the Lease of the new process until the last PATCH',
          unit: 'ms',
          samples: [times.at(-1) ?? Number.NaN],
        },
        {
          name: 'kill -9 at 40 % of 200 edits: PATCHes for one edit, at most',
          unit: 'PATCHes',
          samples: [Math.max(...counts)],
          target: atMost(1),
        },
      ];
    });
  },
};
