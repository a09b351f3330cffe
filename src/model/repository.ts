import type { DeploymentSpec } from '../api/deployment.ts';

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
  found: readonly ObservedRepository[],
): ObservedRepository | undefined {
  return found.find(({ owner, name }) => owner === wanted.owner && name === wanted.name);
}

/** What an integration lists (4.2); `more` where the answer names further pages, which are not read (N83). */
export interface ListedRepositories {
  readonly items: readonly ObservedRepository[];
  readonly more: boolean;
}

/** The repository of `spec.repository`, or why there is none. */
export type FoundRepository = ObservedRepository | 'missing' | 'not on the first page';
