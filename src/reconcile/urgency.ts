import type { DeploymentResource } from '../api/deployment.ts';
import type { CallPriority } from '../ports/external-client.ts';

/** What a person asked for goes first; following a rollout comes next; everything else can wait. */
export function priorityOf({ metadata, status }: DeploymentResource): CallPriority {
  if (status?.observedGeneration !== metadata.generation || metadata.deletionTimestamp !== undefined)
    return 'user';
  return status?.latestRevisionID === status?.activeRevisionID ? 'resync' : 'rollout';
}
