import type { DeploymentSpec } from '../../api/deployment.ts';
import type { Listed } from './inventory.ts';

/** A repository that a code-host integration reaches (2.2). */
export interface ObservedRepository {
  readonly integrationID: string;
  readonly owner: string;
  readonly name: string;
  readonly url: string;
  readonly defaultBranch: string;
}

/** The repository that a spec names, among those of its integration; owner and name exactly. */
export function namedRepository(
  wanted: NonNullable<DeploymentSpec['repository']>,
  { items, more, trouble }: Listed<ObservedRepository>,
): FoundRepository {
  const found = items.find(({ owner, name }) => owner === wanted.owner && name === wanted.name);
  if (found !== undefined) return found;
  if (trouble !== undefined) return `not listed (${trouble.reason})`;
  return more ? 'not on the first page' : 'missing';
}

/** Why there is no repository, for people. */
export function repositoryProblem(
  { integrationID, owner, name }: NonNullable<DeploymentSpec['repository']>,
  found: Extract<FoundRepository, string>,
): string {
  const what = `repository ${owner}/${name}`;
  switch (found) {
    case 'missing':
      return `integration ${integrationID} does not list ${what}`;
    case 'not on the first page':
      return `integration ${integrationID} does not list ${what} on its first page; further ones (Link) are not read`;
    default:
      return `the repositories of integration ${integrationID} are ${found}`;
  }
}

/** The repository of `spec.repository`, or why there is none. */
export type FoundRepository =
  ObservedRepository | 'missing' | 'not on the first page' | `not listed (${string})`;
