import { defined } from '../../base/defined.ts';
import type { DeploymentStatus } from '../../api/deployment.ts';

type LastPatch = NonNullable<DeploymentStatus['lastPatch']>;

/**
 * The most paths of an accepted change that a status keeps beside a refusal; a larger change is remembered as one of
 * all fields, since the size of a status is limited.
 */
const MOST_ACCEPTED_PATHS = 10;

/**
 * Returns the newest change that was not refused: a refused one changed nothing, and the effect of the change before it
 * may not be visible yet.
 */
export function acceptedPatch(
  status: Pick<DeploymentStatus, 'lastPatch'> | undefined,
): LastPatch['accepted'] {
  const { lastPatch } = status ?? {};
  return lastPatch?.outcome === 'Refused' ? lastPatch.accepted : lastPatch;
}

/** Returns the record of that change beside a refusal; its paths are empty if it changed all fields. */
export function acceptedBefore(lastPatch: LastPatch | undefined): Pick<LastPatch, 'accepted'> {
  const accepted = acceptedPatch(defined({ lastPatch }));
  if (accepted === undefined) return {};
  return {
    accepted: { ...accepted, paths: accepted.paths.length > MOST_ACCEPTED_PATHS ? [] : accepted.paths },
  };
}
