import type { Fleet, Member } from './fleet.ts';
import { pause, until } from './until.ts';

const LIMIT_MS = 120_000;

/**
 * Lets a connection make its first write, which it watches before it lets others go, and waits until that is over.
 * Answers the members of the fleet that were left alone, by namespace.
 */
export async function warmUp(fleet: Fleet): Promise<readonly (readonly Member[])[]> {
  const [first] = fleet.members.at(-1) ?? [];
  if (first === undefined) throw new Error('a fleet needs a member');
  await fleet.edit(first, 'warm-up');
  await until(
    'the first write was watched',
    async () => {
      const got = await fleet.plane.kubectl([
        ...['get', 'dmsd', first.name, '-n', first.namespace],
        ...[
          '-o',
          'jsonpath={.status.conditions[?(@.type=="Ready")].status} {.status.conditions[?(@.type=="Ready")].observedGeneration}',
        ],
      ]);
      return got.stdout.startsWith('True 2');
    },
    LIMIT_MS,
    500,
  );
  await pause(1_000);
  return fleet.members.map((members) => members.filter((member) => member !== first));
}
