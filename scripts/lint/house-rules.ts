/**
 * Lint rules that oxlint does not have, as a plug-in of it: so they share its per-folder overrides, its reports and
 * its disable comments with every other rule. Switched on in .oxlintrc.json.
 */

import { join, relative, sep } from 'node:path';
import { analyse } from 'scslre';
import { whyNot } from './ladder.ts';

/** The few parts of a syntax node that these rules look at. */
interface Node {
  readonly type: string;
  readonly name?: string;
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

/** What oxlint hands to a rule. */
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

/** A file imports what stands below it in the ladder. */
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

/** A text from outside could hold the event loop with a regular expression that takes more than a linear number of steps. */
function linearRegularExpressions(context: Context): Visitor {
  return {
    Literal(node) {
      if (node.regex === undefined) return;
      const { pattern: source, flags } = node.regex;
      const [worst] = analyse({ source, flags }, { reportTypes: { Move: true } }).reports;
      if (worst === undefined) return;
      const message = `A text of ${worst.character.literal.source} repeated takes this expression ${worst.exponential ? 'exponentially' : 'quadratically'} long; no two parts of it may match the same.`;
      context.report({ node, message });
    },
  };
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
