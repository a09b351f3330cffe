import type { Problem } from './problem.ts';
import { inOneLine } from '../base/text-for-people.ts';

/** Something a person should know about a manifest, and where it stands. */
export interface FileProblem extends Problem {
  readonly file: string;
  /** Counted from 1; absent when it is about the file as a whole. */
  readonly line?: number;
  /** Counted from 1. */
  readonly column?: number;
}

/** One line, whatever the name of the file holds: `file:line:col: path: what is wrong; what is expected`, with `warning:` before the path where it is one. */
export function problemText(problem: FileProblem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  return inOneLine(
    `${place}: ${problem.severity === 'warning' ? 'warning: ' : ''}${problemMessage(problem)}`,
  );
}

/** The same without the place. */
export function problemMessage({ path, message, expected }: Problem): string {
  return `${path === '' ? '' : `${path}: `}${message}${expected === '' ? '' : `; expected ${expected}`}`;
}

/** The most bytes that are read of a file of manifests: reading YAML takes about a second per megabyte and cannot be interrupted. */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;
