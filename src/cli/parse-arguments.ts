import { Command, CommanderError, type Option } from 'commander';
import { type Environment, UsageError } from '../config.ts';
import type { GivenCommand } from './program/command.ts';
import { COMMANDS } from './commands.ts';
import { addHelp, PROGRAM_HELP, programHelp } from './program/help.ts';
import { usageText } from './program/usage-text.ts';
import { commandIn, variableBehind, wordsFromVariables } from './program/variables.ts';

/** A parsed command line: a command, or the text for --help or --version. */
export type Invocation = GivenCommand | { readonly kind: 'text'; readonly text: string };

/**
 * Parses the words after the program's name, and variables for missing flags. Throws a UsageError with a message of one
 * line that names the word, its problem and where to read more.
 */
export function parseArguments(
  words: readonly string[],
  about: { program: string; version: string; columns: number; environment?: Environment },
): Invocation {
  let understood: GivenCommand | undefined;
  let text = '';
  const program = programOf(about, {
    write: (more) => (text += more),
    understood: (given) => (understood = given),
  });
  try {
    program.parse(wordsFromVariables(words, program, about.environment ?? {}), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'text', text: `${text.trimEnd()}\n` };
    throw new UsageError(usageLine(error, program, { words, environment: about.environment ?? {} }));
  }
  if (understood === undefined) throw new UsageError(missingCommand(about.program));
  return understood;
}

/**
 * Makes the program with its flags and commands. The program prints to `write`, and passes the parsed command to
 * `understood`.
 */
export function programOf(
  about: { program: string; version: string; columns: number },
  to: { write: (text: string) => void; understood: (given: GivenCommand) => void },
): Command {
  const program = new Command(about.program)
    .description(PROGRAM_HELP)
    .version(about.version, '--version', 'print the version')
    .option('--debug', 'show where in the program an unexpected error comes from')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help of a command')
    .configureOutput({
      writeOut: to.write,
      writeErr: () => undefined,
      getOutHelpWidth: () => Math.min(about.columns, 100),
      getOutHasColors: () => false,
    })
    .showSuggestionAfterError(false)
    .exitOverride();
  addHelp(program, programHelp(about.program));
  for (const command of COMMANDS) command.addTo(program, to.understood);
  return program;
}

/** Returns one line that names the word, its problem and where to read more. */
function usageLine(
  error: CommanderError,
  program: Command,
  { words, environment }: { readonly words: readonly string[]; readonly environment: Environment },
): string {
  if (error.code === 'commander.help') return missingCommand(program.name());
  const given = commandIn(words);
  const command = program.commands.find((candidate) => candidate.name() === given?.name);
  const help = [program.name(), ...(command === undefined ? [] : [command.name()]), '--help'].join(' ');
  const rest = given?.rest ?? [];
  const fromVariable = (option: Option): string | undefined => variableBehind(option, rest, environment);
  const text = usageText(error, rest, { program, command: command ?? program, fromVariable });
  return `${text}; see '${help}'`;
}

function missingCommand(name: string): string {
  return `a command is missing; see '${name} --help'`;
}
