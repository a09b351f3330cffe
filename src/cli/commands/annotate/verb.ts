import { type Command, Option } from 'commander';
import { durationMs, outputFormat } from '../../flags/options.ts';
import { addSelectionOptions } from '../../flags/selection-flags.ts';
import { type Call, type CliCommand, cliCommand } from '../../program/command.ts';
import { type CommandHelp, STOPPED } from '../../program/help.ts';
import type { Verb, VerbOptions } from './annotate.ts';

const FORMATS: readonly VerbOptions['output'][] = ['text', 'json', 'yaml', 'name'];

/** The definition of a verb command: an entry in `verbs.ts`. */
export interface VerbDefinition<Options extends VerbOptions> {
  readonly name: string;
  readonly description: string;
  /** Adds the flags that only this verb has. */
  readonly declare?: (command: Command) => void;
  /** The sentences about the annotation in the help. */
  readonly sets: string;
  /** Further paragraphs of the help. */
  readonly about?: readonly string[];
  readonly exitCodes: CommandHelp['exitCodes'];
  /** Examples, without the name of the program. */
  readonly examples: CommandHelp['examples'];
  /** Returns the verb for the options. Throws a UsageError if flags contradict each other. */
  readonly verb: (options: Options, call: Call) => Verb;
}

const IN_MANIFESTS = 'In manifests (--dir, -f) it edits only that line of the file; commit the file.';

/** Makes a command from a verb. */
export function verbCommand<Options extends VerbOptions = VerbOptions>(
  definition: VerbDefinition<Options>,
): CliCommand {
  const { name, description, declare, sets, about = [], exitCodes, examples, verb } = definition;
  return cliCommand<Options>({
    name,
    group: 'Set in motion:',
    declare: (command) => {
      addSelectionOptions(command.description(description)).addOption(
        outputFormat(FORMATS, 'output format of the result'),
      );
      declare?.(command);
    },
    help: (program) => ({
      about: [`${sets} ${IN_MANIFESTS}`, ...about],
      exitCodes: { ...exitCodes, ...STOPPED },
      examples: examples.map(([words, what]) => [`${program} ${words}`, what]),
    }),
    action: async (options, call) => {
      const called = verb(options, call);
      const { annotate } = await import('./annotate.ts');
      return annotate(called, options, call);
    },
  });
}

const TIMEOUT_MS = 300_000;

/** Adds the flags of verbs that the controller acts on. */
export function addWaitOptions(command: Command): Command {
  return command
    .option('--wait', 'until the controller has acted on it')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait, such as 90s or 10m')
        .argParser(durationMs)
        .default(TIMEOUT_MS, '5m'),
    );
}
