import type { DeploymentResource } from '../../api/deployment.ts';
import type { Observation, ObservedDeployment } from './observation.ts';

/**
 * Returns the revision that a look shows as the newest, if another one is known to have replaced it: the replica
 * lags, or somebody went back to it (R10). A revision that appears for the first time is neither, whatever its
 * contents.
 */
export function supersededRevision(
  { status }: { readonly status?: DeploymentResource['status'] | undefined },
  { id, latestRevisionID: latest }: ObservedDeployment,
): string | undefined {
  if (status?.deploymentID !== id || latest === undefined || latest === null) return undefined;
  if (latest === newestOf(status)) return undefined;
  return status.revisions?.some((revision) => revision.id === latest) === true ? latest : undefined;
}

/** The look itself; where one pass over the list showed the deployment several times, what shows the newest known revision. */
export function newestKnown(resource: DeploymentResource, observation: Observation): Observation {
  if (observation.kind !== 'present' || observation.twins === undefined) return observation;
  const { twins, ...single } = observation;
  const [first = observation.deployment] = [observation.deployment, ...twins].toSorted(
    (a, b) => rankOf(resource, a) - rankOf(resource, b),
  );
  return { ...single, deployment: first };
}

/** Returns 0 for the newest known revision; unknown ones come last. */
function rankOf({ status }: DeploymentResource, { latestRevisionID: latest }: ObservedDeployment): number {
  if (latest === newestOf(status)) return 0;
  const at = status?.revisions?.findIndex(({ id }) => id === latest) ?? -1;
  return at < 0 ? Number.MAX_SAFE_INTEGER : at + 1;
}

/** The newest revision that was seen; an answer to a write may leave out which one is. */
function newestOf(status: DeploymentResource['status']): string | undefined {
  return status?.latestRevisionID ?? status?.revisions?.[0]?.id;
}
