import { cliCommand } from '../command.ts';
import { examples } from '../help.ts';
import { addVerbOptions, addWaitOptions, BY_HAND, type VerbOptions } from './verbs.ts';

/** The words of `reconcile`. */
export const reconcile = cliCommand<VerbOptions>({
  name: 'reconcile',
  group: 'Set in motion:',
  declare: (command, program) => {
    addWaitOptions(
      addVerbOptions(
        command.description('Have the controller look at deployments now, whatever it waits for.'),
      ),
    ).addHelpText(
      'after',
      `
Sets the annotation dms-operator.dev/reconcile-at to the time. Backoff is skipped; a budget, an approval or a dependency
that is missing is not. With --wait the exit code is 3 when the time is over first. ${BY_HAND}
${examples([
  [`${program} reconcile agent --wait`, 'look now, and come back when it has looked'],
  [`${program} reconcile --all --wait --timeout 60`, 'all of the namespace, for a minute at most'],
])}`,
    );
  },
  carryOut: async (options, terminal, words) => {
    const { reconcileCommand } = await import('../reconcile-now.ts');
    return reconcileCommand(options, terminal, words);
  },
});
