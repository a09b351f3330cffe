import { Argument, InvalidArgumentError } from 'commander';
import { cliCommand } from '../program/command.ts';
import { addFilterOptions, FILTER_HELP, type FilterFlags } from '../flags/filter-flags.ts';
import { type CommandHelp, STOPPED } from '../program/help.ts';
import {
  addAllNamespaces,
  addSessionOptions,
  connectionName,
  manifestsOrCluster,
  outputFormat,
  type SessionFlags,
} from '../flags/options.ts';

/** The kinds that `get` can list. */
export const LISTED = ['deployments', 'repositories', 'providers'] as const;

/** Formats of `get`. */
export const GET_FORMATS = ['text', 'wide', 'name', 'json', 'yaml'] as const;

/** The options of `get`. */
export interface GetOptions extends SessionFlags, FilterFlags {
  readonly filename?: readonly string[];
  readonly connection?: string;
  readonly integration?: string;
  readonly output: (typeof GET_FORMATS)[number];
}

/** The words of `get`. */
export const get = cliCommand<GetOptions>({
  name: 'get',
  group: 'Look and ask:',
  help,
  declare: (command) => {
    command
      .description('List what the service has: deployments, repositories of an integration, OAuth providers.')
      .addArgument(new Argument('<what>', 'what to list').choices(LISTED).argParser(listed))
      .addOption(outputFormat(GET_FORMATS, 'how it is printed'))
      .option('--integration <id>', 'code-host integration whose repositories are listed');
    addFilterOptions(command);
    command.optionsGroup('Where to look:').addOption(manifestsOrCluster()).addOption(connectionName());
    addAllNamespaces(addSessionOptions(command));
  },
  carryOut: async (options, terminal, words) => {
    const { getCommand } = await import('../commands/get.ts');
    return getCommand(listed(words[0] ?? ''), options, terminal);
  },
});

/** Reads the kind to list, also in the singular, as kubectl does. Throws a UsageError. */
function listed(word: string): (typeof LISTED)[number] {
  const found = LISTED.find((name) => name === word || SINGULAR[name] === word);
  if (found !== undefined) return found;
  throw new InvalidArgumentError(`Allowed choices are ${LISTED.join(', ')}.`);
}

const SINGULAR = {
  deployments: 'deployment',
  repositories: 'repository',
  providers: 'provider',
} as const satisfies Record<(typeof LISTED)[number], string>;

function help(program: string): CommandHelp {
  return {
    about: [FILTER_HELP],
    exitCodes: { 0: 'listed, be it nothing', 1: 'something is wrong', ...STOPPED },
    examples: [
      [`${program} get deployments -f connection.yaml`, 'through the Connection in a file'],
      [`${program} get deployments -n team-a --status UNUSED`, 'through that of a namespace of the cluster'],
      [`${program} get deployments --parameter deployment_type=prod`, 'chosen by the service'],
      [`${program} get repositories --integration ID -o wide`, 'what an integration reaches'],
      [`${program} get providers -o name`, 'names for spec.requiredOAuthProviders'],
    ],
  };
}
