import type { DeploymentResource } from '../../api/deployment.ts';
import type { Observation, ObservedDeployment } from './observation.ts';

/**
 * Returns the revision that a look shows as the newest, or '' for none, if a newer one is known: the replica lags, or
 * somebody rolled back (R10). Does so for any revision if the active revision is older than the one that was active
 * before. Otherwise returns undefined for a revision that appears for the first time, whatever its contents.
 */
export function supersededRevision(
  { status }: { readonly status?: DeploymentResource['status'] | undefined },
  { id, latestRevisionID: latest, activeRevisionID: active }: ObservedDeployment,
): string | undefined {
  if (status?.deploymentID !== id || latest === undefined) return undefined;
  if (latest === null) return newestOf(status) === undefined ? undefined : NO_REVISION;
  const rank = rankIn(status.revisions);
  if (rank(latest) < NEVER_SEEN && latest !== newestOf(status)) return latest;
  const wasActive = rank(status.activeRevisionID);
  return wasActive < NEVER_SEEN && rank(active) < NEVER_SEEN && rank(active) > wasActive ? latest : undefined;
}

/** Stands for the revision of a look that shows none. */
const NO_REVISION = '';

const NEVER_SEEN = Number.MAX_SAFE_INTEGER;

/** Returns a function that ranks a revision among the seen ones, with 0 for the newest. */
function rankIn(revisions: NonNullable<DeploymentResource['status']>['revisions'] = []) {
  return (revisionID: string | null | undefined): number => {
    const at = revisions.findIndex(({ id }) => id === revisionID);
    return at < 0 ? NEVER_SEEN : at;
  };
}

/**
 * Returns the look; if one read of the whole list showed the deployment several times, the version with the newest
 * known revision.
 */
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

/** Returns the newest revision that was seen. The status may lack it, since the answer to a write may not name it. */
function newestOf(status: DeploymentResource['status']): string | undefined {
  return status?.latestRevisionID ?? status?.revisions?.[0]?.id;
}
