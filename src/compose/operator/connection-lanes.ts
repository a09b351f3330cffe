import type { Fleet } from './fleet.ts';
import { connectionText } from '../../model/connection/connection.ts';
import { priorityOf } from '../../reconcile/deployment/priority-of.ts';
import type { LaneRules } from '../../runtime/queue/fair-order.ts';
import type { ConnectionPool } from '../../service/connection/connection-pool.ts';

/** The suffix after the name of a connection for its lane of background work. */
const UNHURRIED = ' (unhurried)';

/** A lane takes so much of all workers at most: a service that hangs must leave some to the others. */
const MOST_OF_WORKERS = 3 / 8;

/** But so few are left to it in any case. */
const LEAST_PLACES = 8;

/** So few workers cannot be kept for others; half of a larger number is for connections of which nothing runs. */
const FEW_WORKERS = 16;

/**
 * Two lanes for each connection, since passes that follow a rollout or resync wait long for a permit while people edit,
 * and would take the places of those edits. Each is twice as wide as it has exchanges at once, so that one namespace
 * can keep all of them busy, and yet an edit of another waits for its permit and not before for a place; but no wider
 * than three eighths of `workers`, which all connections share, and of which half is for lanes in which nothing runs.
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
      return `${connectionText(connection)}${priorityOf(resource) === 'user' ? '' : UNHURRIED}`;
    },
    places: workers,
    reserved: Math.max(0, Math.min(Math.floor(workers / 2), workers - FEW_WORKERS)),
    laneLimit: (lane) => Math.min(most, 2 * pool.concurrencyOf(lane.replace(UNHURRIED, ''))),
  };
}

/**
 * One lane for the connections of each namespace, and none for those of the cluster. A namespace takes a quarter of the
 * workers at most, and half of them are for namespaces of which nothing runs: connections that hang delay no others (H59).
 */
export function checkLanes(workers: number): LaneRules {
  return {
    laneOf: ({ namespace }) => (namespace === '' ? undefined : namespace),
    places: workers,
    reserved: Math.floor(workers / 2),
    // Of a lane one namespace has half.
    laneLimit: () => Math.max(LEAST_PLACES, Math.floor(workers / 2)),
  };
}
