import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A node of a syntax tree; only the members that measuring needs have types. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly params?: readonly SyntaxNode[];
  readonly body?: unknown;
}

/** One hand-written source file, parsed. */
export interface SourceFile {
  /** Path below the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly functions: readonly SyntaxNode[];
  readonly comments: readonly string[];
  /** Names that the file exports, types included. */
  readonly exports: readonly string[];
  /** Paths of other source files that this one imports: as values, as types, or dynamically. */
  readonly imports: readonly string[];
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Parses every TypeScript file below a folder of the root, apart from generated ones. */
export function sourceFiles(root: string, folder: string): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.split('/').includes('generated'))
    .map((name) => join(folder, name))
    .toSorted()
    .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

/** Parses the text of one file; `path` begins at the root. */
export function parseSource(path: string, text: string): SourceFile {
  const { module, program, comments } = parseSync(path, text);
  return {
    path,
    text,
    lines: text.split('\n').length - 1,
    functions: functionsIn(program),
    comments: comments.map(({ value }) => value),
    exports: module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ exportName: { name } }) => (name === null ? [] : [name])),
    ),
    imports: importsOf(path, text, module),
  };
}

function importsOf(
  path: string,
  text: string,
  module: ReturnType<typeof parseSync>['module'],
): readonly string[] {
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value])),
    ),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
    // Types may be imported where they are used.
    ...[...text.matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, specifier = '']) => specifier),
  ];
  const local = specifiers.filter((specifier) => specifier.startsWith('.'));
  return [...new Set(local.map((specifier) => relative('.', join(dirname(path), specifier))))];
}

function functionsIn(program: unknown): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isNode(value)) {
      if (FUNCTIONS.has(value.type)) found.push(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(program);
  return found;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
