import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
} from 'yaml';
import { join, type Problem } from '../../api/problem.ts';
import { LONGEST_PATH, mapKeyText, offsetOf } from './places.ts';
import { dividedReading } from './divided-reading.ts';

/** A problem at an offset of the text that was parsed. */
export interface NodeFinding extends Problem {
  readonly offset: number;
}

/** Deeper than any manifest, and shallow enough for every walk over a document. */
const MAX_DEPTH = 64;

/**
 * The most errors, and the most warnings, that are reported of one document; further ones appear once these are
 * mended.
 */
const MOST_TOLD = 100;

/** Turning an alias into its value looks at every anchor before it. */
const MAX_ALIASES = 1_000;

/** The findings of a walk over a document. */
export interface PreparedNodes {
  readonly findings: readonly NodeFinding[];
  /** The node that each alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>;
  /** How many nodes the document has more, once what its aliases stand for is in their place. */
  readonly expanded: number;
}

/**
 * Walks over a parsed document: integers become numbers where they fit, plain scalars what Kubernetes reads, and what
 * JSON cannot carry, or YAML tools read differently, is reported. No finding quotes a value.
 */
export function prepareNodes(document: Document): PreparedNodes {
  const findings: NodeFinding[] = [];
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  /** How many nodes stand for a node with an anchor. */
  const sizes = new Map<Node, number>();
  let expanded = 0;
  let nodes = 0;
  let aliases = 0;
  const left = { error: MOST_TOLD, warning: MOST_TOLD };
  const report = (node: unknown, path: string, message: string, expected: string, warning = false): void => {
    const severity = warning ? 'warning' : 'error';
    left[severity] -= 1;
    if (left[severity] < 0) return;
    findings.push({ offset: offsetOf(node), path: path.slice(0, LONGEST_PATH), message, expected, severity });
  };

  const visit = (node: unknown, path: string, above: readonly Node[], isKey = false): void => {
    nodes += 1;
    const before = nodes + expanded;
    const anchored = isNode(node) && !isAlias(node) && node.anchor !== undefined ? node : undefined;
    if (anchored?.anchor !== undefined) anchors.set(anchored.anchor, anchored);
    visitOne(node, path, above, isKey);
    if (anchored !== undefined) sizes.set(anchored, nodes + expanded - before + 1);
  };

  const visitOne = (node: unknown, path: string, above: readonly Node[], isKey: boolean): void => {
    if (above.length > MAX_DEPTH) report(node, path, 'is nested too deeply', `at most ${MAX_DEPTH} levels`);
    else if (isAlias(node)) visitAlias(node, path, above);
    else if (isScalar(node)) visitScalar(node, path, isKey);
    else if (isMap(node)) {
      visitTag(node, path);
      const seen = new Set<string>();
      for (const pair of node.items) {
        const key = mapKeyText(pair);
        if (seen.has(key) && key !== '<<')
          report(pair.key, '', 'this key stands twice in one map', 'each key once');
        seen.add(key);
        if (key === '__proto__') report(pair.key, path, 'has the key "__proto__"', 'another name');
        const place = join(path, key);
        visit(pair.key, place, [...above, node], true);
        visit(pair.value, place, [...above, node]);
      }
    } else if (isSeq(node)) {
      visitTag(node, path);
      node.items.forEach((item, index) => visit(item, `${path}[${index}]`, [...above, node]));
    }
  };

  const visitAlias = (node: Alias, path: string, above: readonly Node[]): void => {
    aliases += 1;
    if (aliases > MAX_ALIASES) {
      if (aliases === MAX_ALIASES + 1) report(node, path, 'is one alias too many', `at most ${MAX_ALIASES}`);
      return;
    }
    const target = anchors.get(node.source);
    if (target === undefined)
      report(node, path, 'is an alias without an anchor before it', 'the value itself');
    else if (above.includes(target))
      report(node, path, 'is an alias that contains itself', 'the value itself');
    else {
      targets.set(node, target);
      expanded += sizes.get(target) ?? 0;
    }
  };

  const visitTag = (node: Node & { tag?: string }, path: string): void => {
    if (isCustomTag(node.tag)) report(node, path, 'has a YAML tag', 'a plain value');
  };

  const visitScalar = (node: Scalar, path: string, isKey: boolean): void => {
    visitTag(node, path);
    if (typeof node.value === 'bigint') {
      const number = Number(node.value);
      if (Number.isSafeInteger(number)) node.value = number;
      else report(node, path, 'has more digits than JSON tools keep', 'the number in quotes');
    } else if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
      report(node, path, 'is not a number that JSON can carry', 'a finite number');
    }
    if (node.type !== 'PLAIN' || node.tag !== undefined || typeof node.value === 'bigint') return;
    const divided = dividedReading(node.source ?? '', node.value);
    if (divided === undefined || (isKey && String(divided.value) === node.source)) return;
    if (!isKey && typeof divided.value === 'number' && !Number.isFinite(divided.value)) {
      report(node, path, 'is not a number that JSON can carry', 'a finite number');
      return;
    }
    if (!isKey) node.value = divided.value;
    const { here, elsewhere } = divided;
    const message = isKey ? `is a text here and ${here} to kubectl` : `is ${here} to kubectl, ${elsewhere}`;
    report(node, path, message, 'quotes around it, or the value that is meant', true);
  };

  visit(document.contents, '', []);
  return { findings, targets, expanded };
}

function isCustomTag(tag: string | undefined): boolean {
  return tag !== undefined && !/^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(tag);
}
