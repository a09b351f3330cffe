import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import type { AnnotationChange } from '../../model/desired/annotation-change.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { mapKeyText } from '../yaml/places.ts';

/** A part of a text and its replacement. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns the changes of the text of a document that set or remove one annotation of an object: a line or a pair, and
 * nothing else. `path` leads to the object. Throws an ExpectedError with the reason if no such change is known.
 */
export function spliceAnnotation(
  { tree, source }: { readonly tree: Document; readonly source: string },
  path: readonly (string | number)[],
  change: AnnotationChange,
): readonly Splice[] {
  const metadata = mapAt(tree.getIn([...path, 'metadata'], true), 'metadata');
  const pair = pairOf(metadata, 'annotations');
  const { name, value } = change;
  if (value !== null) return [setIn(source, { metadata, pair }, { name, text: JSON.stringify(value) })];
  const annotations = mapAt(pair?.value, 'metadata.annotations');
  return removed(source, { metadata, pair, annotations, name });
}

/** The metadata, and its pair that holds the annotations. */
interface Place {
  readonly metadata: YAMLMap;
  readonly pair: Pair | undefined;
}

/** An annotation as text: its value is JSON. */
interface Entry {
  readonly name: string;
  readonly text: string;
}

function setIn(source: string, { metadata, pair }: Place, { name, text }: Entry): Splice {
  if (pair === undefined) return inserted(source, metadata, { name: 'annotations', value: { name, text } });
  if (isScalar(pair.value) && pair.value.value === null) {
    const entry = `{${keyAs(pair.key, name)}: ${text}}`;
    return replaced(source, pair.value, entry);
  }
  const annotations = mapAt(pair.value, 'metadata.annotations');
  const known = pairOf(annotations, name);
  if (known === undefined) {
    if (annotations.items.length > 0) return inserted(source, annotations, { name, value: text });
    return replaced(source, annotations, `{${keyAs(pair.key, name)}: ${text}}`);
  }
  if (!isNode(known.value)) throw new ExpectedError('this annotation has no value to replace');
  return replaced(source, known.value, text);
}

/** Replaces the text of a node. An absent value is inserted after its colon; a block keeps its line end. */
function replaced(source: string, node: Node, text: string): Splice {
  const [start, end] = rangeOf(node);
  const old = source.slice(start, end);
  if (old === '') return { start, end, text: ` ${text}` };
  const eol = /\r?\n$/.exec(old)?.[0] ?? '';
  return { start, end, text: `${text}${eol}` };
}

/** Adds a pair at the end of a map, in the style of the map. A value may be a map of one pair. */
function inserted(
  source: string,
  map: YAMLMap,
  { name, value }: { readonly name: string; readonly value: string | Entry },
): Splice {
  const last = map.items.at(-1);
  if (last === undefined) throw new ExpectedError('the map has nothing after which something could stand');
  const like = last.key;
  const end = endOfPair(last);
  const start = startOf(last);
  const blank = source.slice(start - columnOf(source, start), start);
  const ownLine = blank.trim() === '';
  const indent = ownLine ? blank : ' '.repeat(blank.length);
  const eol = lineEnd(source, end);
  const written = keyAs(like, name);
  const entry = typeof value === 'string' ? value : `${keyAs(like, value.name)}: ${value.text}`;
  if (map.flow === true) {
    const between = ownLine ? `,${eol}${indent}` : ', ';
    const text = typeof value === 'string' ? entry : `{${entry}}`;
    return { start: end, end, text: `${between}${written}: ${text}` };
  }
  const block = typeof value === 'string' ? `${written}: ${entry}` : `${written}:${eol}${indent}  ${entry}`;
  const at = afterLine(source, end);
  const ended = at === 0 || source[at - 1] === '\n';
  return { start: at, end: at, text: ended ? `${indent}${block}${eol}` : `${eol}${indent}${block}` };
}

interface Removal extends Place {
  readonly annotations: YAMLMap;
  readonly name: string;
}

function removed(source: string, { metadata, pair, annotations, name }: Removal): readonly Splice[] {
  const known = pairOf(annotations, name);
  if (pair === undefined || known === undefined)
    throw new ExpectedError('the annotation comes from an anchor, which others may use too');
  if (annotations.flow === true) return [removedFromFlow(source, annotations, known)];
  const line = wholeLines(source, known);
  if (annotations.items.length > 1) return [line];
  if (metadata.flow !== true) {
    const all = wholeLines(source, pair);
    const others = source.slice(all.start, line.start) + source.slice(line.end, all.end);
    if (!others.includes('#')) return [all];
  }
  // Comments remain in the block, so the map becomes an empty one.
  const colon = source.indexOf(':', endOfKey(pair));
  return [{ start: colon + 1, end: colon + 1, text: ' {}' }, line];
}

function removedFromFlow(source: string, map: YAMLMap, pair: Pair): Splice {
  const [from, to] = rangeOf(map);
  const isOnly = map.items.length === 1;
  const at = map.items.indexOf(pair);
  const next = map.items[at + 1];
  const before = map.items[at - 1];
  const start = isOnly ? from + 1 : next === undefined && before ? endOfPair(before) : startOf(pair);
  const end = isOnly ? to - 1 : next === undefined ? endOfPair(pair) : startOf(next);
  const gone = source.slice(start, end);
  if (gone.includes('#') && gone.includes('\n'))
    throw new ExpectedError('a comment stands beside the annotation, in a map between { and }');
  return { start, end, text: '' };
}

function wholeLines(source: string, pair: Pair): Splice {
  const start = startOf(pair);
  if (!isFirstOnLine(source, start)) throw new ExpectedError('the annotation does not begin its line');
  return { start: start - columnOf(source, start), end: afterLine(source, endOfPair(pair)), text: '' };
}

function mapAt(node: unknown, what: string): YAMLMap {
  if (isMap(node)) return node;
  throw new ExpectedError(
    isAlias(node) ? `${what} is an alias, and what it stands for is used elsewhere too` : `${what} is no map`,
  );
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => mapKeyText(pair) === key);
}

/** Returns a key quoted like another one: in JSON, every key has quotes. */
function keyAs(like: unknown, key: string): string {
  return isScalar(like) && like.type === 'QUOTE_DOUBLE' ? JSON.stringify(key) : key;
}

function rangeOf(node: Node): readonly [number, number] {
  if (!node.range) throw new ExpectedError('a part of the document has no place in its text');
  return [node.range[0], node.range[1]];
}

function startOf({ key }: Pair): number {
  if (!isNode(key)) throw new ExpectedError('a key has no place in the text');
  return rangeOf(key)[0];
}

function endOfKey({ key }: Pair): number {
  if (!isNode(key)) throw new ExpectedError('a key has no place in the text');
  return rangeOf(key)[1];
}

function endOfPair(pair: Pair): number {
  return isNode(pair.value) ? endOf(pair.value) : endOfKey(pair);
}

/** Returns the end of the last item in a node. The range of a block also includes the comments that follow it. */
function endOf(node: Node): number {
  const last = (isMap(node) || isSeq(node)) && node.flow !== true ? node.items.at(-1) : undefined;
  if (isPair(last)) return endOfPair(last);
  return isNode(last) ? endOf(last) : rangeOf(node)[1];
}

function lineStart(source: string, at: number): number {
  return source.lastIndexOf('\n', at - 1) + 1;
}

function columnOf(source: string, at: number): number {
  return at - (at === 0 ? 0 : lineStart(source, at));
}

function isFirstOnLine(source: string, at: number): boolean {
  return source.slice(at - columnOf(source, at), at).trim() === '';
}

/** Returns the offset after the line that contains an offset. */
function afterLine(source: string, at: number): number {
  if (at > 0 && source[at - 1] === '\n') return at;
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end + 1;
}

/** Returns the line end that is used around an offset. */
function lineEnd(source: string, at: number): string {
  const after = source.indexOf('\n', at);
  const end = after === -1 ? source.lastIndexOf('\n') : after;
  return end > 0 && source[end - 1] === '\r' ? '\r\n' : '\n';
}
