import type { Harness } from '../harness.ts';
import { judged } from './judge.ts';
import type { Result, Tell } from '../report.ts';
import { leftOver, unequal, whatStaysWrong } from './settled.ts';
import { leaks } from './told-by-processes.ts';

/** Options for the end of a run. */
export interface RestOptions {
  readonly withinMs: number;
  /** Describes further differences from the cluster. */
  readonly alsoUnequal?: () => Promise<readonly string[]>;
  readonly tell: Tell;
}

/**
 * Applies deleted resources again, waits until everything is as declared, deletes it, waits until nothing is left,
 * and judges all requests and output.
 */
export async function broughtToRest(harness: Harness, options: RestOptions): Promise<Result> {
  const { withinMs, tell, alsoUnequal = async () => [] } = options;
  const { actors, cluster, replicas } = harness;
  const died: string[] = [];
  const settled = (what: string, wrongs: () => Promise<readonly string[]>): Promise<readonly string[]> =>
    whatStaysWrong(
      async () => [...(await wrongs()), ...(await alsoUnequal())],
      withinMs,
      (left) => {
        died.push(...replicas.flatMap((replica) => replica.revive() ?? []));
        tell(`${what}: ${left.length} left, ${left[0] ?? ''}`);
      },
    );
  const gone = await settled('deletions under way', async () => actors.leaving());
  await actors.restoreAll();
  const atRest = await settled('coming to rest', () => unequal(harness));
  await actors.deleteAll();
  const afterwards = await settled('deleting', () => leftOver(harness));
  const { counts, wrongs } = await judged(harness);
  return {
    counts,
    wrongs: [...gone, ...atRest, ...afterwards, ...died, ...(await leaks(cluster)), ...wrongs],
  };
}
