import type { DeploymentStatus } from '../../api/deployment.ts';

type LastPatch = NonNullable<DeploymentStatus['lastPatch']>;

/** A change of more fields than this is remembered beside a refusal as one of all fields, since a status has a bound. */
const MOST_ACCEPTED_PATHS = 10;

/**
 * The newest change that was not refused: a refused one changed nothing, and the effect of the one before it may
 * still be to be seen.
 */
export function acceptedPatch(status: DeploymentStatus | undefined): LastPatch['accepted'] {
  const { lastPatch } = status ?? {};
  return lastPatch?.outcome === 'Refused' ? lastPatch.accepted : lastPatch;
}

/**
 * Returns the form in which that change is remembered beside a refusal; its paths are empty if it changed all fields.
 */
export function acceptedBefore(status: DeploymentStatus | undefined): Pick<LastPatch, 'accepted'> {
  const accepted = acceptedPatch(status);
  if (accepted === undefined) return {};
  return {
    accepted: { ...accepted, paths: accepted.paths.length > MOST_ACCEPTED_PATHS ? [] : accepted.paths },
  };
}
