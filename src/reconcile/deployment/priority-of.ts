import type { DeploymentResource } from '../../api/deployment.ts';
import { askedLook } from '../../model/decide/recent-look.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';

/** Ranks work: a person's request goes first; following a rollout comes next; everything else can wait. */
export function priorityOf(resource: DeploymentResource): CallPriority {
  const { metadata, status } = resource;
  if (status?.observedGeneration !== metadata.generation || metadata.deletionTimestamp !== undefined)
    return 'user';
  if (askedLook(resource) !== undefined) return 'user';
  return status?.latestRevisionID === status?.activeRevisionID ? 'resync' : 'rollout';
}
