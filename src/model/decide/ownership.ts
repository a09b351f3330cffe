import { type DeploymentResource, type DeploymentStatus, observesOnly } from '../../api/deployment.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { Plan } from '../plan/plan-kinds.ts';
import type { Present } from '../plan/situation.ts';

/**
 * The one that bound a deployment first owns it; another resource never writes to it and never deletes it (H25). A
 * resource that only observes neither owns nor is kept out.
 */
export function ownedByAnother({ resource, observed, settings, rivals }: Present): Plan | undefined {
  if (observesOnly(resource)) return undefined;
  const owner = rivals.find(
    (rival) =>
      !observesOnly(rival) &&
      rival.status?.deploymentID === observed.id &&
      isBoundHere(rival.status.binding, observed, settings) &&
      came(rival, observed.id) < came(resource, observed.id),
  );
  if (owner === undefined) return undefined;
  const name = nameFor(resource, owner);
  if (resource.metadata.deletionTimestamp !== undefined) {
    return { kind: 'release', message: `the deployment belongs to ${name} and stays` };
  }
  const message = `deployment ${observed.id} is bound by ${name}, which came first`;
  return { kind: 'blocked', reason: 'OwnershipConflict', message };
}

/** A tenant does not learn the names that another one uses. */
function nameFor({ metadata }: DeploymentResource, owner: DeploymentResource): string {
  const { namespace = '', name } = owner.metadata;
  return namespace === (metadata.namespace ?? '')
    ? `${namespace}/${name}`
    : 'a resource of another namespace';
}

/**
 * True for pins of this very deployment. Their address may be one that the service had before, since an owner stays one
 * while it has not followed yet, or may not; only a tenant that is known to be another one tells two ids apart.
 */
function isBoundHere(
  binding: DeploymentStatus['binding'],
  { tenantID }: ObservedDeployment,
  { baseURL }: ConnectionSettings,
): boolean {
  if (binding === undefined || binding.endpoint === baseURL) return binding !== undefined;
  return binding.tenantID === undefined || tenantID === undefined || binding.tenantID === tenantID;
}

/** Sorts by when it was bound, then by when it was made, then by uid. */
function came({ status, metadata }: DeploymentResource, id: string): string {
  const bound = status?.deploymentID === id ? status.binding?.time : undefined;
  return [bound ?? '9999', metadata.creationTimestamp ?? '9999', metadata.uid ?? ''].join(' ');
}
