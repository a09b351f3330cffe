import { cliCommand } from '../../program/command.ts';
import { type CommandHelp, STOPPED } from '../../program/help.ts';
import { addVerbOptions, addWaitOptions, IN_MANIFESTS, type VerbOptions } from './verbs.ts';

/** The options of `redeploy`. */
export interface RedeployOptions extends VerbOptions {
  readonly yes?: true;
}

/** The words of `redeploy`. */
export const redeploy = cliCommand<RedeployOptions>({
  name: 'redeploy',
  group: 'Set in motion:',
  help,
  declare: (command) => {
    addWaitOptions(
      addVerbOptions(
        command.description('Have the controller make a new revision of deployments, on purpose.'),
      ),
    ).option('-y, --yes', 'redeploy several that are not named, without asking');
  },
  carryOut: async (options, terminal, words) => {
    const { redeployCommand } = await import('../../commands/annotate/reconcile-now.ts');
    return redeployCommand(options, terminal, words);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [
      `Sets the annotation dms-operator.dev/redeploy to the time: the revision block is sent once more, unchanged. Budgets and approvals hold. ${IN_MANIFESTS}`,
      'Before several are redeployed that you did not name, with --all or -l, you are asked; without a terminal that takes --yes.',
    ],
    exitCodes: {
      0: 'asked; with --wait: it was sent',
      1: 'something is wrong, or a manifest could not be edited',
      3: 'with --wait: the time was over before it was sent',
      ...STOPPED,
    },
    examples: [
      [`${program} redeploy agent`, 'one'],
      [`${program} redeploy -l tier=gold --yes --wait`, 'those with a label, until all are sent'],
    ],
  };
}
