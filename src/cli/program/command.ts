import type { Command } from 'commander';
import type { ExitCode } from '../terminal/exit-code.ts';
import { addHelp, type CommandHelp } from './help.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The definition of a command: its words and its action. */
export interface CommandDefinition<Options> {
  readonly name: string;
  /** Under which heading the help of the program lists it. */
  readonly group: CommandGroup;
  /** Adds description, options and arguments. */
  readonly declare: (command: Command) => void;
  /** What help tells below the options; `program` is the program as it was called. */
  readonly help: (program: string) => CommandHelp;
  /** Does it, called as `program`. What is large is loaded only here, so that help comes at once. */
  readonly carryOut: (
    options: Options,
    terminal: Terminal,
    words: readonly string[],
    program: string,
  ) => Promise<ExitCode>;
  /** It goes on until it is stopped, so that being stopped is its good end. */
  readonly endsWhenStopped?: true;
}

/** Headings of the program's help, which come in the order of the first command below each. */
export type CommandGroup = 'Declare and keep:' | 'Look and ask:' | 'Set in motion:' | 'Try out and set up:';

/** A command that was given, with everything it needs but a terminal. */
export interface GivenCommand {
  readonly kind: 'command';
  readonly name: string;
  /** Values of flags by their name in camel case. */
  readonly options: unknown;
  /** The arguments beside flags. */
  readonly words: readonly string[];
  readonly endsWhenStopped: boolean;
  readonly carryOut: (terminal: Terminal) => Promise<ExitCode>;
}

/** A command as the command line knows it. */
export interface CliCommand {
  readonly name: string;
  /** What help tells below the options; `program` is the program as it was called. */
  readonly help: (program: string) => CommandHelp;
  /** Makes it known; `understood` is called when it was given. */
  readonly addTo: (parent: Command, program: string, understood: (given: GivenCommand) => void) => void;
}

/** Ties the values that the words of a command lead to, to what carries it out. */
export function cliCommand<Options extends object>(definition: CommandDefinition<Options>): CliCommand {
  const { name, group, declare, help, carryOut, endsWhenStopped = false } = definition;
  return {
    name,
    help,
    addTo(parent, program, understood) {
      const command = parent.command(name).helpGroup(group);
      declare(command);
      addHelp(command, help(program));
      command.action(() => {
        const options = command.opts<Options>();
        const words = command.args;
        understood({
          ...{ kind: 'command', name, options, words, endsWhenStopped },
          carryOut: (terminal) => carryOut(options, terminal, words, program),
        });
      });
    },
  };
}
