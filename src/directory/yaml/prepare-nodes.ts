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
  type YAMLMap,
} from 'yaml';
import { join, type Problem } from '../../api/problem.ts';
import { LONGEST_PATH, mapKeyText, offsetOf } from './places.ts';
import { dividedReading } from './divided-reading.ts';

/** A problem at an offset of the text that was parsed. */
export interface NodeFinding extends Problem {
  readonly offset: number;
}

/** The deepest nesting that is read. No manifest is this deep, and every recursive walk stays within the stack. */
const MAX_DEPTH = 64;

/** The most errors, and the most warnings, that one document reports. Others appear after the user fixes these. */
const MOST_TOLD = 100;

/**
 * The most aliases in one document. Resolving an alias looks at every anchor before it, so time grows with the square.
 */
const MAX_ALIASES = 1_000;

/** The results of a walk over a document. */
export interface PreparedNodes {
  readonly findings: readonly NodeFinding[];
  /** The node that each alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>;
  /** The number of nodes that the document gains when its targets replace its aliases. */
  readonly expanded: number;
}

/**
 * Walks over a parsed document and changes it in place. Turns integers into numbers where they fit, and plain scalars
 * into the values that Kubernetes reads. Reports values that JSON cannot carry, and scalars that YAML tools read
 * differently. No finding quotes a value.
 */
export function prepareNodes(document: Document): PreparedNodes {
  const walk = new NodeWalk();
  walk.visit(document.contents, { path: '', above: [], isKey: false });
  return walk;
}

/** The place of a node in its document. */
interface Spot {
  readonly path: string;
  /** The maps and lists that contain the node. */
  readonly above: readonly Node[];
  readonly isKey: boolean;
}

/** A fault of a node. */
type Fault = Pick<Problem, 'message' | 'expected'> & { readonly isWarning?: boolean };

class NodeWalk implements PreparedNodes {
  readonly findings: NodeFinding[] = [];
  readonly targets = new Map<Alias, Node>();
  expanded = 0;
  readonly #anchors = new Map<string, Node>();
  /** The expanded size of each node that has an anchor, in nodes. */
  readonly #sizes = new Map<Node, number>();
  readonly #left = { error: MOST_TOLD, warning: MOST_TOLD };
  #nodes = 0;
  #aliases = 0;

  visit(node: unknown, spot: Spot): void {
    this.#nodes += 1;
    const before = this.#nodes + this.expanded;
    const anchored = isNode(node) && !isAlias(node) && node.anchor !== undefined ? node : undefined;
    if (anchored?.anchor !== undefined) this.#anchors.set(anchored.anchor, anchored);
    this.#visitOne(node, spot);
    if (anchored !== undefined) this.#sizes.set(anchored, this.#nodes + this.expanded - before + 1);
  }

  #visitOne(node: unknown, spot: Spot): void {
    if (spot.above.length > MAX_DEPTH) this.#report(node, spot.path, TOO_DEEP);
    else if (isAlias(node)) this.#visitAlias(node, spot);
    else if (isScalar(node)) this.#visitScalar(node, spot);
    else if (isMap(node)) this.#visitMap(node, spot);
    else if (isSeq(node)) {
      this.#visitTag(node, spot.path);
      const above = [...spot.above, node];
      node.items.forEach((item, index) =>
        this.visit(item, { path: `${spot.path}[${index}]`, above, isKey: false }),
      );
    }
  }

  #visitMap(node: YAMLMap, spot: Spot): void {
    this.#visitTag(node, spot.path);
    const above = [...spot.above, node];
    const seen = new Set<string>();
    for (const pair of node.items) {
      const key = mapKeyText(pair);
      if (seen.has(key) && key !== '<<') this.#report(pair.key, '', REPEATED_KEY);
      seen.add(key);
      if (key === '__proto__') this.#report(pair.key, spot.path, PROTO_KEY);
      const path = join(spot.path, key);
      this.visit(pair.key, { path, above, isKey: true });
      this.visit(pair.value, { path, above, isKey: false });
    }
  }

  #visitAlias(node: Alias, { path, above }: Spot): void {
    this.#aliases += 1;
    if (this.#aliases > MAX_ALIASES) {
      if (this.#aliases === MAX_ALIASES + 1) this.#report(node, path, TOO_MANY_ALIASES);
      return;
    }
    const target = this.#anchors.get(node.source);
    if (target === undefined) this.#report(node, path, NO_ANCHOR);
    else if (above.includes(target)) this.#report(node, path, CONTAINS_ITSELF);
    else {
      this.targets.set(node, target);
      this.expanded += this.#sizes.get(target) ?? 0;
    }
  }

  #visitTag(node: Node & { tag?: string }, path: string): void {
    if (isCustomTag(node.tag)) this.#report(node, path, HAS_TAG);
  }

  #visitScalar(node: Scalar, { path, isKey }: Spot): void {
    this.#visitTag(node, path);
    if (typeof node.value === 'bigint') {
      const number = Number(node.value);
      if (Number.isSafeInteger(number)) node.value = number;
      else this.#report(node, path, TOO_MANY_DIGITS);
    } else if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
      this.#report(node, path, NOT_FINITE);
    }
    if (node.type !== 'PLAIN' || node.tag !== undefined || typeof node.value === 'bigint') return;
    const divided = dividedReading(node.source ?? '', node.value);
    if (divided === undefined || (isKey && String(divided.value) === node.source)) return;
    if (!isKey && typeof divided.value === 'number' && !Number.isFinite(divided.value)) {
      this.#report(node, path, NOT_FINITE);
      return;
    }
    if (!isKey) node.value = divided.value;
    const { here, elsewhere } = divided;
    const message = isKey ? `is a text here and ${here} to kubectl` : `is ${here} to kubectl, ${elsewhere}`;
    const expected = 'quotes around it, or the value that is meant';
    this.#report(node, path, { message, expected, isWarning: true });
  }

  #report(node: unknown, path: string, { message, expected, isWarning = false }: Fault): void {
    const severity = isWarning ? 'warning' : 'error';
    this.#left[severity] -= 1;
    if (this.#left[severity] < 0) return;
    const offset = offsetOf(node);
    this.findings.push({ offset, path: path.slice(0, LONGEST_PATH), message, expected, severity });
  }
}

const TOO_DEEP: Fault = { message: 'is nested too deeply', expected: `at most ${MAX_DEPTH} levels` };
const REPEATED_KEY: Fault = { message: 'this key stands twice in one map', expected: 'each key once' };
const PROTO_KEY: Fault = { message: 'has the key "__proto__"', expected: 'another name' };
const TOO_MANY_ALIASES: Fault = { message: 'is one alias too many', expected: `at most ${MAX_ALIASES}` };
const NO_ANCHOR: Fault = { message: 'is an alias without an anchor before it', expected: 'the value itself' };
const CONTAINS_ITSELF: Fault = { message: 'is an alias that contains itself', expected: 'the value itself' };
const HAS_TAG: Fault = { message: 'has a YAML tag', expected: 'a plain value' };
const TOO_MANY_DIGITS: Fault = {
  message: 'has more digits than JSON tools keep',
  expected: 'the number in quotes',
};
const NOT_FINITE: Fault = {
  message: 'is not a number that JSON can carry',
  expected: 'a finite number',
};

function isCustomTag(tag: string | undefined): boolean {
  return tag !== undefined && !/^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/.test(tag);
}
