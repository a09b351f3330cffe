import type { DeploymentStatus } from '../../api/deployment.ts';

/** The largest status, in bytes of JSON. */
export const STATUS_BYTES = 48 * 1024;

/**
 * The status within its bound. What decisions rest on is small by construction; what goes first, where everything
 * together is too much, is what people can do without: changes of a plan, which are counted, and the oldest revisions.
 */
export function bounded(status: DeploymentStatus): DeploymentStatus {
  let excess = bytesOf(status) - STATUS_BYTES;
  if (excess <= 0) return status;
  const { plan, revisions = [], ...rest } = status;
  const changes = [...(plan?.changes ?? [])];
  while (excess > 0 && changes.length > 0) excess -= bytesOf(changes.pop()) + 1;
  const kept = [...revisions];
  while (excess > 0 && kept.length > 1) excess -= bytesOf(kept.pop()) + 1;
  const omitted = (plan?.changes.length ?? 0) - changes.length;
  return {
    ...rest,
    ...(kept.length === 0 ? {} : { revisions: kept }),
    ...(plan === undefined
      ? {}
      : { plan: { ...plan, changesOmitted: plan.changesOmitted + omitted, changes } }),
  };
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
