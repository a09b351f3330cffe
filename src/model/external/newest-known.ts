import type { DeploymentResource } from '../../api/deployment.ts';
import type { Observation, ObservedDeployment } from './observation.ts';

/**
 * Returns the revision that a look shows as the newest, if another one is known to have replaced it: the replica
 * lags, or somebody went back to it (R10). The same holds for any other revision while an older one is active than
 * was active before. A revision that appears for the first time is neither otherwise, whatever its contents.
 */
export function supersededRevision(
  { status }: { readonly status?: DeploymentResource['status'] | undefined },
  { id, latestRevisionID: latest, activeRevisionID: active }: ObservedDeployment,
): string | undefined {
  if (status?.deploymentID !== id || latest === undefined || latest === null) return undefined;
  const rank = rankIn(status.revisions);
  if (rank(latest) < NEVER_SEEN && latest !== newestOf(status)) return latest;
  const wasActive = rank(status.activeRevisionID);
  return wasActive < NEVER_SEEN && rank(active) < NEVER_SEEN && rank(active) > wasActive ? latest : undefined;
}

const NEVER_SEEN = Number.MAX_SAFE_INTEGER;

/** Returns the rank of a revision among those that were seen, 0 for the newest. */
function rankIn(revisions: NonNullable<DeploymentResource['status']>['revisions'] = []) {
  return (revisionID: string | null | undefined): number => {
    const at = revisions.findIndex(({ id }) => id === revisionID);
    return at < 0 ? NEVER_SEEN : at;
  };
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

/** Returns the lowest rank for the newest known revision; unknown ones come last. */
function rankOf({ status }: DeploymentResource, { latestRevisionID: latest }: ObservedDeployment): number {
  return latest === newestOf(status) ? -1 : rankIn(status?.revisions)(latest);
}

/** The newest revision that was seen; an answer to a write may leave out which one is. */
function newestOf(status: DeploymentResource['status']): string | undefined {
  return status?.latestRevisionID ?? status?.revisions?.[0]?.id;
}
