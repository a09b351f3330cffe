import type { Command } from 'commander';
import type { ExitCode, Terminal } from '../terminal/terminal.ts';
import { addHelp, type CommandHelp } from './help.ts';

/** The circumstances of a call, besides its options. */
export interface Call {
  readonly terminal: Terminal;
  /** The arguments that are not flags. */
  readonly words: readonly string[];
  /** The program with all its commands, under the name of the call. */
  readonly program: Command;
}

/** The definition of a command: its flags, its help and its action. */
export interface CommandDefinition<Options> {
  readonly name: string;
  /** The heading for it in the help of the program. */
  readonly group: CommandGroup;
  /** Adds description, options and arguments. */
  readonly declare: (command: Command) => void;
  /** Returns the text of help below the options; `program` is the name of the program as it was called. */
  readonly help: (program: string) => CommandHelp;
  /**
   * Carries out the command. Every start of the program reads the files of all commands, so an action imports its other
   * modules only when it runs; test/architecture lists the modules that may be read before.
   */
  readonly action: (options: Options, call: Call) => Promise<ExitCode>;
  /** True if the command runs until it is stopped, so that a stop is a success. */
  readonly endsWhenStopped?: true;
}

/** The headings of the program's help, in the order of the first command under each. */
export type CommandGroup = 'Declare and keep:' | 'Look and ask:' | 'Set in motion:' | 'Try out and set up:';

/** A parsed command, with everything that it needs except a terminal. */
export interface GivenCommand {
  readonly kind: 'command';
  readonly name: string;
  /** Values of flags by their name in camel case. */
  readonly options: unknown;
  /** The arguments that are not flags. */
  readonly words: readonly string[];
  readonly endsWhenStopped: boolean;
  readonly run: (terminal: Terminal) => Promise<ExitCode>;
}

/** A command as the command line knows it. */
export interface CliCommand {
  readonly name: string;
  /** Returns the text of help below the options; `program` is the name of the program as it was called. */
  readonly help: (program: string) => CommandHelp;
  /** Adds it to the program; calls `understood` if the command line names it. */
  readonly addTo: (program: Command, understood: (given: GivenCommand) => void) => void;
}

/** Combines the flags of a command with its action. */
export function cliCommand<Options extends object>(definition: CommandDefinition<Options>): CliCommand {
  const { name, group, declare, help, action, endsWhenStopped = false } = definition;
  return {
    name,
    help,
    addTo(program, understood) {
      const command = program.command(name).helpGroup(group);
      declare(command);
      addHelp(command, help(program.name()));
      command.action(() => {
        const options = command.opts<Options>();
        const words = command.args;
        understood({
          ...{ kind: 'command', name, options, words, endsWhenStopped },
          run: (terminal) => action(options, { terminal, words, program }),
        });
      });
    },
  };
}
