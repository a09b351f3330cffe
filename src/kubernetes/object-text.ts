import { ANNOTATIONS } from '../api/deployment.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { afterSpace, BrokenJsonError, itemsIn, membersIn, type Span, valueAt } from './json-text.ts';
import { LAST_APPLIED } from './bookkeeping.ts';

/** Bytes of JSON that an object may take, beside its status and what others keep in it for themselves. */
export const MOST_BYTES = 512 * 1024;

/**
 * Members and items that an object may have, at whatever depth. One takes up to two hundred bytes of memory, and as few as two
 * of the text; a resource with 255 secrets from elsewhere and a hundred volumes has 3,000.
 */
export const MOST_PARTS = 10_000;

/** The longest value, in characters, that is kept of an object that is too large; of the status, which we bound. */
const LONGEST_KEPT = 4 * 1024;
const LONGEST_STATUS = 128 * 1024;

interface Kept {
  readonly [name: string]: true | Kept;
}

/**
 * What is read of an object that is too large: which one it is, what it is bound to, what becomes of that when it goes, and
 * what people ask for by annotations.
 */
const IDENTITY: Kept = {
  apiVersion: true,
  kind: true,
  metadata: {
    name: true,
    namespace: true,
    uid: true,
    resourceVersion: true,
    generation: true,
    creationTimestamp: true,
    deletionTimestamp: true,
    finalizers: true,
    labels: true,
    annotations: Object.fromEntries(Object.values(ANNOTATIONS).map((name) => [name, true] as const)),
  },
  spec: {
    connectionRef: true,
    deploymentRef: true,
    source: true,
    deletionPolicy: true,
    managementPolicy: true,
    baseURL: true,
    suspend: true,
    namespaceSelector: true,
    allowedNames: true,
  },
  status: true,
};

/** The object in a text; one that is too large as `tooLarge` says, without having been made in memory before. */
export function objectFrom(text: string): unknown {
  return objectAt(text, { start: 0, end: text.length });
}

/** What is left of an object that is too large for this reason: `tooLarge` has the reason. */
export function identityOf(object: object, tooLarge: string): JsonObject {
  return { ...identityAt(JSON.stringify(object), 0), tooLarge };
}

/**
 * A line of a watch. The object in it may be anybody's, the rest is the API server's. Throws what `JSON.parse` throws, or a
 * BrokenJsonError.
 */
export function eventFrom(text: string): unknown {
  if (isSmall(text)) return JSON.parse(text);
  const object = objectIn(text);
  if (object === undefined) return JSON.parse(text);
  const rest = JSON.parse(`${text.slice(0, object.start)}null${text.slice(object.end)}`) as JsonObject;
  return { ...rest, object: objectAt(text, object) };
}

/** A page of a list, whose items are made one by one as they are taken. Throws as `eventFrom` does. */
export function pageFrom(text: string): unknown {
  const start = afterSpace(text, 0);
  if (text[start] !== '{') return JSON.parse(text);
  let metadata: unknown;
  let items: unknown;
  for (const { name, ...span } of membersIn(text, start)) {
    if (name === 'metadata') metadata = JSON.parse(text.slice(span.start, span.end));
    if (name === 'items') items = text[span.start] === '[' ? new ItemsInText(text, span) : undefined;
  }
  return { metadata, items };
}

/** Objects in a text that are made when they are taken, one after the other; throws a BrokenJsonError at what is none. */
export class ItemsInText implements Iterable<unknown> {
  readonly #text: string;
  readonly #list: Span;

  constructor(text: string, list: Span) {
    this.#text = text;
    this.#list = list;
  }

  *[Symbol.iterator](): Generator {
    for (const item of itemsIn(this.#text, this.#list.start)) yield this.#made(item);
  }

  /** What the parser says of a text quotes it. */
  #made(item: Span): unknown {
    try {
      return objectAt(this.#text, item);
    } catch {
      throw new BrokenJsonError();
    }
  }
}

/** True for an object of the API, such as a Secret, that has more members than anybody reads. */
export function hasTooManyParts(text: string): boolean {
  if (isSmall(text)) return false;
  const { parts } = sizeOf(text, { start: 0, end: text.length }) ?? { parts: 0 };
  return parts > MOST_PARTS;
}

/** A part takes a sign at least. */
function isSmall({ length }: { readonly length: number }): boolean {
  return length <= MOST_PARTS;
}

function objectIn(text: string): Span | undefined {
  const start = afterSpace(text, 0);
  if (text[start] !== '{') return undefined;
  return [...membersIn(text, start)].findLast(({ name }) => name === 'object');
}

function objectAt(text: string, { start, end }: Pick<Span, 'start' | 'end'>): unknown {
  if (isSmall({ length: end - start })) return JSON.parse(text.slice(start, end));
  const from = afterSpace(text, start);
  const size = sizeOf(text, { start: from, end });
  if (size === undefined) return JSON.parse(text.slice(start, end));
  const { bytes, parts, managedFields } = size;
  const tooLarge = tooLargeText(bytes, parts);
  if (tooLarge !== undefined) return { ...identityAt(text, from), tooLarge };
  if (managedFields === undefined) return JSON.parse(text.slice(from, end));
  return JSON.parse(`${text.slice(from, managedFields.start)}[]${text.slice(managedFields.end, end)}`);
}

interface Size {
  readonly bytes: number;
  readonly parts: number;
  readonly managedFields: Span | undefined;
}

/** The size of an object without its status, who wrote which field, and what kubectl applied last; undefined for no object. */
function sizeOf(text: string, { start, end }: Pick<Span, 'start' | 'end'>): Size | undefined {
  const from = afterSpace(text, start);
  if (text[from] !== '{') return undefined;
  const whole = valueAt(text, from);
  if (afterSpace(text, whole.end) < end) return undefined;
  const status = memberIn(text, from, 'status');
  const metadata = memberIn(text, from, 'metadata');
  const managedFields = metadata && memberIn(text, metadata.start, 'managedFields');
  const annotations = metadata && memberIn(text, metadata.start, 'annotations');
  const applied = annotations && memberIn(text, annotations.start, LAST_APPLIED);
  let [bytes, parts] = [bytesOf(text, whole), whole.parts];
  for (const left of [status, managedFields, applied]) {
    if (left === undefined) continue;
    bytes -= bytesOf(text, left);
    parts -= left.parts;
  }
  return { bytes, parts, managedFields };
}

function bytesOf(text: string, { start, end }: Span): number {
  return Buffer.byteLength(text.slice(start, end));
}

/** The last member of that name, which is the one that counts, of what may be an object. */
function memberIn(text: string, at: number, wanted: string): Span | undefined {
  if (text[at] !== '{') return undefined;
  let found: Span | undefined;
  for (const member of membersIn(text, at)) if (member.name === wanted) found = member;
  return found;
}

function tooLargeText(bytes: number, parts: number): string | undefined {
  if (parts > MOST_PARTS)
    return `the resource has ${inWords(parts)} fields and entries, more than the ${inWords(MOST_PARTS)} that are read`;
  if (bytes <= MOST_BYTES) return undefined;
  const kibibytes = inWords(Math.ceil(bytes / 1024));
  return `the resource takes ${kibibytes} KiB, more than the ${MOST_BYTES / 1024} KiB that are read`;
}

function inWords(count: number): string {
  return count.toLocaleString('en-US');
}

function identityAt(text: string, at: number): JsonObject {
  return keptAt(text, at, IDENTITY);
}

function keptAt(text: string, at: number, kept: Kept): JsonObject {
  const found: Record<string, Json> = {};
  if (text[at] !== '{') return found;
  for (const { name, start, end } of membersIn(text, at)) {
    const rule = Object.hasOwn(kept, name) ? kept[name] : undefined;
    if (rule === undefined) continue;
    const longest = kept === IDENTITY && name === 'status' ? LONGEST_STATUS : LONGEST_KEPT;
    if (rule !== true) found[name] = keptAt(text, start, rule);
    else if (end - start <= longest) found[name] = JSON.parse(text.slice(start, end)) as Json;
    else delete found[name];
  }
  return found;
}
