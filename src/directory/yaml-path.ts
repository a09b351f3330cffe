import { type Document, isAlias, isMap, isPair, isScalar, isSeq, type Node, type Pair } from 'yaml';

/** A path that is told is for people, and may be made of keys that are as long as a document. */
export const LONGEST_PATH = 1_000;

/** The text of a map key; '' for a key that is no scalar. */
export function mapKeyText(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}

/** The offset at which a node begins; 0 for a node that was not read from text. */
export function offsetOf(node: unknown): number {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0;
}

/**
 * The offset of what `path` names: a map key or a list item. Where the path leads to something that is not there,
 * such as a missing field, it is the offset of the nearest node that is.
 */
export function offsetOfPath(document: Document, path: string): number {
  let node: Node | null | undefined = document.contents;
  let offset = offsetOf(node);
  let rest = path;
  while (rest !== '' && node !== null && node !== undefined) {
    const step = stepInto(isAlias(node) ? node.resolve(document) : node, rest);
    if (step === undefined) break;
    ({ offset, node, rest } = step);
  }
  return offset;
}

interface Step {
  readonly offset: number;
  readonly node: Node | null | undefined;
  readonly rest: string;
}

function stepInto(node: Node | undefined, path: string): Step | undefined {
  if (isSeq(node)) return stepIntoList(node.items, path);
  if (!isMap(node)) return undefined;
  let best: { pair: Pair; rest: string } | undefined;
  for (const pair of node.items) {
    const rest = restAfter(path, mapKeyText(pair));
    if (rest !== undefined && (best === undefined || rest.length < best.rest.length)) best = { pair, rest };
  }
  return best && { offset: offsetOf(best.pair.key), node: best.pair.value as Node | null, rest: best.rest };
}

function stepIntoList(items: readonly unknown[], path: string): Step | undefined {
  const match = /^\[(\d+)\]/.exec(path);
  const item = match === null ? undefined : items[Number(match[1])];
  if (match === null || item === undefined || isPair(item)) return undefined;
  return { offset: offsetOf(item), node: item as Node | null, rest: withoutDot(path.slice(match[0].length)) };
}

/** What is left of `path` after `key`, or undefined when it does not begin with it; keys may contain dots. */
function restAfter(path: string, key: string): string | undefined {
  for (const form of [key, `[${JSON.stringify(key)}]`, `['${key}']`]) {
    if (form === '' || !path.startsWith(form)) continue;
    const rest = path.slice(form.length);
    if (rest === '' || rest.startsWith('.') || rest.startsWith('[')) return withoutDot(rest);
  }
  return undefined;
}

function withoutDot(path: string): string {
  return path.startsWith('.') ? path.slice(1) : path;
}
