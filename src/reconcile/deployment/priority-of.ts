import type { DeploymentResource } from '../../api/deployment.ts';
import { isAwaitedByPerson } from '../../model/decide/recent-look.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';

/**
 * Returns the priority of the work on a resource: the request of a person goes first, then a rollout in progress, then
 * everything else.
 */
export function priorityOf(resource: DeploymentResource): CallPriority {
  if (isAwaitedByPerson(resource)) return 'user';
  const { status } = resource;
  return status?.latestRevisionID === status?.activeRevisionID ? 'resync' : 'rollout';
}
