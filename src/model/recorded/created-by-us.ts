import type { DeploymentStatus } from '../../api/deployment.ts';

/**
 * True if this resource created the deployment with an id. A creation recorded beside another id made that other one, from
 * before the spec declared a new id (H26).
 */
export function createdByUs(
  status: Pick<DeploymentStatus, 'creation' | 'deploymentID'> | undefined,
  id: string,
): boolean {
  return status?.creation?.state === 'Done' && (status.deploymentID ?? id) === id;
}
