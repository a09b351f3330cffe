import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import { join, type Problem } from '../api/problem.ts';
import { mapKeyText, offsetOf } from './yaml-path.ts';

/** A problem at an offset of the text that was parsed. */
export interface NodeFinding extends Problem {
  readonly offset: number;
}

/** Deeper than any manifest, and shallow enough for every walk over a document. */
const MAX_DEPTH = 64;

/** Plain scalars that are texts here and something else in YAML 1.1, which kubectl reads. */
const YAML_1_1 = [
  [/^(?:y|yes|on|n|no|off|Y|Yes|YES|On|ON|N|No|NO|Off|OFF)$/, 'a boolean'],
  [/^[-+]?0[0-9_]+$/, 'an octal number'],
  [/^[-+]?(?:0b[01_]+|0x[0-9a-fA-F]*_[0-9a-fA-F_]*|[1-9][0-9]*_[0-9_]*)$/, 'a number'],
] as const;

/**
 * Walks over a parsed document: integers become numbers where they fit, and what JSON cannot carry, or YAML tools
 * read differently, is told. No finding quotes a value.
 */
export function prepareNodes(document: Document): readonly NodeFinding[] {
  const findings: NodeFinding[] = [];
  const report = (node: unknown, path: string, message: string, expected: string, warning = false): void => {
    findings.push({
      offset: offsetOf(node),
      path,
      message,
      expected,
      severity: warning ? 'warning' : 'error',
    });
  };

  const visit = (node: unknown, path: string, above: readonly Node[]): void => {
    if (above.length > MAX_DEPTH) report(node, path, 'is nested too deeply', `at most ${MAX_DEPTH} levels`);
    else if (isAlias(node)) visitAlias(node, path, above);
    else if (isScalar(node)) visitScalar(node, path);
    else if (isMap(node)) {
      visitTag(node, path);
      for (const pair of node.items) {
        if (mapKeyText(pair) === '__proto__')
          report(pair.key, path, 'has the key "__proto__"', 'another name');
        const place = join(path, mapKeyText(pair));
        visit(pair.key, place, [...above, node]);
        visit(pair.value, place, [...above, node]);
      }
    } else if (isSeq(node)) {
      visitTag(node, path);
      node.items.forEach((item, index) => visit(item, `${path}[${index}]`, [...above, node]));
    }
  };

  const visitAlias = (
    node: { resolve(document: Document): Node | undefined },
    path: string,
    above: readonly Node[],
  ): void => {
    const target = node.resolve(document);
    if (target === undefined)
      report(node, path, 'is an alias without an anchor before it', 'the value itself');
    else if (above.includes(target))
      report(node, path, 'is an alias that contains itself', 'the value itself');
  };

  const visitTag = (node: Node & { tag?: string }, path: string): void => {
    if (isCustomTag(node.tag)) report(node, path, 'has a YAML tag', 'a plain value');
  };

  const visitScalar = (node: Scalar, path: string): void => {
    visitTag(node, path);
    if (typeof node.value === 'bigint') {
      const number = Number(node.value);
      if (Number.isSafeInteger(number)) node.value = number;
      else report(node, path, 'has more digits than JSON tools keep', 'the number in quotes');
    } else if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
      report(node, path, 'is not a number that JSON can carry', 'a finite number');
    }
    const other =
      node.type === 'PLAIN' && node.tag === undefined ? yaml11Reading(node.source ?? '') : undefined;
    if (other === undefined || typeof node.value === 'boolean') return;
    const here = typeof node.value === 'number' ? 'a decimal number' : 'a text';
    report(
      node,
      path,
      `is ${here} here and ${other} to kubectl`,
      'quotes around it, or the value that is meant',
      true,
    );
  };

  visit(document.contents, '', []);
  return findings;
}

function yaml11Reading(source: string): string | undefined {
  return YAML_1_1.find(([pattern]) => pattern.test(source))?.[1];
}

function isCustomTag(tag: string | undefined): boolean {
  return tag !== undefined && !/^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(tag);
}
