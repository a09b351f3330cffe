import { withoutCredentials } from '../../base/url-text.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { ObservedProvider } from '../../model/external/provider.ts';
import type { ObservedRepository } from '../../model/external/repository.ts';
import type { Table } from './render.ts';

/** A column of a table: its header, and what stands in it. */
type Column<T> = readonly [header: string, text: (item: T) => string | null | undefined];

const DEPLOYMENTS: readonly Column<ObservedDeployment>[] = [
  ['NAME', ({ name }) => name],
  ['SOURCE', ({ source }) => source],
  ['STATUS', ({ serviceStatus }) => serviceStatus],
  ['REVISION', rollout],
  ['VERSION', ({ imageVersion }) => imageVersion],
  ['ID', ({ id }) => id],
];

const DEPLOYMENTS_WIDE: readonly Column<ObservedDeployment>[] = [
  ['IMAGE OR REF', origin],
  ['ACTIVE', ({ activeRevisionID }) => activeRevisionID],
  ['LATEST', ({ latestRevisionID }) => latestRevisionID],
  ['UPDATED', ({ updatedTime }) => updatedTime],
  ['TENANT', ({ tenantID }) => tenantID],
];

const REPOSITORIES: readonly Column<ObservedRepository>[] = [
  ['OWNER', ({ owner }) => owner],
  ['NAME', ({ name }) => name],
  ['DEFAULT BRANCH', ({ defaultBranch }) => defaultBranch],
];

const REPOSITORIES_WIDE: readonly Column<ObservedRepository>[] = [
  ['URL', ({ url }) => url],
  ['INTEGRATION', ({ integrationID }) => integrationID],
];

const PROVIDERS: readonly Column<ObservedProvider>[] = [
  ['NAME', ({ name }) => name],
  ['PROVIDER ID', ({ providerID }) => providerID],
  ['TYPE', ({ type }) => type],
];

const PROVIDERS_WIDE: readonly Column<ObservedProvider>[] = [['ID', ({ id }) => id]];

/** Deployments as rows. */
export function deploymentTable(deployments: readonly ObservedDeployment[], wide: boolean): Table {
  return table(wide ? [...DEPLOYMENTS, ...DEPLOYMENTS_WIDE] : DEPLOYMENTS, deployments);
}

/** Repositories as rows. */
export function repositoryTable(repositories: readonly ObservedRepository[], wide: boolean): Table {
  return table(wide ? [...REPOSITORIES, ...REPOSITORIES_WIDE] : REPOSITORIES, repositories);
}

/** Providers as rows. */
export function providerTable(providers: readonly ObservedProvider[], wide: boolean): Table {
  return table(wide ? [...PROVIDERS, ...PROVIDERS_WIDE] : PROVIDERS, providers);
}

function table<T>(columns: readonly Column<T>[], items: readonly T[]): Table {
  return {
    header: columns.map(([header]) => header),
    rows: items.map((item) => columns.map(([, text]) => text(item) ?? '')),
  };
}

/** Whether the newest revision serves: more is not documented (section 3). */
function rollout({ latestRevisionID: latest, activeRevisionID: active }: ObservedDeployment): string {
  if (latest === undefined || active === undefined) return '';
  if (latest === active) return latest === null ? 'none' : 'active';
  return 'not active yet';
}

/** The source of the newest revision, without the parts of an address that may be private. */
function origin({ sourceRevisionConfig }: ObservedDeployment): string {
  const { imageURI, repoRef, sourceTarballPath } = sourceRevisionConfig?.fields ?? {};
  const shown = [imageURI, repoRef, sourceTarballPath].find((value) => typeof value === 'string');
  return withoutCredentials(shown ?? '');
}
