import type { Problem } from './problem.ts';
import { inOneLine } from '../base/text-for-people.ts';

/** A problem in a manifest, with its place. */
export interface FileProblem extends Problem {
  readonly file: string;
  /** Counted from 1. Absent if the problem concerns the whole file. */
  readonly line?: number;
  /** Counted from 1. */
  readonly column?: number;
}

/**
 * Formats a problem as one line, whatever the name of the file contains: `file:line:col: path: fault; expected value`.
 * `warning:` precedes the path of a warning.
 */
export function problemText(problem: FileProblem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  return inOneLine(
    `${place}: ${problem.severity === 'warning' ? 'warning: ' : ''}${problemMessage(problem)}`,
  );
}

/** Formats a problem without its place. */
export function problemMessage({ path, message, expected }: Problem): string {
  return `${path === '' ? '' : `${path}: `}${message}${expected === '' ? '' : `; expected ${expected}`}`;
}

/**
 * The most bytes that are read of a file of manifests. Reading YAML takes about a second per megabyte and cannot be
 * interrupted.
 */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;
