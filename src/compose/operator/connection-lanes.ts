import type { Fleet } from './fleet.ts';
import { type ConnectionName, connectionText, DEFAULTS } from '../../model/connection/connection.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import type { Key } from '../../api/metadata.ts';
import type { WorkQueue } from '../../runtime/queue/work-queue.ts';
import { priorityOf } from '../../reconcile/deployment/priority-of.ts';
import type { LaneRules } from '../../runtime/queue/fair-order.ts';
import type { ConnectionPool } from '../../service/connection/connection-pool.ts';

/** The suffix of a connection's lane for passes of each urgency. */
const SUFFIXES: Readonly<Record<CallPriority, string>> = {
  user: '',
  rollout: ' (rollouts)',
  resync: ' (unhurried)',
};

/** A request for the next passes of a connection. */
interface NextPasses {
  readonly connection: ConnectionName;
  readonly priority: CallPriority;
  readonly most: number;
}

/** The largest share of all workers for a lane: a hanging service must leave workers to other services. */
const MOST_OF_WORKERS = 3 / 8;

/** The least width of a lane, even if the share above is smaller. */
const LEAST_PLACES = 8;

/**
 * The number of workers up to which none is reserved. At most half of a larger number is reserved for idle connections.
 */
const FEW_WORKERS = 16;

/**
 * Gives each connection three lanes, since a pass that waits long for its permit would block a more urgent one: while
 * people edit, resyncs wait longest, and passes that follow a rollout a little less. Each lane is twice as wide as the
 * connection's limit of concurrent exchanges. So one namespace can keep all exchanges busy, and an edit in another
 * namespace waits only for its permit and not for a place. No lane is wider than three eighths of `workers`, which all
 * connections share, and up to half of which is reserved for lanes in which nothing runs.
 */
export function connectionLanes(
  pool: Pick<ConnectionPool, 'nameFor' | 'concurrencyOf'>,
  fleet: Pick<Fleet, 'get'>,
  workers: number,
): LaneRules {
  const most = Math.max(LEAST_PLACES, Math.floor(workers * MOST_OF_WORKERS));
  return {
    laneOf: (key) => {
      const resource = fleet.get(key);
      const connection = resource === undefined ? undefined : pool.nameFor(resource);
      if (resource === undefined || connection === undefined) return undefined;
      return laneFor(connection, priorityOf(resource));
    },
    places: workers,
    reserved: Math.max(0, Math.min(Math.floor(workers / 2), workers - FEW_WORKERS)),
    laneLimit: (lane) => Math.min(most, 2 * pool.concurrencyOf(connectionOf(lane))),
  };
}

/** Returns the lane of a connection's passes with a priority. */
function laneFor(connection: ConnectionName, priority: CallPriority): string {
  return `${connectionText(connection)}${SUFFIXES[priority]}`;
}

/**
 * The priorities of the passes that come next, by the priority of the current pass. After every write, people wait for
 * the end of its rollout.
 */
const BESIDE: Readonly<Record<CallPriority, readonly CallPriority[]>> = {
  user: ['user', 'rollout'],
  rollout: ['rollout', 'resync'],
  resync: ['rollout', 'resync'],
};

/** Resyncs that are due within this time join a pass that reads: the read shows the end of their window too. */
const SOON_MS = DEFAULTS.pollRolloutMs;

/** Returns at most `most` keys whose passes come next and would make the same read as a pass of this priority. */
export function keysUpNext(
  queue: Pick<WorkQueue, 'upNext'>,
  { connection, priority, most }: NextPasses,
): readonly Key[] {
  const keys = BESIDE[priority].flatMap((one) =>
    queue.upNext(laneFor(connection, one), most, one === 'resync' ? SOON_MS : 0),
  );
  return keys.slice(0, most);
}

function connectionOf(lane: string): string {
  const suffix = Object.values(SUFFIXES).find((one) => one !== '' && lane.endsWith(one)) ?? '';
  return lane.slice(0, lane.length - suffix.length);
}

/**
 * Makes one lane for the connections of each namespace, and none for ClusterConnections. A namespace takes at most a
 * quarter of the workers, and half of them are reserved for namespaces in which nothing runs, so hanging connections
 * delay no other namespace (H59).
 */
export function checkLanes(workers: number): LaneRules {
  return {
    laneOf: ({ namespace }) => (namespace === '' ? undefined : namespace),
    places: workers,
    reserved: Math.floor(workers / 2),
    // One namespace gets half of a lane.
    laneLimit: () => Math.max(LEAST_PLACES, Math.floor(workers / 2)),
  };
}
