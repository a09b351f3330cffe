import { cliCommand } from '../../program/command.ts';
import { type CommandHelp, STOPPED } from '../../program/help.ts';
import { addVerbOptions, addWaitOptions, IN_MANIFESTS, type VerbOptions } from './verbs.ts';

/** The words of `reconcile`. */
export const reconcile = cliCommand<VerbOptions>({
  name: 'reconcile',
  group: 'Set in motion:',
  help,
  declare: (command) => {
    addWaitOptions(
      addVerbOptions(
        command.description('Have the controller look at deployments now, whatever it waits for.'),
      ),
    );
  },
  carryOut: async (options, terminal, words) => {
    const { reconcileCommand } = await import('../../commands/annotate/reconcile-now.ts');
    return reconcileCommand(options, terminal, words);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [
      `Sets the annotation dms-operator.dev/reconcile-at to the time. Backoff is skipped; a budget, an approval or a dependency that is missing is not. ${IN_MANIFESTS}`,
    ],
    exitCodes: {
      0: 'asked; with --wait: the controller has looked',
      1: 'something is wrong, or a manifest could not be edited',
      3: 'with --wait: the time was over before the controller had looked',
      ...STOPPED,
    },
    examples: [
      [`${program} reconcile agent --wait`, 'look now, and come back when it has looked'],
      [`${program} reconcile --all --wait --timeout 60s`, 'all of the namespace, for a minute at most'],
    ],
  };
}
