import type { Benchmark } from './support/benchmark.ts';
import { editAtOnce, lastPatchMs } from './support/bulk.ts';
import { withFleetAtRest } from './support/fleet.ts';
import { atMost } from './support/measurement.ts';
import { warmUp } from './support/warm-up.ts';

const SIZE = 1_000;

/** Measures the controller's own time for a bulk edit, with a limit that it cannot reach. */
export const withoutLimit: Benchmark = {
  name: 'without-limit',
  about: '1,000 edits at once where the service takes 200 calls a second, 16 at once',
  async run(context) {
    const size = context.smoke ? 5 : SIZE;
    const rateLimit = { requestsPerSecond: 200, burst: 200, concurrency: 16 };
    const options = { sizes: [size + 1], connection: { rateLimit } };
    return await withFleetAtRest(context, options, async (fleet, operator) => {
      const edited = (await warmUp(fleet)).flat();
      const processorBefore = await operator.processorSeconds();
      const { beganMs, calls } = await editAtOnce(fleet, edited, 'edited');
      await operator.allReady(size + 1);
      const processor = (await operator.processorSeconds()) - processorBefore;
      return [
        {
          name: '1,000 edits at once at 200/s, until the last PATCH',
          unit: 'ms',
          samples: [lastPatchMs(calls) - beganMs],
          target: atMost(25_000),
        },
        {
          name: 'processor time for one of them, until all are Ready',
          unit: 'ms',
          samples: [(1_000 * processor) / size],
        },
      ];
    });
  },
};
