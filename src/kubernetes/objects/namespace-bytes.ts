import type { FieldNames } from '../../api/field-names.ts';
import { FIELD_NAMES } from '../../api/generated/field-names.ts';

/** Bytes of a text, a number, an empty list and an empty object, without their contents, in Node.js 24. */
const TEXT = 24;
const NUMBER = 16;
const LIST = 100;
const OBJECT = 56;
/** A place in a list or an object. */
const PLACE = 8;
/**
 * A name that is no field of ours may be like no other: it is kept itself, and so is the shape of the object that has
 * it.
 */
const STRANGE_NAME = 150;

const OF_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'];
const OURS: ReadonlySet<string> = new Set([...namesIn(FIELD_NAMES), ...OF_METADATA]);

function namesIn(fields: FieldNames): readonly string[] {
  return Object.entries(fields).flatMap(([name, below]) => [name, ...namesIn(below)]);
}

/** About as many bytes as a parsed object keeps in memory, rather too many than too few. */
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

/** One sign beyond Latin-1 makes all of a text wide; in a short one that is little. */
function isWide(text: string): boolean {
  return text.length > 100 && /[\u0100-\uffff]/.test(text);
}

/** The memory that the objects of each namespace take together, with a bound for each. */
export class NamespaceBytes {
  /** The bytes that one namespace may take. */
  readonly most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** True where a namespace may take so many bytes more. */
  hasRoom(namespace: string, bytes: number): boolean {
    return this.taken(namespace) + bytes <= this.most;
  }

  /** Returns the bytes that one namespace takes. */
  taken(namespace: string): number {
    return this.#taken.get(namespace) ?? 0;
  }

  /** Counts bytes for a namespace, or takes them back where they are negative. */
  add(namespace: string, bytes: number): void {
    const taken = this.taken(namespace) + bytes;
    if (taken === 0) this.#taken.delete(namespace);
    else this.#taken.set(namespace, taken);
  }
}
