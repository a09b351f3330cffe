import { withoutCredentials } from '../../base/url-text.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { ObservedProvider, ObservedRepository } from '../../model/external/inventory.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { deploymentView } from '../../views/resources/deployment-view.ts';
import type { GetProvidersDocument, GetRepositoriesDocument } from '../generated/documents.ts';
import { renderTable, type Table } from './render-table.ts';
import { type BodyOf, renderDocument } from './render-data.ts';

/** Items of a service, in every output format. */
export interface Listing {
  readonly items: readonly object[];
  readonly names: readonly string[];
  readonly table: (wide: boolean) => Table;
}

type ListingFormat = 'text' | 'wide' | 'name' | 'json' | 'yaml';

/** Renders items of a service. Pure; ends with a line break. */
export function renderListing(
  { items, names, table }: Listing,
  format: ListingFormat,
  columns: number,
): string {
  switch (format) {
    case 'text':
      return renderTable(table(false), columns);
    case 'wide':
      return renderTable(table(true));
    case 'name':
      // Prints one line for each name, without control characters, whatever names a service has.
      return names.map((name) => `${textForPeople(name)}\n`).join('');
    case 'json':
    case 'yaml':
      return renderDocument({ items }, format);
  }
}

/** A column of a table: its header, and the text of its cells. */
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

/** Lists deployments. */
export function deploymentListing(deployments: readonly ObservedDeployment[]): Listing {
  return {
    items: deployments.map(deploymentView),
    names: deployments.map(({ name }) => name),
    table: (wide) => tableOf(deployments, wide ? [...DEPLOYMENTS, ...DEPLOYMENTS_WIDE] : DEPLOYMENTS),
  };
}

/** Lists repositories of an integration. */
export function repositoryListing(items: readonly ObservedRepository[]): Listing {
  const { items: told }: BodyOf<GetRepositoriesDocument> = { items };
  return {
    items: told,
    names: items.map(({ owner, name }) => `${owner}/${name}`),
    table: (wide) => tableOf(items, wide ? [...REPOSITORIES, ...REPOSITORIES_WIDE] : REPOSITORIES),
  };
}

/** Lists OAuth providers. */
export function providerListing(items: readonly ObservedProvider[]): Listing {
  const { items: told }: BodyOf<GetProvidersDocument> = { items };
  return {
    items: told,
    names: items.map(({ providerID }) => providerID),
    table: (wide) => tableOf(items, wide ? [...PROVIDERS, ...PROVIDERS_WIDE] : PROVIDERS),
  };
}

function tableOf<T>(items: readonly T[], columns: readonly Column<T>[]): Table {
  return {
    header: columns.map(([header]) => header),
    rows: items.map((item) => columns.map(([, text]) => text(item) ?? '')),
  };
}

/** Returns whether the newest revision is active; nothing more is documented (section 3). */
function rollout({ latestRevisionID: latest, activeRevisionID: active }: ObservedDeployment): string {
  if (latest === undefined || active === undefined) return '';
  if (latest === active) return latest === null ? 'none' : 'active';
  return 'not active yet';
}

/** Returns the source of the newest revision, without the parts of an address that may be private. */
function origin({ sourceRevisionConfig }: ObservedDeployment): string {
  const { imageURI, repoRef, sourceTarballPath } = sourceRevisionConfig?.fields ?? {};
  const shown = [imageURI, repoRef, sourceTarballPath].find((value) => typeof value === 'string');
  return withoutCredentials(shown ?? '');
}
