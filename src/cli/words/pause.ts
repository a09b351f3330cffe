import { cliCommand } from '../command.ts';
import { examples } from '../help.ts';
import { addVerbOptions, BY_HAND, type VerbOptions } from './verbs.ts';

/** The words of `pause`. */
export const pause = cliCommand<VerbOptions>({
  name: 'pause',
  group: 'Set in motion:',
  declare: (command, program) => {
    addVerbOptions(
      command.description(
        'Let the controller leave deployments alone, their deletion included, until resumed.',
      ),
    ).addHelpText(
      'after',
      `
Sets the annotation dms-operator.dev/paused. ${BY_HAND}
${examples([
  [`${program} pause agent`, 'one'],
  [`${program} pause --all -n team-a`, 'all of a namespace'],
  [`${program} pause -l tier=gold -A`, 'those with a label, everywhere'],
])}`,
    );
  },
  carryOut: async (options, terminal, words) => {
    const { pauseCommand } = await import('../pause.ts');
    return pauseCommand(options, terminal, words);
  },
});
