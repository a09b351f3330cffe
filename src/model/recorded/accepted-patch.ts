import { defined } from '../../base/defined.ts';
import type { DeploymentStatus } from '../../api/deployment.ts';
import type { ObservedDeployment } from '../external/observation.ts';

type LastPatch = NonNullable<DeploymentStatus['lastPatch']>;
type PendingWrite = NonNullable<DeploymentStatus['pendingWrite']>;

/**
 * The most paths of an accepted change that a status keeps beside a refusal; a larger change is remembered as one of
 * all fields, since the size of a status is limited.
 */
const MOST_ACCEPTED_PATHS = 10;

/**
 * Returns the newest change that was not refused: a refused one changed nothing, and the effect of the change before it
 * may not be visible yet.
 */
export function acceptedPatch(status: DeploymentStatus | undefined): LastPatch['accepted'] {
  const { lastPatch } = status ?? {};
  return lastPatch?.outcome === 'Refused' ? lastPatch.accepted : lastPatch;
}

/** Returns the record of that change beside a refusal; its paths are empty if it changed all fields. */
export function acceptedBefore(status: DeploymentStatus | undefined): Pick<LastPatch, 'accepted'> {
  const accepted = acceptedPatch(status);
  if (accepted === undefined) return {};
  return {
    accepted: { ...accepted, paths: accepted.paths.length > MOST_ACCEPTED_PATHS ? [] : accepted.paths },
  };
}

/** Returns the record of an announced write with its outcome, and of the newest revision of the look that showed it. */
export function patchRecord(
  { time, paths }: PendingWrite,
  outcome: string,
  observed: ObservedDeployment | undefined,
): LastPatch {
  return { time, outcome, paths, ...defined({ revisionID: observed?.latestRevisionID ?? undefined }) };
}
