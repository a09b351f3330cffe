import type { Command, Option } from 'commander';
import { type Environment, variableName } from '../../config.ts';
import { collected } from '../flags/options.ts';

/**
 * Adds the flags from variables to the words of a command: `DMS_OPERATOR_<FLAG>` if the flag is missing, separated by
 * commas for lists. An empty variable counts as absent. `run` reads its own variables, since it names them in errors.
 */
export function wordsFromVariables(
  words: readonly string[],
  program: Command,
  environment: Environment,
): readonly string[] {
  const given = commandIn(words);
  const command = program.commands.find((candidate) => candidate.name() === given?.name);
  if (given === undefined || command === undefined || given.name === 'run') return words;
  const { before, name, rest } = given;
  const added = command.options
    .filter((option) => !isWritten(option, rest))
    .flatMap((option) => wordsFor(option, environment[variableOf(option)] ?? ''));
  return [...before, name, ...added, ...rest];
}

/** Finds the name of the command in a line, the flags before it and everything after it. */
export function commandIn(
  words: readonly string[],
):
  | { readonly name: string; readonly before: readonly string[]; readonly rest: readonly string[] }
  | undefined {
  const index = words.findIndex((word) => !word.startsWith('-'));
  const name = words[index];
  return name === undefined
    ? undefined
    : { name, before: words.slice(0, index), rest: words.slice(index + 1) };
}

/** Returns the variable of an option, if its flag is missing and the variable is set. */
export function variableBehind(
  option: Option,
  words: readonly string[],
  environment: Environment,
): string | undefined {
  const name = variableOf(option);
  return isWritten(option, words) || (environment[name] ?? '') === '' ? undefined : name;
}

/** Returns the name of a flag's variable: DMS_OPERATOR_NO_OPEN for --no-open. */
export function variableOf(option: Option): string {
  const name = option.attributeName();
  return variableName(option.negate ? `no${name.charAt(0).toUpperCase()}${name.slice(1)}` : name);
}

function isWritten({ long, short }: Option, words: readonly string[]): boolean {
  return words.some(
    (word) => word === long || word.startsWith(`${long}=`) || (short !== undefined && word.startsWith(short)),
  );
}

function wordsFor(option: Option, text: string): readonly string[] {
  const { long } = option;
  if (text === '' || isServiceLink(text)) return [];
  if (option.isBoolean() || option.negate) return text === 'true' ? [`${long}`] : [];
  const isList = option.variadic || option.parseArg === collected;
  const values = isList ? text.split(',') : [text];
  return values.map((value) => `${long}=${value.trim()}`);
}

/**
 * True for the value of a variable that Kubernetes sets in every container for every Service. A Service called
 * dms-operator makes DMS_OPERATOR_PORT.
 */
function isServiceLink(text: string): boolean {
  return /^(?:tcp|udp|sctp):\/\//.test(text);
}
