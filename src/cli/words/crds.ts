import { cliCommand } from '../command.ts';
import { examples } from '../help.ts';

/** The words of `crds`. */
export const crds = cliCommand({
  name: 'crds',
  group: 'Try out and set up:',
  declare: (command, program) => {
    command.description('Print the CustomResourceDefinitions.').addHelpText(
      'after',
      examples([
        [`${program} crds | kubectl apply --server-side -f -`, 'install or update them'],
        [`${program} crds > crds.yaml`, 'keep them in a repository'],
      ]),
    );
  },
  carryOut: async (_, terminal) => {
    const { crdsCommand } = await import('../crds.ts');
    return crdsCommand(terminal);
  },
});
