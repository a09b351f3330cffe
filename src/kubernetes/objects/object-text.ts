import { ANNOTATIONS } from '../../api/deployment.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import {
  afterSpace,
  BrokenJsonError,
  itemsIn,
  type Outline,
  outlineAt,
  type Span,
  type Wanted,
} from './json-outline.ts';
import { LAST_APPLIED } from './resource-type.ts';

/** Bytes of JSON that an object may take, beside its status and what others keep in it for themselves. */
export const MOST_BYTES = 512 * 1024;

/**
 * Members and items that an object may have, at whatever depth. One takes up to two hundred bytes of memory, and as
 * few as two of the text; a resource with 255 secrets from elsewhere and a hundred volumes has 3,000.
 */
export const MOST_PARTS = 20_000;

/**
 * The greatest depth of objects and lists inside each other. Code that walks through an object needs stack for each
 * level.
 */
export const MOST_DEPTH = 100;

/** The longest value, in characters, that is kept of an object that is too large; of the status, which we bound. */
const LONGEST_KEPT = 4 * 1024;
const LONGEST_STATUS = 128 * 1024;

/**
 * The fields that are read of an object that is too large: its identity, its binding, its policy on deletion,
 * and requests by annotations.
 */
const IDENTITY: Wanted = {
  ...named('apiVersion', 'kind', 'status'),
  metadata: {
    ...named('name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'),
    ...named('deletionTimestamp', 'finalizers', 'labels'),
    annotations: named(...Object.values(ANNOTATIONS)),
  },
  spec: {
    ...named('connectionRef', 'deploymentRef', 'source', 'deletionPolicy', 'managementPolicy'),
    ...named('baseURL', 'suspend', 'namespaceSelector', 'allowedNames'),
  },
};

/** The parts of an object that the scan looks for: its identity, and the fields that do not count for its size. */
const OBJECT: Wanted = {
  ...IDENTITY,
  metadata: {
    ...IDENTITY['metadata'],
    managedFields: {},
    annotations: { ...IDENTITY['metadata']?.['annotations'], [LAST_APPLIED]: {} },
  },
};

function named(...names: readonly string[]): Wanted {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/**
 * The object in a text; of one that is too large its identity, and the reason as `tooLarge`. Throws what `JSON.parse`
 * throws.
 */
export function objectFrom(text: string): unknown {
  const object = outlineAt(text, afterSpace(text, 0), OBJECT);
  return afterSpace(text, object.end) < text.length ? JSON.parse(text) : objectAt(text, object);
}

/** Returns the kept part of an object that is too large, with the reason. */
export function identityOf(object: object, tooLarge: string): JsonObject {
  const text = JSON.stringify(object);
  return { ...keptOf(text, outlineAt(text, 0, IDENTITY), IDENTITY), tooLarge };
}

/** A line of a watch: its object is read by `objectFrom`, the rest is the API server's own. */
export function eventFrom(text: string): unknown {
  const object = outlineAt(text, afterSpace(text, 0), { object: OBJECT }).members.get('object');
  if (object === undefined) return JSON.parse(text);
  if (isSmall(text, object)) return parsedBut(text, { start: 0, end: text.length }, writersIn(text, object));
  const rest = JSON.parse(`${text.slice(0, object.start)}null${text.slice(object.end)}`) as JsonObject;
  return { ...rest, object: objectAt(text, object) };
}

/** A page of a list, whose items are read by `objectFrom` one by one as they are taken. */
export function pageFrom(text: string): unknown {
  const { members } = outlineAt(text, afterSpace(text, 0), named('metadata', 'items'));
  const metadata = members.get('metadata');
  const items = members.get('items');
  return {
    metadata: metadata && (JSON.parse(text.slice(metadata.start, metadata.end)) as unknown),
    items: items && text[items.start] === '[' ? new ItemsInText(text, items) : undefined,
  };
}

/** Objects in a text. Makes each object when it is taken; throws a BrokenJsonError for an item that is no object. */
export class ItemsInText implements Iterable<unknown> {
  readonly #text: string;
  readonly #list: Span;

  constructor(text: string, list: Span) {
    this.#text = text;
    this.#list = list;
  }

  *[Symbol.iterator](): Generator {
    for (const item of itemsIn(this.#text, this.#list.start, OBJECT)) yield this.#made(item);
  }

  /** Parses one part. The parser's own message is dropped because it quotes the text. */
  #made(item: Outline): unknown {
    try {
      return objectAt(this.#text, item);
    } catch {
      throw new BrokenJsonError();
    }
  }
}

/** True for an object of the API, such as a Secret, that has more members than anybody reads. */
export function hasTooManyParts(text: string): boolean {
  const object = outlineAt(text, afterSpace(text, 0), OBJECT);
  return object.parts > MOST_PARTS && sizeOf(text, object).parts > MOST_PARTS;
}

/** True for one that is within the bounds with everything in it. */
function isSmall(text: string, span: Span): boolean {
  if (span.parts > MOST_PARTS || span.depth > MOST_DEPTH) return false;
  // A sign takes at most three bytes, since signs of four bytes count as two.
  return 3 * (span.end - span.start) <= MOST_BYTES || bytesOf(text, span) <= MOST_BYTES;
}

function objectAt(text: string, object: Outline): unknown {
  const { start, end } = object;
  if (text[start] !== '{') return JSON.parse(text.slice(start, end));
  if (isSmall(text, object)) return parsedBut(text, object, writersIn(text, object));
  const { bytes, parts } = sizeOf(text, object);
  const tooLarge = tooLargeText(bytes, parts, object.depth);
  if (tooLarge !== undefined) return { ...keptOf(text, object, IDENTITY), tooLarge };
  return parsedBut(text, object, writersIn(text, object));
}

/** A stretch of a text. */
type Stretch = Pick<Span, 'start' | 'end'>;

/** Parses a part of the text without the stretch `cut`. */
function parsedBut(text: string, { start, end }: Stretch, cut: Stretch | undefined): unknown {
  if (cut === undefined) return JSON.parse(text.slice(start, end));
  return JSON.parse(text.slice(start, cut.start) + text.slice(cut.end, end));
}

const WRITERS = '"managedFields"';
/** Signs that hardly any object has: a text that does may have been damaged on its way. */
const DAMAGE = /\p{Cc}/u;

/**
 * Finds the managed fields of an object, with the comma beside them. They are half of the text that an API server
 * sends, and nothing here reads them; to parse them would be most of the work of a long list.
 */
function writersIn(text: string, { members }: Outline): Stretch | undefined {
  const value = members.get('metadata')?.members.get('managedFields');
  if (value === undefined) return undefined;
  const start = text.lastIndexOf(WRITERS, value.start);
  const colon = afterSpace(text, start + WRITERS.length);
  // A name that is written in another way stays; it is left out once it is parsed.
  if (start < 0 || text[colon] !== ':' || afterSpace(text, colon + 1) !== value.start) return undefined;
  // Damage to a part that is cut out would not be noticed.
  if (DAMAGE.test(text.slice(start, value.end))) return undefined;
  const next = afterSpace(text, value.end);
  if (text[next] === ',') return { start, end: next + 1 };
  const comma = text.lastIndexOf(',', start);
  const isBeside = comma >= 0 && afterSpace(text, comma + 1) === start;
  return { start: isBeside ? comma : start, end: value.end };
}

/** The size of an object without its status, who wrote which field, and what kubectl applied last. */
function sizeOf(text: string, object: Outline): { readonly bytes: number; readonly parts: number } {
  const metadata = object.members.get('metadata')?.members;
  const applied = metadata?.get('annotations')?.members.get(LAST_APPLIED);
  let [bytes, parts] = [bytesOf(text, object), object.parts];
  for (const left of [object.members.get('status'), metadata?.get('managedFields'), applied]) {
    if (left === undefined) continue;
    bytes -= bytesOf(text, left);
    parts -= left.parts;
  }
  return { bytes, parts };
}

function bytesOf(text: string, { start, end }: Span): number {
  return Buffer.byteLength(text.slice(start, end));
}

function tooLargeText(bytes: number, parts: number, depth: number): string | undefined {
  if (depth > MOST_DEPTH)
    return `the resource nests ${inWords(depth)} objects and lists inside each other, more than the ${MOST_DEPTH} that are read`;
  if (parts > MOST_PARTS)
    return `the resource has ${inWords(parts)} fields and entries, more than the ${inWords(MOST_PARTS)} that are read`;
  if (bytes <= MOST_BYTES) return undefined;
  const kibibytes = inWords(Math.ceil(bytes / 1024));
  return `the resource takes ${kibibytes} KiB, more than the ${MOST_BYTES / 1024} KiB that are read`;
}

function inWords(count: number): string {
  return count.toLocaleString('en-US');
}

function keptOf(text: string, { members }: Outline, kept: Wanted): JsonObject {
  const found: Record<string, Json> = {};
  for (const [name, below] of Object.entries(kept)) {
    const member = members.get(name);
    if (member === undefined) continue;
    const { start, end } = member;
    if (Object.keys(below).length > 0) found[name] = keptOf(text, member, below);
    else if (end - start <= (name === 'status' ? LONGEST_STATUS : LONGEST_KEPT))
      found[name] = JSON.parse(text.slice(start, end)) as Json;
  }
  return found;
}
