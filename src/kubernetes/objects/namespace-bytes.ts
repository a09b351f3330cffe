import type { FieldNames } from '../../api/field-names.ts';
import { FIELD_NAMES } from '../../api/generated/field-names.ts';

/** The size in bytes of a text, a number, an empty list and an empty object, without their contents, in Node.js 24. */
const TEXT = 24;
const NUMBER = 16;
const LIST = 100;
const OBJECT = 56;
/** The size of a place in a list or an object. */
const PLACE = 8;
/**
 * The size of a name that is not one of our fields. Every such name may be unique: memory holds the name itself, and
 * the shape of the object that has it.
 */
const STRANGE_NAME = 150;

const OF_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'];
const OURS: ReadonlySet<string> = new Set([...namesIn(FIELD_NAMES), ...OF_METADATA]);

function namesIn(fields: FieldNames): readonly string[] {
  return Object.entries(fields).flatMap(([name, below]) => [name, ...namesIn(below)]);
}

/** Estimates the bytes of memory that a parsed object occupies, rather too many than too few. */
export function memoryOf(value: unknown): number {
  let bytes = 0;
  const left: unknown[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'string') bytes += TEXT + (isWide(next) ? 2 : 1) * next.length;
    else if (Array.isArray(next)) {
      bytes += LIST + PLACE * next.length;
      for (const item of next) left.push(item);
    } else if (typeof next === 'object' && next !== null) {
      bytes += OBJECT;
      for (const name in next) {
        bytes += OURS.has(name) ? PLACE : STRANGE_NAME + name.length;
        left.push((next as Readonly<Record<string, unknown>>)[name]);
      }
    } else bytes += NUMBER;
  }
  return bytes;
}

/**
 * True for a text with two bytes per character: one character beyond Latin-1 is enough for that. It ignores short
 * texts, where this matters little.
 */
function isWide(text: string): boolean {
  return text.length > 100 && /[\u0100-\uffff]/.test(text);
}

/** Counts the memory that the objects of each namespace occupy together, with a limit for each namespace. */
export class NamespaceBytes {
  /** The bytes that one namespace may occupy. */
  readonly most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** True if a namespace may occupy `bytes` more. */
  hasRoom(namespace: string, bytes: number): boolean {
    return this.taken(namespace) + bytes <= this.most;
  }

  /** Returns the bytes that one namespace occupies. */
  taken(namespace: string): number {
    return this.#taken.get(namespace) ?? 0;
  }

  /** Adds bytes to the count of a namespace; negative ones are subtracted. */
  add(namespace: string, bytes: number): void {
    const taken = this.taken(namespace) + bytes;
    if (taken === 0) this.#taken.delete(namespace);
    else this.#taken.set(namespace, taken);
  }
}
