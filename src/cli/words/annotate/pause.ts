import { cliCommand } from '../../program/command.ts';
import { type CommandHelp, STOPPED } from '../../program/help.ts';
import { addVerbOptions, IN_MANIFESTS, type VerbOptions } from './verbs.ts';

/** The words of `pause`. */
export const pause = cliCommand<VerbOptions>({
  name: 'pause',
  group: 'Set in motion:',
  help,
  declare: (command) => {
    addVerbOptions(
      command.description(
        'Let the controller leave deployments alone, their deletion included, until resumed.',
      ),
    );
  },
  carryOut: async (options, terminal, words) => {
    const { pauseCommand } = await import('../../commands/annotate/pause.ts');
    return pauseCommand(options, terminal, words);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [`Sets the annotation dms-operator.dev/paused. ${IN_MANIFESTS}`],
    exitCodes: {
      0: 'paused, or was already',
      1: 'something is wrong, or a manifest could not be edited',
      ...STOPPED,
    },
    examples: [
      [`${program} pause agent`, 'one'],
      [`${program} pause --all -n team-a`, 'all of a namespace'],
      [`${program} pause -l tier=gold -A`, 'those with a label, everywhere'],
    ],
  };
}
