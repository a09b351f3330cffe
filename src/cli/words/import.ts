import { UsageError } from '../../config.ts';
import { cliCommand } from '../program/command.ts';
import { addFilterOptions, FILTER_HELP, type FilterFlags } from '../flags/filter-flags.ts';
import { type CommandHelp, STOPPED } from '../program/help.ts';
import {
  addAllNamespaces,
  addSessionOptions,
  connectionName,
  kindOfSource,
  manifestsOrCluster,
  type SessionFlags,
} from '../flags/options.ts';

/** The options of `import`. */
export interface ImportOptions extends SessionFlags, FilterFlags {
  readonly filename?: readonly string[];
  readonly connection?: string;
  readonly all?: true;
  readonly outputDir?: string;
  readonly force?: true;
  readonly withSecrets?: true;
  readonly assumeSource?: string;
}

/** Any of these says which deployments are meant. */
const CHOICES = ['all', 'name', 'id', 'source', 'status', 'imageVersion', 'parameter'] as const;

/** The words of `import`. */
export const importWords = cliCommand<ImportOptions>({
  name: 'import',
  group: 'Declare and keep:',
  help,
  declare: (command) => {
    command
      .description('Write manifests for deployments that exist. Applying them changes nothing.')
      .option(
        '--output-dir <folder>',
        'a file for each in this folder; default: one stream on standard output',
      )
      .option('--force', 'replace files, and write those again that a manifest declares already')
      .option('--with-secrets', 'name secrets, by references to a Secret whose values you fill in')
      .addOption(
        kindOfSource(
          '--assume-source <source>',
          'source of deployments of which the service does not show one',
        ),
      );
    addFilterOptions(command).option('--all', 'all that the service lists');
    command.optionsGroup('Where to look:').addOption(manifestsOrCluster()).addOption(connectionName());
    addAllNamespaces(addSessionOptions(command));
  },
  carryOut: async (options, terminal) => {
    if (CHOICES.every((name) => options[name] === undefined)) {
      throw new UsageError('import: say which deployments: --all, --name, --id or another filter');
    }
    const { importCommand } = await import('../commands/import.ts');
    return importCommand(options, terminal);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [
      'What is declared already is left out, and so is what no manifest can say; both are told. Values of secrets are never written: secrets stand in comments, and stay as they are.',
      FILTER_HELP,
    ],
    exitCodes: {
      0: 'all that was asked for is written, or declared already',
      1: 'something is wrong, or some were left out that no manifest can say',
      ...STOPPED,
    },
    examples: [
      [`${program} import --all -f connection.yaml --output-dir manifests/`, 'take everything over'],
      [
        `${program} import --name 'support-*' -n team-a > agents.yaml`,
        'through the Connection of a namespace',
      ],
      [`${program} import --id ID -f connection.yaml --with-secrets`, 'one, with a Secret to fill in'],
    ],
  };
}
