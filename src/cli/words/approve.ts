import { InvalidArgumentError, Option } from 'commander';
import { cliCommand } from '../command.ts';
import { examples } from '../help.ts';
import { addVerbOptions, BY_HAND, type VerbOptions } from './verbs.ts';

/** What `approve` was asked to do. */
export interface ApproveOptions extends VerbOptions {
  readonly hash?: string;
}

/** The words of `approve`. */
export const approve = cliCommand<ApproveOptions>({
  name: 'approve',
  group: 'Set in motion:',
  declare: (command, program) => {
    addVerbOptions(
      command.description('Show the plan that waits for approval, and approve exactly that one.'),
    )
      .addOption(
        new Option('--hash <hash>', 'only if this is the plan that waits; goes with one name').argParser(
          planHash,
        ),
      )
      .addHelpText(
        'after',
        `
Sets the annotation dms-operator.dev/approve to the hash of the plan. A plan that has changed meanwhile has another hash
and waits again. ${BY_HAND}
${examples([
  [`${program} approve agent`, 'show the plan and approve it'],
  [`${program} approve agent --hash 5c1e0b7a90d2f1c44e07`, 'only the plan that was reviewed'],
])}`,
      );
  },
  carryOut: async (options, terminal, words) => {
    const { approveCommand } = await import('../approve.ts');
    return approveCommand(options, terminal, words);
  },
});

function planHash(text: string): string {
  if (/^[0-9a-f]{20}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the 20 hexadecimal digits of a plan.');
}
