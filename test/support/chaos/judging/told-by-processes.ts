import { noteTold, takeLeak } from '../../leaks/told.ts';
import type { Cluster } from '../cluster.ts';
import type { Replica } from '../replica.ts';

/** Lines that no controller may print, whatever happens around it. */
const BAD_LINE = /"level":"(error|fatal)"|unhandled|Unhandled|^\s+at |MaxListenersExceeded/;

/** The last line of a replica that lost the Lease and therefore had to end. Such ends are counted. */
const LEASE_LOST = '"msg":"leadership is lost';

/** Returns lines of controllers that indicate a bug: errors, stacks, warnings of the platform. */
export function badLines(replicas: readonly Replica[]): readonly string[] {
  return replicas.flatMap(({ lives, name }) =>
    lives.flatMap(({ process: { lines } }) =>
      lines
        .filter((line) => BAD_LINE.test(line) && !line.includes(LEASE_LOST))
        .map((line) => `${name} said ${line.slice(0, 500)}`),
    ),
  );
}

/** Finds secrets in all output since the last call: of processes, statuses and events. */
export async function leaks(cluster: Cluster): Promise<readonly string[]> {
  for (const path of [cluster.ours('deployments'), cluster.ours('connections')]) {
    for (const { status } of await cluster.items(path)) noteTold('a status', status);
  }
  for (const event of await cluster.items<object>(cluster.core('events'))) noteTold('an event', event);
  const leak = takeLeak();
  return leak === undefined ? [] : [`a secret stands in ${leak.where}: ${leak.text.slice(0, 300)}`];
}
