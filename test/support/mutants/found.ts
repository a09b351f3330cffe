import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file that records which seed notices which mutant. */
export const FOUND = join(import.meta.dirname, 'found.json');

/**
 * The first seed that noticed a mutant, the number of runs until then, and the rule that it broke; absent if no seed
 * noticed it.
 */
export interface Found {
  readonly seed?: number;
  readonly runs?: number;
  readonly rule?: string;
  /** Why the matrix cannot notice the mutant. */
  readonly why?: string;
}

/** Returns the records by the code of the mutant. */
export function readFound(): Readonly<Record<string, Found>> {
  return existsSync(FOUND) ? (JSON.parse(readFileSync(FOUND, 'utf8')) as Record<string, Found>) : {};
}
