/** The position of a value in a text of JSON, from its first character to the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** The number of members and items in it at any depth, counted by the character before each. */
  readonly parts: number;
  /** The depth of nested objects and lists; 0 for a text or a number. */
  readonly depth: number;
}

/**
 * Reports a text that is not JSON, as far as the program has read it. The message does not repeat the text, which may
 * contain a Secret.
 */
export class BrokenJsonError extends Error {
  constructor() {
    super('the text is not JSON');
    this.name = 'BrokenJsonError';
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Names of members to find in an object, each with those to find in its value. */
export interface Wanted {
  readonly [name: string]: Wanted;
}

/** The position of a value, with the members that were found. */
export interface Outline extends Span {
  readonly members: ReadonlyMap<string, Outline>;
}

const NOTHING: Wanted = {};
const NO_MEMBERS: ReadonlyMap<string, Outline> = new Map();

/**
 * Finds members of the value that begins at `start`, in one pass and without parsing them. If two members have the
 * same name, it finds the last one. Throws a BrokenJsonError if there is no value; does not notice every mistake
 * inside the value.
 */
export function outlineAt(text: string, start: number, wanted: Wanted): Outline {
  if (wanted === NOTHING || text.charCodeAt(start) !== OPEN_OBJECT)
    return { ...valueAt(text, start), members: NO_MEMBERS };
  const members = new Map<string, Outline>();
  let [parts, depth] = [1, 1];
  let next = expected(text, start, OPEN_OBJECT);
  if (text.charCodeAt(next) === CLOSE_OBJECT) return { start, end: next + 1, parts, depth, members };
  for (;;) {
    if (text.charCodeAt(next) !== QUOTE) throw new BrokenJsonError();
    const nameEnd = endOfText(text, next);
    const name = nameIn(text, next, nameEnd);
    const value = expected(text, afterSpace(text, nameEnd), COLON);
    const below = Object.hasOwn(wanted, name) ? wanted[name] : undefined;
    const found = outlineAt(text, value, below ?? NOTHING);
    if (below !== undefined) members.set(name, found);
    parts += found.parts;
    depth = Math.max(depth, found.depth + 1);
    next = afterSpace(text, found.end);
    if (text.charCodeAt(next) === CLOSE_OBJECT) return { start, end: next + 1, parts, depth, members };
    next = expected(text, next, COMMA);
    parts += 1;
  }
}

/** Yields the items of a list that begins at `at`, each as `outlineAt` finds it. */
export function* itemsIn(text: string, at: number, wanted: Wanted): Generator<Outline> {
  let next = expected(text, at, OPEN_LIST);
  if (text.charCodeAt(next) === CLOSE_LIST) return;
  for (;;) {
    const value = outlineAt(text, next, wanted);
    yield value;
    next = afterSpace(text, value.end);
    if (text.charCodeAt(next) === CLOSE_LIST) return;
    next = expected(text, next, COMMA);
  }
}

/** Returns the position after white space. */
export function afterSpace(text: string, at: number): number {
  let next = at;
  while (isSpace(text.charCodeAt(next))) next += 1;
  return next;
}

function isSpace(sign: number): boolean {
  return sign === 0x20 || sign === 0x0a || sign === 0x0d || sign === 0x09;
}

/** Returns the position after a required character and the space behind it. */
function expected(text: string, at: number, sign: number): number {
  if (text.charCodeAt(at) !== sign) throw new BrokenJsonError();
  return afterSpace(text, at + 1);
}

/** Finds the end of any value. It does not recurse: the author of the text chooses how deep the value is. */
export function valueAt(text: string, start: number): Span {
  let open = 0;
  let depth = 0;
  let parts = 0;
  let at = start;
  while (at < text.length) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) {
      at = endOfText(text, at);
      if (open === 0) return { start, end: at, parts, depth };
      continue;
    }
    if (sign === OPEN_OBJECT || sign === OPEN_LIST) {
      open += 1;
      depth = Math.max(depth, open);
      parts += 1;
    } else if (sign === CLOSE_OBJECT || sign === CLOSE_LIST) {
      if (open === 0) break;
      open -= 1;
      if (open === 0) return { start, end: at + 1, parts, depth };
    } else if (sign === COMMA) {
      if (open === 0) break;
      parts += 1;
    } else if (open === 0 && isSpace(sign)) break;
    at += 1;
  }
  if (open > 0 || at === start) throw new BrokenJsonError();
  return { start, end: at, parts, depth };
}

/** Returns the position behind the text that begins with the quote at `start`. */
function endOfText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at + 1;
  }
  throw new BrokenJsonError();
}

/** True for a character with an odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** The greatest length of a name that the program looks for. */
const LONGEST_NAME = 1_000;

function nameIn(text: string, start: number, end: number): string {
  if (end - start > LONGEST_NAME) return '';
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? parsedName(text.slice(start, end)) : name;
}

function parsedName(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw new BrokenJsonError();
  }
}
