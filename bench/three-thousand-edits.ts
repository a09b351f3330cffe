import type { Benchmark } from './support/benchmark.ts';
import { editAtOnce } from './support/bulk.ts';
import { bulkFigures } from './support/bulk-figures.ts';
import { withFleetAtRest } from './support/fleet.ts';
import { warmUp } from './support/warm-up.ts';

const SIZE = 3_000;

/** A bulk that lasts for ten poll intervals, of a fleet whose sweep would take a tenth of all permits. */
export const threeThousandEdits: Benchmark = {
  name: 'three-thousand-edits',
  about: '3,000 edits at once at the default rate: time and reads',
  async run(context) {
    const size = context.smoke ? 5 : SIZE;
    const options = { sizes: [size + 1], connection: {}, semantics: 'rollout:10s' };
    return await withFleetAtRest(context, options, async (fleet) => {
      const edited = (await warmUp(fleet)).flat();
      context.progress(`${size} edits`);
      return bulkFigures(SIZE, size, await editAtOnce(fleet, edited, 'edited'));
    });
  },
};
