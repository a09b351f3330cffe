import { cliCommand } from '../command.ts';
import { examples } from '../help.ts';
import { addVerbOptions, BY_HAND, type VerbOptions } from './verbs.ts';

/** The words of `resume`. */
export const resume = cliCommand<VerbOptions>({
  name: 'resume',
  group: 'Set in motion:',
  declare: (command, program) => {
    addVerbOptions(
      command.description('Let the controller take care of paused deployments again.'),
    ).addHelpText(
      'after',
      `
Removes the annotation dms-operator.dev/paused. ${BY_HAND}
${examples([
  [`${program} resume agent`, 'one'],
  [`${program} resume --all -A`, 'all that are paused, everywhere'],
])}`,
    );
  },
  carryOut: async (options, terminal, words) => {
    const { resumeCommand } = await import('../pause.ts');
    return resumeCommand(options, terminal, words);
  },
});
