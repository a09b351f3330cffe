import { annotation, type DeploymentResource } from '../../api/deployment.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import type { ConnectionError } from '../connection/failure.ts';

/** The lists of the service beside deployments, as far as one answer shows them. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** The answer names further pages (Link), which are not read (N83). */
  readonly more: boolean;
  /** Why there is no list. */
  readonly trouble?: ConnectionError;
}

/**
 * When a list in which something required is missing must have been read at the earliest, in milliseconds: it may be as
 * old as a sweep over the deployments, and where somebody has just asked, as old as one that follows a rollout. So what
 * is added is seen soon, and a thousand who wait cost one call.
 */
export function listedSinceMs(
  resource: DeploymentResource,
  { poll }: Pick<ConnectionSettings, 'poll'>,
  nowMs: number,
): number {
  return nowMs - (hasJustAsked(resource) ? Math.min(poll.rolloutMs, poll.intervalMs) : poll.intervalMs);
}

/** True for an edit, or a text in reconcile-at, that no pass has dealt with. */
function hasJustAsked(resource: DeploymentResource): boolean {
  const { metadata, status } = resource;
  const asked = annotation(resource, 'reconcileAt');
  return (
    status?.observedGeneration !== metadata.generation ||
    (asked !== undefined && asked !== status?.lastHandledReconcileAt)
  );
}
