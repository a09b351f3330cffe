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
