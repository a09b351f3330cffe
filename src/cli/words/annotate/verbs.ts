import { type Command, Option } from 'commander';
import { durationMs, outputFormat } from '../../flags/options.ts';
import { addSelectionOptions, type SelectionFlags } from '../../flags/selection.ts';

/** Formats of verbs that speak to the controller. */
export const VERB_FORMATS = ['text', 'json', 'yaml', 'name'] as const;

/** The options of a verb that sets an annotation. */
export interface VerbOptions extends SelectionFlags {
  readonly output: (typeof VERB_FORMATS)[number];
  readonly wait?: true;
  /** Milliseconds. */
  readonly timeout: number;
}

const TIMEOUT_MS = 300_000;

/** The flags of every such verb. */
export function addVerbOptions(command: Command): Command {
  return addSelectionOptions(command).addOption(outputFormat(VERB_FORMATS, 'how what was done is printed'));
}

/** For verbs that the controller answers. */
export function addWaitOptions(command: Command): Command {
  return command
    .option('--wait', 'until the controller has acted on it')
    .addOption(
      new Option('--timeout <duration>', 'how long that is waited for, such as 90s or 10m')
        .argParser(durationMs)
        .default(TIMEOUT_MS, '5m'),
    );
}

/** The text about manifests below the help of every verb. */
export const IN_MANIFESTS =
  'In manifests (--dir, -f) it is written into the file, where nothing else changes; commit that file.';
