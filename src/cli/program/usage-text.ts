import type { Command, CommanderError, Option } from 'commander';
import { nearest } from '../../api/nearest.ts';

/** The context of a message. */
export interface UsageContext {
  readonly program: Command;
  readonly command: Command;
  /** Returns the variable that gave the value of an option, if its flag is missing. */
  readonly fromVariable: (option: Option) => string | undefined;
}

/** Returns Commander's message in one line, with the probably intended word; `words` are those of the command. */
export function usageText(
  { code, message }: CommanderError,
  words: readonly string[],
  { program, command, fromVariable }: UsageContext,
): string {
  const text = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/\.$/, '');
  const options = [...command.options, ...program.options];
  if (code === 'commander.unknownOption') {
    const [, flag = ''] = /^[^']*'([^]*)'$/.exec(text) ?? [];
    return unknownFlag(flag, options);
  }
  // A missing flag may be present but misspelt.
  const misspelt = code === MISSING ? words.find((word) => isUnknown(word, options)) : undefined;
  if (misspelt !== undefined) return unknownFlag(misspelt, options);
  const [, name] = /^unknown command '([^]*)'$/.exec(text) ?? [];
  if (name !== undefined) return text + hint(name, namesOf(program.commands));
  const [, named] = ARGUMENT.exec(text) ?? [];
  const blamed = options.find(({ flags }) => flags === named);
  const variable = blamed === undefined ? undefined : fromVariable(blamed);
  if (variable !== undefined) return `${variable}: ${text.replace(ARGUMENT, '')}`;
  const [, value, allowed] = /'([^']*)' is invalid\b.* Allowed choices are (.*)$/.exec(text) ?? [];
  return text + hint(value, allowed?.split(', ') ?? []);
}

/** The beginning of the parser's messages about a value. */
const ARGUMENT = /^option '([^']*)' argument /;

const MISSING = 'commander.missingMandatoryOptionValue';

function isUnknown(word: string, options: Command['options']): boolean {
  const [flag] = word.split('=');
  return word.startsWith('--') && word !== '--' && !options.some(({ long }) => long === flag);
}

/**
 * Returns an unknown flag without its value: the text after `=` or after the letter may be a token for another command.
 */
function unknownFlag(given: string, options: Command['options']): string {
  const [flag = ''] = given.split('=');
  if (flag !== given && options.some(({ long }) => long === flag))
    return `${flag} takes no value; write ${flag} alone`;
  const meant = hint(flag, [...options.flatMap(({ long }) => long ?? []), '--help']);
  const shown = flag.startsWith('--') || meant !== '' ? flag : flag.slice(0, 2);
  return `unknown option '${shown}'${meant}`;
}

function namesOf(commands: readonly Command[]): readonly string[] {
  return [...commands.map((command) => command.name()), 'help'];
}

function hint(given: string | undefined, known: readonly string[]): string {
  const close = given === undefined ? undefined : nearest(given, known);
  return close === undefined ? '' : ` (Did you mean ${close}?)`;
}
