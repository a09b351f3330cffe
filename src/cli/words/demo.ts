import { cliCommand } from '../program/command.ts';
import { type CommandHelp, NO_COLOR, STOPPED } from '../program/help.ts';

/** The options of `demo`. */
export interface DemoOptions {
  readonly semantics?: string;
}

/** The words of `demo`. */
export const demo = cliCommand<DemoOptions>({
  name: 'demo',
  group: 'Try out and set up:',
  help,
  declare: (command) => {
    command
      .description(
        'Show the main job on embedded parts: a simulated service, the controller, and drift that is corrected.',
      )
      .option(
        '--semantics <words>',
        'how the service behaves where the specification is silent; "simulate --semantics list" prints the words',
      );
  },
  carryOut: async (options, terminal) => {
    const { demoCommand } = await import('../commands/demo.ts');
    return demoCommand(options, terminal);
  },
});

function help(program: string): CommandHelp {
  return {
    exitCodes: {
      0: 'everything happened as told',
      1: 'it did not get to its end; the last lines say why',
      ...STOPPED,
    },
    variables: [NO_COLOR],
    examples: [
      [`${program} demo`, 'needs nothing else; takes about ten seconds'],
      [`${program} demo --semantics replace,masked,on-presence`, 'the same with a service of other habits'],
    ],
  };
}
