import { Argument } from 'commander';
import { type Call, cliCommand } from '../program/command.ts';
import type { CommandHelp } from '../program/help.ts';
import { EXIT, type ExitCode } from '../terminal/terminal.ts';

/** The supported shells, and kubectl, which completes a plug-in through a separate program. */
const SHELLS = ['bash', 'zsh', 'fish', 'kubectl'] as const;

/**
 * `completion`: prints the script with which a shell completes commands, flags, values and, if a command takes them,
 * names.
 */
export const completion = cliCommand({
  name: 'completion',
  group: 'Try out and set up:',
  help,
  declare: (command) => {
    command
      .description(
        'Print the script that lets a shell complete commands, flags, values and names of resources.',
      )
      .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS));
  },
  action,
});

async function action(_: object, { terminal, words, program }: Call): Promise<ExitCode> {
  const [shell] = words as readonly [(typeof SHELLS)[number]];
  const { completionScript } = await import('../program/completion-script.ts');
  terminal.out(completionScript(shell, program.commands));
  return EXIT.ok;
}

function help(): CommandHelp {
  return {
    about: [
      'It completes names of resources from the context, namespace or folder that the command line names so far. For kubectl dms, kubectl runs a program called kubectl_complete-dms on the PATH, in every shell that kubectl completion was set up for.',
    ],
    exitCodes: { 0: 'printed' },
    examples: [
      ['source <(dms-operator completion bash)', 'for this shell'],
      ['dms-operator completion fish | source', 'the same in fish'],
      ['dms-operator completion zsh > "${fpath[1]}/_dms-operator"', 'for every zsh to come'],
      ['kubectl dms completion kubectl > ~/.local/bin/kubectl_complete-dms', 'for kubectl dms; chmod +x it'],
    ],
  };
}
