import { type Environment, UsageError, variableName } from '../../config.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { inOneLine, textForPeople } from '../../base/text-for-people.ts';
import { commandIn } from './variables.ts';

/** The longest error text, in bytes: room for a message and a few dozen places in the code. */
const BUG_BYTES = 4096;

/**
 * Returns one line: the message of an error that a person can correct; for any other error also how to see its place
 * in the code, or with `stack` the places themselves.
 */
export function errorText(error: unknown, program: string, stack: boolean): string {
  if (error instanceof UsageError || error instanceof ExpectedError)
    return `${program}: ${inOneLine(error.message)}`;
  if (!stack) return `${program}: this is a bug, please report it with what --debug adds: ${nameOf(error)}`;
  // Do not print the whole error object: libraries attach requests to it, with their headers.
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `${program}: this is a bug, please report it: ${textForPeople(detail.replaceAll(/\n\s+/g, ' '), BUG_BYTES)}`;
}

/**
 * Returns whether an unexpected error shows its stack: with `--debug`, and in the log of a controller, which ends only
 * once.
 */
export function wantsStack(words: readonly string[], environment: Environment): boolean {
  const end = words.indexOf('--');
  const flags = end === -1 ? words : words.slice(0, end);
  return (
    flags.includes('--debug') ||
    environment[variableName('debug')] === 'true' ||
    commandIn(words)?.name === 'run'
  );
}

function nameOf(error: unknown): string {
  return textForPeople(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}
