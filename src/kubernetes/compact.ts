/** Longer texts, such as images and digests, are rarely the same in two objects. */
const LONGEST_SHARED = 100;
/** Texts that are remembered at once; the pool begins anew when it is full, so that it never holds what is gone. */
const POOL_SIZE = 4096;

type Parts = Record<string | number, unknown>;

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
    return this.#part(value, before) as T;
  }

  #part(value: unknown, before: unknown): unknown {
    if (typeof value === 'string') return value === before ? before : this.#shared(value);
    return isOpen(value) ? this.#whole(value, before) : value;
  }

  #whole(value: Parts, before: unknown): Parts {
    const old = isParts(before) && Array.isArray(before) === Array.isArray(value) ? before : undefined;
    const names = Object.keys(value);
    let isSame = old !== undefined && Object.keys(old).length === names.length;
    for (const name of names) {
      const part = this.#part(value[name], old?.[name]);
      value[name] = part;
      if (isSame && part !== old?.[name]) isSame = false;
    }
    return isSame && old !== undefined ? old : Object.freeze(value);
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

function isParts(value: unknown): value is Parts {
  return typeof value === 'object' && value !== null;
}

function isOpen(value: unknown): value is Parts {
  return isParts(value) && !Object.isFrozen(value);
}
