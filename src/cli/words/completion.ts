import { Argument } from 'commander';
import { cliCommand } from '../command.ts';
import type { CommandHelp } from '../help.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Shells that can be taught. */
export type Shell = (typeof SHELLS)[number];

/** The words of `completion`. */
export const completion = cliCommand({
  name: 'completion',
  group: 'Try out and set up:',
  help,
  declare: (command) => {
    command
      .description('Print what makes a shell complete commands, flags, values and names of resources.')
      .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS));
  },
  carryOut: async (_, terminal, [shell]) => {
    const { completionCommand } = await import('../completion.ts');
    return completionCommand(shell as Shell, terminal);
  },
});

function help(): CommandHelp {
  return {
    exitCodes: { 0: 'printed' },
    examples: [
      ['source <(dms-operator completion bash)', 'for this shell'],
      ['dms-operator completion fish | source', 'the same in fish'],
      ['dms-operator completion zsh > "${fpath[1]}/_dms-operator"', 'for every zsh to come'],
    ],
  };
}
