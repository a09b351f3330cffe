import { cliCommand } from '../command.ts';
import { examples } from '../help.ts';
import { outputFormat } from '../options.ts';
import { addSelectionOptions, type SelectionFlags } from '../selection.ts';

/** Formats of `status`. */
export const STATUS_FORMATS = ['text', 'wide', 'json', 'yaml', 'name'] as const;

/** What `status` was asked to do. */
export interface StatusOptions extends SelectionFlags {
  readonly output: (typeof STATUS_FORMATS)[number];
}

/** The words of `status`. */
export const status = cliCommand<StatusOptions>({
  name: 'status',
  group: 'Look and ask:',
  declare: (command, program) => {
    addSelectionOptions(
      command.description('Show how deployment resources are, as the controller last wrote it down.'),
    )
      .addOption(outputFormat(STATUS_FORMATS, 'how it is printed'))
      .addHelpText(
        'after',
        examples([
          [`${program} status`, 'those of the namespace of the context'],
          [`${program} status -A -o wide`, 'those of all namespaces, with ids and messages'],
          [`${program} status agent -n team-a -o json`, 'one, for scripts'],
          [`${program} status --dir manifests/`, 'without a cluster: from the state file'],
        ]),
      );
  },
  carryOut: async (options, terminal, words) => {
    const { statusCommand } = await import('../status.ts');
    return statusCommand(options, terminal, words);
  },
});
