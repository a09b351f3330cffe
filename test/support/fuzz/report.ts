import { keep } from './kept.ts';
import type { Failure } from './run.ts';
import type { Target } from './target.ts';

/** What did harm, and how; keeps the input where it was made by chance. */
export function harmText({ name }: Target, { error, from, input }: Failure): string {
  const where = input === undefined ? from : `${from}, kept in ${keep(name, input)}`;
  return `${name}: ${where}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}
