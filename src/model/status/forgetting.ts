import type { DeploymentStatus } from '../../api/deployment.ts';

/** The members of a status about one deployment of the service: where it is, how it was shown, what was sent to it. */
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
 * A status without what it says of its deployment, which is gone or not meant any more; what was sent of late counts
 * on.
 */
export function withoutDeployment(status: DeploymentStatus): DeploymentStatus {
  const names: ReadonlySet<string> = new Set(OF_DEPLOYMENT);
  return Object.fromEntries(Object.entries(status).filter(([name]) => !names.has(name)));
}

/** Returns only the members of a status about its deployment. */
export function ofDeployment(status: DeploymentStatus): OfDeployment {
  return Object.fromEntries(OF_DEPLOYMENT.map((name) => [name, status[name]]));
}
