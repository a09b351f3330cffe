/** Longer texts, such as images and digests, are rarely the same in two objects. */
const LONGEST_SHARED = 100;
/**
 * The number of texts that the pool remembers. It is emptied when it is full, so that it never keeps texts that are
 * gone.
 */
const POOL_SIZE = 4096;

/** Deeper than what is declared can be; what a user nests for ever is kept as it came, so that it harms only itself. */
const DEEPEST = 200;

type Parts = Record<string, unknown>;

/**
 * Makes parsed JSON fit to be kept by the thousand: frozen, so that what is handed out cannot change, and with equal
 * texts held once. Reasons, times, names of Secrets and the like are half of what an object takes.
 */
export class Compactor {
  #pool = new Map<string, string>();

  /**
   * A value equal to `value`, which must not be used any more. Parts that are equal to those of `before`, an earlier
   * version that was compacted, are taken from there: little of an object changes with a change.
   */
  compact<T>(value: T, before?: T): T {
    return this.#part(value, before, 0) as T;
  }

  #part(value: unknown, before: unknown, depth: number): unknown {
    if (typeof value === 'string') return value === before ? before : this.#shared(value);
    if (!isObject(value) || Object.isFrozen(value) || depth > DEEPEST) return value;
    if (Array.isArray(value)) return this.#list(value, Array.isArray(before) ? before : undefined, depth);
    return this.#object(value, isObject(before) && !Array.isArray(before) ? before : undefined, depth);
  }

  #list(value: unknown[], before: readonly unknown[] | undefined, depth: number): readonly unknown[] {
    let isSame = before?.length === value.length;
    for (let at = 0; at < value.length; at += 1) {
      const part = this.#part(value[at], before?.[at], depth + 1);
      if (part !== before?.[at]) isSame = false;
      value[at] = part;
    }
    return isSame && before !== undefined ? before : Object.freeze(value);
  }

  /** The hot loop of every watch: `for in` makes no list of names. */
  #object(value: Parts, before: Readonly<Parts> | undefined, depth: number): Readonly<Parts> {
    let isSame = before !== undefined;
    let more = 0;
    for (const name in value) {
      const part = this.#part(value[name], before?.[name], depth + 1);
      if (part !== before?.[name]) isSame = false;
      value[name] = part;
      more += 1;
    }
    if (!isSame || before === undefined) return Object.freeze(value);
    for (const _ in before) more -= 1;
    return more === 0 ? before : Object.freeze(value);
  }

  #shared(text: string): string {
    if (text.length > LONGEST_SHARED) return text;
    const known = this.#pool.get(text);
    if (known !== undefined) return known;
    if (this.#pool.size >= POOL_SIZE) this.#pool = new Map();
    this.#pool.set(text, text);
    return text;
  }
}

function isObject(value: unknown): value is Parts {
  return typeof value === 'object' && value !== null;
}
