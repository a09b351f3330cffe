import { basename, dirname } from 'node:path';
import { circlesIn } from './circles.ts';
import type { SourceFile, SyntaxNode } from './source-file.ts';

/** Figures about the shape of the source. Each has a limit in test/architecture/map.test.ts. */
export interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly filesInLargestFolder: number;
  /** Groups of files that import each other, by any kind of import. */
  readonly circles: number;
  /** Share of files, in percent, that bear the name of one of their exports. */
  readonly namedByExport: number;
  readonly functionsWithFourParameters: number;
  readonly functionsOverFortyLines: number;
  /** Object spreads that add a member only where a value is defined. */
  readonly conditionalSpreads: number;
  /** Comments with words that CONTRIBUTING.md advises against. */
  readonly dialect: number;
  readonly commentsFromWhat: number;
}

const MOST_PARAMETERS = 3;
const MOST_LINES = 40;
const DIALECT = /\b(?:told|nobody|whoever|anew)\b/i;

/** Measures parsed source files. */
export function figuresOf(files: readonly SourceFile[]): Figures {
  const functions = files.flatMap((file) => file.functions.map((node) => ({ file, node })));
  const comments = files.flatMap((file) => file.comments);
  return {
    files: files.length,
    lines: files.reduce((sum, { lines }) => sum + lines, 0),
    filesInLargestFolder: Math.max(...foldersOf(files).values()),
    circles: circlesIn(files).length,
    namedByExport: Math.round((100 * files.filter(bearsNameOfExport).length) / files.length),
    functionsWithFourParameters: functions.filter(({ node }) => (node.params?.length ?? 0) > MOST_PARAMETERS)
      .length,
    functionsOverFortyLines: functions.filter(({ file, node }) => linesOf(file, node) > MOST_LINES).length,
    conditionalSpreads: files.reduce(
      (sum, { text }) => sum + [...text.matchAll(/=== undefined \? \{\} :/g)].length,
      0,
    ),
    dialect: comments.filter((comment) => DIALECT.test(comment)).length,
    commentsFromWhat: comments.filter((comment) => /^[*\s]*What\b/.test(comment)).length,
  };
}

/** Counts the files directly in each folder. */
function foldersOf(files: readonly SourceFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return counts;
}

/** True where a file exports something whose name, in kebab case, is that of the file. */
export function bearsNameOfExport({ path, exports }: SourceFile): boolean {
  const name = basename(path)
    .replace(/\.tsx?$/, '')
    .replaceAll('-', '');
  return exports.some((exported) => exported.replaceAll('_', '').toLowerCase() === name);
}

function linesOf({ text }: SourceFile, { start, end }: SyntaxNode): number {
  return text.slice(start, end).split('\n').length;
}
