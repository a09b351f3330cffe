const DIGEST = /^(?:[a-z0-9-]+[:$-])?(?:[0-9a-f]{16,128}|[A-Za-z0-9+/_-]{43}=?|[A-Za-z0-9+/_-]{86}={0,2})$/;

function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/**
 * A value that must never be printed. Every way of turning it into text gives `[redacted]`; only
 * `reveal` gives it back, and only the code that builds a request body or a digest may call that.
 */
export class SecretValue {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself: for request bodies, digests and the redactor alone. */
  reveal(): string {
    return this.#value;
  }

  /** True when both hold the same text. */
  equals(other: SecretValue): boolean {
    return this.#value === other.#value;
  }

  /** True for what a service shows instead of a value: nothing, or nothing but asterisks or bullets. */
  get looksMasked(): boolean {
    return /^[*\u2022\u25CF]*$/.test(this.#value);
  }

  /**
   * True for what a service shows in place of `other`: stars or dots, alone or around some of it, a piece of it, or a
   * digest, unless the other one looks like a digest too.
   */
  masks(other: SecretValue): boolean {
    const shown = this.#value;
    if (this.looksMasked || /[*\u2022\u25CF]{2}|\u2026|\.{3}/.test(shown)) return true;
    const isPiece = shown.length < other.#value.length && other.#value.includes(shown);
    return isPiece || (isDigest(shown) && !isDigest(other.#value));
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[redacted]';
  }
}
