import type { LoggedRequest } from '../../../../src/simulator/api/request-log.ts';

/** The state of a Lease from a time on. */
export interface LeaseChange {
  readonly atMs: number;
  readonly name: string;
  readonly holder: string;
  /** The time at which it expires unless it is renewed. */
  readonly untilMs: number;
}

/**
 * Returns the times at which another process took over: its start without leader election, or else the change of the
 * Lease's holder.
 */
export function takeOvers(startsMs: readonly number[], leases: readonly LeaseChange[]): readonly number[] {
  if (leases.length === 0) return startsMs;
  return leases
    .filter(({ holder, name }, at) => {
      const before = leases.slice(0, at).findLast((one) => one.name === name);
      return holder !== '' && holder !== before?.holder;
    })
    .map(({ atMs }) => atMs);
}

/** Returns the pairs of writes to one deployment that the service had at the same time. */
export function overlappingWrites(requests: readonly LoggedRequest[]): readonly string[] {
  const last = new Map<string, LoggedRequest>();
  const wrong: string[] = [];
  for (const request of writes(requests)) {
    const before = last.get(request.id);
    if (before !== undefined && underWayUntil(before) > request.beganMs) {
      wrong.push(`requests ${before.number} and ${request.number}, both to ${request.id}, overlap`);
    }
    if (before === undefined || underWayUntil(before) < underWayUntil(request)) last.set(request.id, request);
  }
  return wrong;
}

/** Returns the writes that began while their sender, known by its User-Agent, held none of the leases. */
export function writesWithoutLease(
  requests: readonly LoggedRequest[],
  leases: readonly LeaseChange[],
): readonly string[] {
  return [...writes(requests), ...requests.filter(({ operation }) => operation === 'create')].flatMap(
    ({ beganMs, number, userAgent = '' }) => {
      const held = leases.some(
        ({ atMs, holder, untilMs }) =>
          holder !== '' && userAgent.includes(holder) && atMs <= beganMs && beganMs < untilMs,
      );
      return held ? [] : [`request ${number} by ${userAgent}, which held no lease`];
    },
  );
}

function writes(requests: readonly LoggedRequest[]): readonly LoggedRequest[] {
  return requests.filter(({ operation }) => operation === 'patch' || operation === 'delete');
}

/**
 * Returns the time until which the request had its effect or was answered, whichever was later. A hanging request ends
 * with its effect.
 */
function underWayUntil({ beganMs, dealtMs = beganMs, delivery, endedMs }: LoggedRequest): number {
  if (delivery === 'hang') return dealtMs;
  return Math.max(dealtMs, endedMs ?? dealtMs);
}
