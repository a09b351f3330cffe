import { cliCommand } from '../command.ts';
import { examples } from '../help.ts';
import { addVerbOptions, addWaitOptions, BY_HAND, type VerbOptions } from './verbs.ts';

/** The words of `redeploy`. */
export const redeploy = cliCommand<VerbOptions>({
  name: 'redeploy',
  group: 'Set in motion:',
  declare: (command, program) => {
    addWaitOptions(
      addVerbOptions(
        command.description('Have the controller make a new revision of deployments, on purpose.'),
      ),
    ).addHelpText(
      'after',
      `
Sets the annotation dms-operator.dev/redeploy to the time: the revision block is sent once more, unchanged. Budgets and
approvals hold. With --wait the exit code is 3 when the time is over before it was sent. ${BY_HAND}
${examples([
  [`${program} redeploy agent`, 'one'],
  [`${program} redeploy -l tier=gold --wait`, 'those with a label, until all are sent'],
])}`,
    );
  },
  carryOut: async (options, terminal, words) => {
    const { redeployCommand } = await import('../reconcile-now.ts');
    return redeployCommand(options, terminal, words);
  },
});
