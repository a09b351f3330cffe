import { InvalidArgumentError, Option } from 'commander';
import { cliCommand } from '../../program/command.ts';
import { type CommandHelp, STOPPED } from '../../program/help.ts';
import { addVerbOptions, IN_MANIFESTS, type VerbOptions } from './verbs.ts';

/** The options of `approve`. */
export interface ApproveOptions extends VerbOptions {
  readonly hash?: string;
  readonly yes?: true;
}

/** The words of `approve`. */
export const approve = cliCommand<ApproveOptions>({
  name: 'approve',
  group: 'Set in motion:',
  help,
  declare: (command) => {
    addVerbOptions(
      command.description('Show the plan that waits for approval, ask, and approve exactly that one.'),
    )
      .option('-y, --yes', 'approve what is shown without asking')
      .addOption(
        new Option('--hash <hash>', 'only if this is the plan that waits; goes with one name').argParser(
          planHash,
        ),
      );
  },
  carryOut: async (options, terminal, words) => {
    const { approveCommand } = await import('../../commands/annotate/approve.ts');
    return approveCommand(options, terminal, words);
  },
});

function help(program: string): CommandHelp {
  return {
    about: [
      `Sets the annotation dms-operator.dev/approve to the hash of the plan. A plan that has changed meanwhile has another hash and waits again. ${IN_MANIFESTS}`,
      'Before anything is approved you are asked; without a terminal that takes --yes or --hash.',
    ],
    exitCodes: {
      0: 'approved',
      1: 'something is wrong, no plan waits, or another one than --hash, or the answer was no; nothing is approved then',
      ...STOPPED,
    },
    examples: [
      [`${program} approve agent`, 'show the plan, ask, and approve it'],
      [`${program} approve agent --hash 5c1e0b7a90d2f1c44e07`, 'only the plan that was reviewed'],
    ],
  };
}

function planHash(text: string): string {
  if (/^[0-9a-f]{20}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the 20 hexadecimal digits of a plan.');
}
