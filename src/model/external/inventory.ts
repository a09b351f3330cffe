import { annotation, type DeploymentResource, type DeploymentSpec } from '../../api/deployment.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import type { ConnectionError } from '../connection/failure.ts';

/** A list of the service other than deployments, as far as one answer shows it. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** True if the answer names further pages (Link), which the operator does not read (N83). */
  readonly more: boolean;
  /** The reason why there is no list. */
  readonly trouble?: ConnectionError;
}

/**
 * Returns the earliest acceptable read time, in milliseconds, of a list that lacks a requirement. The list may be as
 * old as a sweep or, after a recent request by a person, as old as a rollout poll. So the operator notices additions
 * soon, and a thousand waiting resources cost one call.
 */
export function listedSinceMs(
  resource: DeploymentResource,
  { poll }: Pick<ConnectionSettings, 'poll'>,
  nowMs: number,
): number {
  return nowMs - (hasJustAsked(resource) ? Math.min(poll.rolloutMs, poll.intervalMs) : poll.intervalMs);
}

/** True if an edit, or a text in reconcile-at, has had no pass yet. */
function hasJustAsked(resource: DeploymentResource): boolean {
  const { metadata, status } = resource;
  const asked = annotation(resource, 'reconcileAt');
  return (
    status?.observedGeneration !== metadata.generation ||
    (asked !== undefined && asked !== status?.lastHandledReconcileAt)
  );
}

/** An OAuth provider (2.1) as shown in a connection's status: no client ids, no URLs. */
export interface ObservedProvider {
  readonly id: string;
  readonly providerID: string;
  readonly name: string;
  readonly type?: string;
}

/** A repository that a code-host integration reaches (2.2). */
export interface ObservedRepository {
  readonly integrationID: string;
  readonly owner: string;
  readonly name: string;
  readonly url: string;
  readonly defaultBranch: string;
}

/** Returns the repository of a spec among those of its integration, by exact owner and name. */
export function namedRepository(
  wanted: NonNullable<DeploymentSpec['repository']>,
  { items, more, trouble }: Listed<ObservedRepository>,
): FoundRepository {
  const found = items.find(({ owner, name }) => owner === wanted.owner && name === wanted.name);
  if (found !== undefined) return found;
  if (trouble !== undefined) return `not listed (${trouble.reason})`;
  return more ? 'not on the first page' : 'missing';
}

/** Explains to people why there is no repository. */
export function repositoryProblem(
  { integrationID, owner, name }: NonNullable<DeploymentSpec['repository']>,
  found: Extract<FoundRepository, string>,
): string {
  const what = `repository ${owner}/${name}`;
  switch (found) {
    case 'missing':
      return `integration ${integrationID} does not list ${what}`;
    case 'not on the first page':
      return `integration ${integrationID} does not list ${what} on its first page, and the operator does not read further pages (Link)`;
    default:
      return `the repositories of integration ${integrationID} are ${found}`;
  }
}

/** The repository of `spec.repository`, or the reason why there is none. */
export type FoundRepository =
  ObservedRepository | 'missing' | 'not on the first page' | `not listed (${string})`;
