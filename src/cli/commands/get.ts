import { Argument, InvalidArgumentError } from 'commander';
import type { SessionService } from '../../compose/session/session.ts';
import { UsageError } from '../../config.ts';
import { addFilterOptions, FILTER_HELP, type FilterFlags } from '../flags/filter-flags.ts';
import {
  addAllNamespaces,
  addSessionOptions,
  connectionName,
  manifestsOrCluster,
  outputFormat,
  type SessionFlags,
} from '../flags/options.ts';
import { type Call, cliCommand } from '../program/command.ts';
import { type CommandHelp, STOPPED } from '../program/help.ts';
import type { Listing } from '../render/inventory-tables.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

/** The kinds that can be listed, each with its singular, which is also accepted. */
const KINDS = { deployments: 'deployment', repositories: 'repository', providers: 'provider' } as const;

type Kind = keyof typeof KINDS;

const LISTED = Object.keys(KINDS) as readonly Kind[];

const FORMATS = ['text', 'wide', 'name', 'json', 'yaml'] as const;

interface GetOptions extends SessionFlags, FilterFlags {
  readonly filename?: readonly string[];
  readonly connection?: string;
  readonly integration?: string;
  readonly output: (typeof FORMATS)[number];
}

/** `get`: lists the objects of a service, which it reads once from the documented endpoints. */
export const get = cliCommand<GetOptions>({
  name: 'get',
  group: 'Look and ask:',
  help,
  declare: (command) => {
    command
      .description('List what the service has: deployments, repositories of an integration, OAuth providers.')
      .addArgument(new Argument('<what>', 'what to list').choices(LISTED).argParser(listed))
      .addOption(outputFormat(FORMATS, 'how it is printed'))
      .option('--integration <id>', 'code-host integration whose repositories are listed');
    addFilterOptions(command);
    command.optionsGroup('Where to look:').addOption(manifestsOrCluster()).addOption(connectionName());
    addAllNamespaces(addSessionOptions(command));
  },
  action,
});

/** Parses the kind to list, also in the singular, as kubectl does. Throws an error for the command line. */
function listed(word: string): Kind {
  const found = LISTED.find((kind) => kind === word || KINDS[kind] === word);
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`Allowed choices are ${LISTED.join(', ')}.`);
}

async function action(options: GetOptions, { terminal, words }: Call): Promise<ExitCode> {
  const kind = listed(words[0] ?? '');
  refuseFlagsOfOthers(kind, options);
  const { lookOnce } = await import('./look-once.ts');
  const { serviceOf } = await import('../../compose/session/inventory.ts');
  const { renderListing } = await import('../render/inventory-tables.ts');
  const found = await lookOnce(options, terminal, async ({ session, namespaces, signal }) =>
    FINDERS[kind](await serviceOf(session, { ...options, namespaces }, signal), options, signal),
  );
  if (found === undefined) return EXIT.failed;
  for (const note of found.notes) terminal.err(`note: ${note}\n`);
  const isForPeople = options.output === 'text' || options.output === 'wide';
  if (found.items.length === 0 && isForPeople) terminal.err(`there are no such ${kind}\n`);
  else terminal.out(renderListing(found, options.output, terminal.columns));
  return EXIT.ok;
}

const FILTERS = ['name', 'id', 'source', 'status', 'imageVersion', 'parameter'] as const;

function refuseFlagsOfOthers(kind: Kind, options: GetOptions): void {
  const filtered = FILTERS.some((name) => options[name] !== undefined);
  if (filtered && kind !== 'deployments')
    throw new UsageError(
      'get: filters such as --name are for deployments; leave them out, or get deployments',
    );
  if (options.integration !== undefined && kind !== 'repositories')
    throw new UsageError('get: --integration is for repositories; leave it out, or get repositories');
  if (options.integration === undefined && kind === 'repositories')
    throw new UsageError('get repositories: give --integration ID, the code-host integration to list');
}

/** The found items, with notes for people. */
interface Found extends Listing {
  readonly notes: readonly string[];
}

type Finder = (service: SessionService, options: GetOptions, signal: AbortSignal) => Promise<Found>;

const FINDERS: Readonly<Record<Kind, Finder>> = {
  async deployments(service, options, signal) {
    const { findDeployments } = await import('../../compose/session/inventory.ts');
    const { deploymentListing } = await import('../render/inventory-tables.ts');
    const { deployments, notes, unmatched } = await findDeployments(service, options, signal);
    const missing = unmatched.map((wish) => missingText(wish, options));
    return { ...deploymentListing(deployments), notes: [...notes, ...missing] };
  },
  async repositories(service, { integration = '' }, signal) {
    const { findRepositories } = await import('../../compose/session/inventory.ts');
    const { repositoryListing } = await import('../render/inventory-tables.ts');
    const { items, more } = await findRepositories(service, integration, signal);
    return { ...repositoryListing(items), notes: furtherPages(more) };
  },
  async providers(service, _, signal) {
    const { findProviders } = await import('../../compose/session/inventory.ts');
    const { providerListing } = await import('../render/inventory-tables.ts');
    const { items, more } = await findProviders(service, signal);
    return { ...providerListing(items), notes: furtherPages(more) };
  },
};

/** Returns the message for a missing item. If the service filtered the list, the name may exist all the same. */
function missingText(wish: string, { parameter = {} }: GetOptions): string {
  const whom = Object.keys(parameter).length === 0 ? 'no deployment' : 'none of those that the service chose';
  return `${whom} is called ${wish}, or has that id`;
}

function furtherPages(more: boolean): readonly string[] {
  return more ? ['the service has further pages of this list, which it does not document how to read'] : [];
}

function help(program: string): CommandHelp {
  return {
    about: [FILTER_HELP],
    exitCodes: { 0: 'listed, even if there is nothing', 1: 'something is wrong', ...STOPPED },
    examples: [
      [`${program} get deployments -f connection.yaml`, 'through the Connection in a file'],
      [`${program} get deployments -n team-a --status UNUSED`, 'through that of a namespace of the cluster'],
      [`${program} get deployments --parameter deployment_type=prod`, 'chosen by the service'],
      [`${program} get repositories --integration ID -o wide`, 'what an integration reaches'],
      [`${program} get providers -o name`, 'names for spec.requiredOAuthProviders'],
    ],
  };
}
