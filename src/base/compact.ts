import { sharedText } from './shared-text.ts';

/** The longest text that is shared. Longer texts, such as messages, are rarely equal in two objects. */
const LONGEST_SHARED = 100;

/**
 * The deepest nesting that is compacted, deeper than any manifest. A value that a user nests more deeply stays
 * uncompacted, so only its own object costs more memory.
 */
const DEEPEST = 200;

type Parts = Record<string, unknown>;

/**
 * Compacts parsed JSON so that thousands of values can be kept. Freezes the result, because callers share it, and
 * stores equal texts once. Returns a value equal to `value`, which the caller must no longer use. Takes equal parts
 * from `before`, an earlier compacted version, since most of an object stays the same. Leaves a value that is not JSON,
 * such as a secret, unchanged.
 */
export function compact<T>(value: T, before?: T): T {
  return compactPart(value, before, 0) as T;
}

function compactPart(value: unknown, before: unknown, depth: number): unknown {
  if (typeof value === 'string') return value === before ? before : shared(value);
  if (Array.isArray(value)) {
    if (Object.isFrozen(value) || depth > DEEPEST) return value;
    return compactList(value, Array.isArray(before) ? before : undefined, depth);
  }
  if (!isParts(value) || Object.isFrozen(value) || depth > DEEPEST) return value;
  return compactParts(value, isParts(before) ? before : undefined, depth);
}

function compactList(
  value: unknown[],
  before: readonly unknown[] | undefined,
  depth: number,
): readonly unknown[] {
  let isSame = before?.length === value.length;
  for (let at = 0; at < value.length; at += 1) {
    const part = compactPart(value[at], before?.[at], depth + 1);
    if (part !== before?.[at]) isSame = false;
    value[at] = part;
  }
  return isSame && before !== undefined ? before : Object.freeze(value);
}

/** Compacts an object. This is the hot loop of every watch, so it uses `for in`, which builds no list of names. */
function compactParts(value: Parts, before: Readonly<Parts> | undefined, depth: number): Readonly<Parts> {
  let isSame = before !== undefined;
  let more = 0;
  for (const name in value) {
    const part = compactPart(value[name], before?.[name], depth + 1);
    if (part !== before?.[name]) isSame = false;
    value[name] = part;
    more += 1;
  }
  if (!isSame || before === undefined) return Object.freeze(value);
  for (const _ in before) more -= 1;
  return more === 0 ? before : Object.freeze(value);
}

function isParts(value: unknown): value is Parts {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function shared(text: string): string {
  return text.length > LONGEST_SHARED ? text : sharedText(text);
}
