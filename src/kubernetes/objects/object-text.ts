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

/** The greatest size of an object, in bytes of JSON, without its status and without the bookkeeping of others in it. */
export const MOST_BYTES = 512 * 1024;

/**
 * The largest number of members and items of an object, at any depth. Each occupies up to two hundred bytes of memory,
 * but as few as two bytes of the text. A resource with 255 secrets from elsewhere and a hundred volumes has 3,000.
 */
export const MOST_PARTS = 20_000;

/** The greatest depth of nested objects and lists. Code that walks through an object needs stack for each level. */
export const MOST_DEPTH = 100;

/**
 * The longest value, in characters, that is kept from an object that is too large; the second limit is for the status,
 * which we bound.
 */
const LONGEST_KEPT = 4 * 1024;
const LONGEST_STATUS = 128 * 1024;

/**
 * The fields that are kept from an object that is too large: its identity, its binding, its policy on deletion, and
 * requests by annotations.
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
 * Parses the object in a text. Of an object that is too large, returns its identity, and the reason as `tooLarge`.
 * Throws what `JSON.parse` throws.
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

/** Parses a line of a watch. `objectFrom` reads its object; the rest comes from the API server itself. */
export function eventFrom(text: string): unknown {
  const object = outlineAt(text, afterSpace(text, 0), { object: OBJECT }).members.get('object');
  if (object === undefined) return JSON.parse(text);
  if (isSmall(text, object)) return parsedBut(text, { start: 0, end: text.length }, writersIn(text, object));
  const rest = JSON.parse(`${text.slice(0, object.start)}null${text.slice(object.end)}`) as JsonObject;
  return { ...rest, object: objectAt(text, object) };
}

/** Parses a page of a list. `objectFrom` reads its items one by one, when they are taken. */
export function pageFrom(text: string): unknown {
  const { members } = outlineAt(text, afterSpace(text, 0), named('metadata', 'items'));
  const metadata = members.get('metadata');
  const items = members.get('items');
  return {
    metadata: metadata && (JSON.parse(text.slice(metadata.start, metadata.end)) as unknown),
    items: items && text[items.start] === '[' ? new ItemsInText(text, items) : undefined,
  };
}

/**
 * The objects in a text. Makes each object when it is taken; throws a BrokenJsonError for an item that is not an
 * object.
 */
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

/** True for an object of the API, such as a Secret, that has more members than the limit. */
export function hasTooManyParts(text: string): boolean {
  const object = outlineAt(text, afterSpace(text, 0), OBJECT);
  return object.parts > MOST_PARTS && sizeOf(text, object).parts > MOST_PARTS;
}

/** True for an object that is within the limits with everything in it. */
function isSmall(text: string, span: Span): boolean {
  if (span.parts > MOST_PARTS || span.depth > MOST_DEPTH) return false;
  // A character takes at most three bytes, since characters of four bytes count as two.
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

/** A part of a text. */
type Stretch = Pick<Span, 'start' | 'end'>;

/** Parses a part of the text without the part `cut`. */
function parsedBut(text: string, { start, end }: Stretch, cut: Stretch | undefined): unknown {
  if (cut === undefined) return JSON.parse(text.slice(start, end));
  return JSON.parse(text.slice(start, cut.start) + text.slice(cut.end, end));
}

const WRITERS = '"managedFields"';
/** Control characters, which hardly any object contains: a text with one may have been damaged on its way. */
const DAMAGE = /\p{Cc}/u;

/**
 * Finds the managed fields of an object, with the comma beside them. They are half of the text that an API server
 * sends, and this program does not read them; parsing them would be most of the work on a long list.
 */
function writersIn(text: string, { members }: Outline): Stretch | undefined {
  const value = members.get('metadata')?.members.get('managedFields');
  if (value === undefined) return undefined;
  const start = text.lastIndexOf(WRITERS, value.start);
  const colon = afterSpace(text, start + WRITERS.length);
  // A name in another spelling stays in the text, and is removed after parsing.
  if (start < 0 || text[colon] !== ':' || afterSpace(text, colon + 1) !== value.start) return undefined;
  // Damage in a part that is cut out would not be noticed.
  if (DAMAGE.test(text.slice(start, value.end))) return undefined;
  const next = afterSpace(text, value.end);
  if (text[next] === ',') return { start, end: next + 1 };
  const comma = text.lastIndexOf(',', start);
  const isBeside = comma >= 0 && afterSpace(text, comma + 1) === start;
  return { start: isBeside ? comma : start, end: value.end };
}

/** Returns the size of an object without its status, its managed fields, and its last applied configuration. */
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
