import { cliCommand } from '../program/command.ts';
import { type CommandHelp, STATE_FILES, STOPPED } from '../program/help.ts';
import { outputFormat } from '../flags/options.ts';
import { addSelectionOptions, type SelectionFlags } from '../flags/selection.ts';

/** Formats of `status`. */
export const STATUS_FORMATS = ['text', 'wide', 'json', 'yaml', 'name'] as const;

/** The options of `status`. */
export interface StatusOptions extends SelectionFlags {
  readonly output: (typeof STATUS_FORMATS)[number];
}

/** The words of `status`. */
export const status = cliCommand<StatusOptions>({
  name: 'status',
  group: 'Look and ask:',
  help,
  declare: (command) => {
    addSelectionOptions(
      command.description('Show how deployment resources are, as the controller last wrote it down.'),
    ).addOption(outputFormat(STATUS_FORMATS, 'how it is printed'));
  },
  carryOut: async (options, terminal, words) => {
    const { statusCommand } = await import('../commands/status.ts');
    return statusCommand(options, terminal, words);
  },
});

function help(program: string): CommandHelp {
  return {
    exitCodes: {
      0: 'shown, however the resources are',
      1: 'something is wrong, or manifests have errors',
      ...STOPPED,
    },
    files: STATE_FILES,
    examples: [
      [`${program} status`, 'those of the namespace of the context'],
      [`${program} status -A -o wide`, 'those of all namespaces, with ids and messages'],
      [`${program} status agent -n team-a -o json`, 'one, for scripts'],
      [`${program} status --dir manifests/`, 'without a cluster: from the state file'],
    ],
  };
}
