import { cliCommand } from '../../program/command.ts';
import { type CommandHelp, STOPPED } from '../../program/help.ts';
import { addVerbOptions, IN_MANIFESTS, type VerbOptions } from './verbs.ts';

/** The words of `resume`. */
export const resume = cliCommand<VerbOptions>({
  name: 'resume',
  group: 'Set in motion:',
  help,
  declare: (command) => {
    addVerbOptions(command.description('Let the controller take care of paused deployments again.'));
  },
  carryOut: async (options, terminal, words) => {
    const { resumeCommand } = await import('../../commands/annotate/pause.ts');
    return resumeCommand(options, terminal, words);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [`Removes the annotation dms-operator.dev/paused. ${IN_MANIFESTS}`],
    exitCodes: {
      0: 'resumed, or was not paused',
      1: 'something is wrong, or a manifest could not be edited',
      ...STOPPED,
    },
    examples: [
      [`${program} resume agent`, 'one'],
      [`${program} resume --all -A`, 'all that are paused, everywhere'],
    ],
  };
}
