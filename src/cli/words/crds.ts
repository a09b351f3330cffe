import { cliCommand } from '../program/command.ts';
import type { CommandHelp } from '../program/help.ts';

/** The words of `crds`. */
export const crds = cliCommand({
  name: 'crds',
  group: 'Try out and set up:',
  help,
  declare: (command) => {
    command.description('Print the CustomResourceDefinitions.');
  },
  carryOut: async (_, terminal) => {
    const { crdsCommand } = await import('../commands/crds.ts');
    return crdsCommand(terminal);
  },
});

function help(program: string): CommandHelp {
  return {
    exitCodes: { 0: 'printed' },
    examples: [
      [`${program} crds | kubectl apply --server-side -f -`, 'install or update them'],
      [`${program} crds > crds.yaml`, 'keep them in a repository'],
    ],
  };
}
