import {
  findDeployments,
  findProviders,
  findRepositories,
  serviceOf,
} from '../../compose/session/inventory.ts';
import type { SessionService } from '../../compose/session/session.ts';
import { UsageError } from '../../config.ts';
import { deploymentView } from '../../views/resources/deployment-view.ts';
import { textForPeople } from '../../base/text-for-people.ts';
import { EXIT, type ExitCode } from '../terminal/exit-code.ts';
import { deploymentTable, providerTable, repositoryTable } from '../render/inventory-tables.ts';
import type { GetProvidersDocument, GetRepositoriesDocument } from '../generated/documents.ts';
import { type BodyOf, renderDocument } from '../render/render-data.ts';
import { renderTable, type Table } from '../render/render.ts';
import { lookOnce } from './look.ts';
import { namespacesOf } from '../flags/session-options.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { GetOptions, LISTED } from '../words/get.ts';

type What = (typeof LISTED)[number];

/** The items that were found, in every form that can be printed. */
interface Found {
  readonly items: readonly object[];
  readonly names: readonly string[];
  readonly table: (wide: boolean) => Table;
  /** Notes for people. */
  readonly notes: readonly string[];
}

/** `get`: what a service has, read once from its documented endpoints. */
export async function getCommand(what: What, options: GetOptions, terminal: Terminal): Promise<ExitCode> {
  const look = LOOKS[what](options);
  const found = await lookOnce(options, terminal, async (session, signal) => {
    const namespaces = namespacesOf(options, session);
    return look(await serviceOf(session, { ...options, namespaces }, signal), signal);
  });
  if (found === undefined) return EXIT.failed;
  for (const note of found.notes) terminal.err(`note: ${note}\n`);
  if (found.items.length === 0 && isForPeople(options)) terminal.err(`there are no such ${what}\n`);
  else terminal.out(FORMATS[options.output](found, terminal.columns));
  return EXIT.ok;
}

/** Where the service was asked to choose, a name may be there and not among those that it chose. */
function nobodyCalled(wish: string, { parameter = {} }: GetOptions): string {
  const whom = Object.keys(parameter).length === 0 ? 'no deployment' : 'none of those that the service chose';
  return `${whom} is called ${wish}, or has that id`;
}

type Look = (service: SessionService, signal: AbortSignal) => Promise<Found>;

const LOOKS: Readonly<Record<What, (options: GetOptions) => Look>> = {
  deployments: (options) => {
    refuseIntegration(options);
    return async (service, signal) => {
      const { deployments, notes, unmatched } = await findDeployments(service, options, signal);
      return {
        items: deployments.map(deploymentView),
        names: deployments.map(({ name }) => name),
        table: (wide) => deploymentTable(deployments, wide),
        notes: [...notes, ...unmatched.map((wish) => nobodyCalled(wish, options))],
      };
    };
  },
  repositories: (options) => {
    refuseFilters(options);
    const { integration } = options;
    if (integration === undefined) {
      throw new UsageError('get repositories: give --integration ID, the code-host integration to list');
    }
    return async (service, signal) => {
      const { items, more } = await findRepositories(service, integration, signal);
      const names = items.map(({ owner, name }) => `${owner}/${name}`);
      const told: BodyOf<GetRepositoriesDocument> = { items };
      return { ...told, names, table: (wide) => repositoryTable(items, wide), notes: furtherPages(more) };
    };
  },
  providers: (options) => {
    refuseFilters(options);
    refuseIntegration(options);
    return async (service, signal) => {
      const { items, more } = await findProviders(service, signal);
      const names = items.map(({ providerID }) => providerID);
      const told: BodyOf<GetProvidersDocument> = { items };
      return { ...told, names, table: (wide) => providerTable(items, wide), notes: furtherPages(more) };
    };
  },
};

const FORMATS: Readonly<Record<GetOptions['output'], (found: Found, columns: number) => string>> = {
  text: ({ table }, columns) => renderTable(table(false), columns),
  wide: ({ table }) => renderTable(table(true)),
  // One line each, and nothing that a terminal would act on, whatever a service calls them.
  name: ({ names }) => names.map((name) => `${textForPeople(name)}\n`).join(''),
  json: ({ items }) => renderDocument({ items }, 'json'),
  yaml: ({ items }) => renderDocument({ items }, 'yaml'),
};

function isForPeople({ output }: GetOptions): boolean {
  return output === 'text' || output === 'wide';
}

const FILTERS = ['name', 'id', 'source', 'status', 'imageVersion', 'parameter'] as const;

function refuseFilters(options: GetOptions): void {
  if (FILTERS.every((name) => options[name] === undefined)) return;
  throw new UsageError('get: filters such as --name are for deployments; leave them out, or get deployments');
}

function refuseIntegration({ integration }: GetOptions): void {
  if (integration === undefined) return;
  throw new UsageError('get: --integration is for repositories; leave it out, or get repositories');
}

function furtherPages(more: boolean): readonly string[] {
  return more ? ['the service has further pages of this list, which it does not document how to read'] : [];
}
