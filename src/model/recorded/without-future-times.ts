import { defined } from '../../base/defined.ts';
import type { DeploymentResource, DeploymentStatus } from '../../api/deployment.ts';

/** The clock of another replica may be ahead by this much, in milliseconds. */
const AHEAD_MS = 60_000;

/**
 * Returns a resource whose status names no time in the future, or the resource itself. Such a time was recorded before
 * the machine's clock was set back: the window of a write, a refusal or a rollout would last as long as the clock was
 * set back. Each such time becomes the present, so that a wait begins once more, and their order stays.
 */
export function withoutFutureTimes(resource: DeploymentResource, nowMs: number): DeploymentResource {
  const { status } = resource;
  if (status === undefined) return resource;
  const ahead = new Set<number>();
  withTimes(status, (time) => {
    if (Date.parse(time) > nowMs) ahead.add(Date.parse(time));
    return time;
  });
  const inOrder = [...ahead].toSorted((one, other) => one - other);
  if ((inOrder.at(-1) ?? 0) <= nowMs + AHEAD_MS) return resource;
  const present = new Map(inOrder.map((ms, index) => [ms, new Date(nowMs + index).toISOString()]));
  return { ...resource, status: withTimes(status, (time) => present.get(Date.parse(time)) ?? time) };
}

/**
 * Replaces the times that the operator recorded, by its own clock. Two others are those of the service, and the time of a
 * condition changes only with its status.
 */
function withTimes(status: DeploymentStatus, replace: (time: string) => string): DeploymentStatus {
  const { revisions, rolloutStartedTime, missingSinceTime, creation, budget } = status;
  const { lastPatch, pendingWrite, applied, binding } = status;
  const maybe = (time: string | undefined): string | undefined =>
    time === undefined ? undefined : replace(time);
  const dated = <Part extends { readonly time: string }>(part: Part | undefined): Part | undefined =>
    part === undefined ? undefined : { ...part, time: replace(part.time) };
  return {
    ...status,
    ...defined({
      revisions: revisions?.map(({ activeTime, ...revision }) => ({
        ...revision,
        firstSeenTime: replace(revision.firstSeenTime),
        ...defined({ activeTime: maybe(activeTime) }),
      })),
      rolloutStartedTime: maybe(rolloutStartedTime),
      missingSinceTime: maybe(missingSinceTime),
      creation: creation && { ...creation, ...defined({ time: maybe(creation.time) }) },
      lastPatch: lastPatch && {
        ...lastPatch,
        time: replace(lastPatch.time),
        ...defined({ lastSentTime: maybe(lastPatch.lastSentTime), accepted: dated(lastPatch.accepted) }),
      },
      ...{ pendingWrite: dated(pendingWrite), applied: dated(applied), binding: dated(binding) },
      budget: budget && {
        ...budget,
        sends: budget.sends.map(replace),
        drift: budget.drift.map((entry) => ({ ...entry, times: entry.times.map(replace) })),
      },
    }),
  };
}
