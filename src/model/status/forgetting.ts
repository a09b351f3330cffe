import type { DeploymentStatus } from '../../api/deployment.ts';

/**
 * The members of a status about one deployment of the service: its place, its shown values, and the values that were
 * sent to it.
 */
const OF_DEPLOYMENT = [
  'deploymentID',
  'name',
  'source',
  'tenantID',
  'serviceStatus',
  'imageVersion',
  'createdTime',
  'updatedTime',
  'latestRevisionID',
  'activeRevisionID',
  'rolloutStartedTime',
  'missingSinceTime',
  'observed',
  'leftOut',
  'lost',
  'applied',
  'binding',
] as const satisfies readonly (keyof DeploymentStatus)[];

type OfDeployment = Pick<DeploymentStatus, (typeof OF_DEPLOYMENT)[number]>;

/**
 * Returns a status without the members about its deployment, which is gone or no longer named; recent requests still
 * count.
 */
export function withoutDeployment(status: DeploymentStatus): DeploymentStatus {
  const names: ReadonlySet<string> = new Set(OF_DEPLOYMENT);
  return Object.fromEntries(Object.entries(status).filter(([name]) => !names.has(name)));
}

/** Returns only the members of a status about its deployment. */
export function ofDeployment(status: DeploymentStatus): OfDeployment {
  return Object.fromEntries(OF_DEPLOYMENT.map((name) => [name, status[name]]));
}

/** The largest status, in bytes of JSON. */
export const STATUS_BYTES = 48 * 1024;

/**
 * Cuts a status to its limit. The parts that decisions need are small by construction. If the whole is too large,
 * removes parts that people can do without: changes of a plan, which are counted, and the oldest revisions.
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
