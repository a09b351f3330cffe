/**
 * Lint rules that oxlint does not have, as a plug-in, so they share its overrides per folder, its reports and its
 * disable comments with all other rules. .oxlintrc.json switches them on.
 */

import { join, relative, sep } from 'node:path';
import { analyse } from 'scslre';
import { whyNot } from './ladder.ts';

/** The few parts of a syntax node that these rules look at. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly kind?: string;
  readonly value?: unknown;
  readonly body?: readonly Node[];
  readonly declarations?: readonly { readonly id: Node; readonly init?: Node | null }[];
  readonly quasis?: readonly { readonly value: { readonly cooked?: string | null } }[];
  readonly expressions?: readonly Node[];
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly declaration?: Node | null;
  readonly source?: { readonly value?: unknown } | null;
  readonly specifiers?: readonly { readonly imported?: Node; readonly local?: Node }[];
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

interface Comment {
  readonly type: string;
  readonly value: string;
}

/** The arguments of a rule. */
interface Context {
  readonly filename: string;
  readonly sourceCode: { getCommentsBefore(node: Node): readonly Comment[] };
  report(problem: { node: Node; message: string }): void;
}

type Visitor = Readonly<Record<string, (node: Node) => void>>;

const WALL_CLOCK = 'Time arrives through the Clock port; `new Date(ms)` only formats a time that is given.';

/** `new Date()` and `Date()` read the wall clock; `new Date(ms)` does not. */
function noWallClockDate(context: Context): Visitor {
  const isDate = (node: Node | undefined): boolean => node?.type === 'Identifier' && node.name === 'Date';
  return {
    NewExpression(node) {
      if (isDate(node.callee) && node.arguments?.length === 0) context.report({ node, message: WALL_CLOCK });
    },
    CallExpression(node) {
      if (isDate(node.callee)) context.report({ node, message: WALL_CLOCK });
    },
  };
}

/** An exported declaration states its contract in a doc comment directly above it. */
function documentedExports(context: Context): Visitor {
  return {
    ExportNamedDeclaration(node) {
      if (node.declaration === null || node.declaration === undefined) return;
      const comment = context.sourceCode.getCommentsBefore(node).at(-1);
      if (comment?.type === 'Block' && comment.value.startsWith('*')) return;
      context.report({
        node,
        message: 'An exported declaration states its contract in a doc comment above it.',
      });
    },
  };
}

/** A relative path climbs first and then descends; `./../x` and `a/../../x` would slip past the import ladder. */
function pathsClimbFirst(context: Context): Visitor {
  const check = (node: Node): void => {
    const path = node.source?.value;
    if (typeof path === 'string' && /(?:^\.|[^.])\/\.\.\//u.test(path)) {
      context.report({ node, message: 'A relative path climbs first and then descends.' });
    }
  };
  return {
    ImportDeclaration: check,
    ImportExpression: check,
    ExportNamedDeclaration: check,
    ExportAllDeclaration: check,
  };
}

const ROOT = join(import.meta.dirname, '..', '..');

/** A file may import only what is below it in the ladder. */
function ladder(context: Context): Visitor {
  const file = relative(ROOT, context.filename).replaceAll(sep, '/');
  const check = (node: Node): void => {
    const path = node.source?.value;
    if (typeof path !== 'string') return;
    const names = (node.specifiers ?? []).map(({ imported, local }) => (imported ?? local)?.name ?? '*');
    const message = whyNot(file, path, names);
    if (message !== undefined) context.report({ node, message });
  };
  return {
    ImportDeclaration: check,
    ImportExpression: check,
    ExportNamedDeclaration: check,
    ExportAllDeclaration: check,
  };
}

/**
 * Files that may build a regular expression at run time, each with the reason why no outside text can make it slow.
 */
export const BUILT_EXPRESSIONS: Readonly<Record<string, string>> = {
  'src/simulator/faults/scenario.ts':
    'who writes the pattern runs the simulator, and only `*` means more than itself in it',
};

/** A text from outside could hold the event loop with a regular expression that takes more than a linear number of steps. */
function linearRegularExpressions(context: Context): Visitor {
  const file = relative(ROOT, context.filename).replaceAll(sep, '/');
  let constants: ReadonlyMap<string, Node> = new Map();
  const check = (node: Node, source: string, flags: string): void => {
    const [worst] = analyse({ source, flags }, { reportTypes: { Move: true } }).reports;
    if (worst === undefined) return;
    const message = `A text of ${worst.character.literal.source} repeated takes this expression ${worst.exponential ? 'exponentially' : 'quadratically'} long; no two parts of it may match the same.`;
    context.report({ node, message });
  };
  const checkBuilt = (node: Node): void => {
    if (node.callee?.type !== 'Identifier' || node.callee.name !== 'RegExp') return;
    const [pattern, flags] = node.arguments ?? [];
    const source = pattern === undefined ? '' : (pattern.regex?.pattern ?? textOf(pattern, constants));
    const flagText = flags === undefined ? (pattern?.regex?.flags ?? '') : textOf(flags, constants);
    if (source !== undefined && flagText !== undefined) check(node, source, flagText);
    else if (BUILT_EXPRESSIONS[file] === undefined) context.report({ node, message: BUILT });
  };
  return {
    Program(node) {
      constants = constantsOf(node);
    },
    Literal(node) {
      if (node.regex !== undefined) check(node, node.regex.pattern, node.regex.flags);
    },
    NewExpression: checkBuilt,
    CallExpression: checkBuilt,
  };
}

const BUILT =
  'What this expression matches is only known at run time. Write a literal, or name the file in BUILT_EXPRESSIONS with the reason why no text is slow with it.';

/**
 * Returns the values of the constants at the top of a file, by name; only names in capitals, which nothing else here
 * has.
 */
function constantsOf(program: Node): ReadonlyMap<string, Node> {
  const declared = (program.body ?? []).flatMap(({ kind, declarations = [] }) =>
    kind === 'const' ? declarations : [],
  );
  return new Map(
    declared.flatMap(({ id, init }) =>
      init && id.name !== undefined && /^[A-Z][A-Z0-9_]*$/u.test(id.name) ? [[id.name, init]] : [],
    ),
  );
}

/** Returns the text of an expression, or undefined if only a run shows it. */
function textOf(node: Node, constants: ReadonlyMap<string, Node>): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'Identifier') {
    const value = constants.get(node.name ?? '');
    return value === undefined ? undefined : textOf(value, constants);
  }
  if (node.type !== 'TemplateLiteral') return undefined;
  const inserted = (node.expressions ?? []).map((expression) => textOf(expression, constants));
  if (inserted.includes(undefined)) return undefined;
  return (node.quasis ?? []).map(({ value }, at) => `${value.cooked ?? ''}${inserted[at] ?? ''}`).join('');
}

export default {
  meta: { name: 'house' },
  rules: {
    'no-wall-clock-date': { create: noWallClockDate },
    'documented-exports': { create: documentedExports },
    'linear-regular-expressions': { create: linearRegularExpressions },
    'paths-climb-first': { create: pathsClimbFirst },
    ladder: { create: ladder },
  },
};
