const DIGEST = /^(?:[a-z0-9-]+[:$-])?(?:[0-9a-f]{16,128}|[A-Za-z0-9+/_-]{43}=?|[A-Za-z0-9+/_-]{86}={0,2})$/;

function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/**
 * A value that must never be printed. Every conversion to text gives `[redacted]`. Only `reveal` returns the value, and
 * only code that builds a request body or a digest, or redacts texts, may call it.
 */
export class SecretValue {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Returns the value itself, for request bodies, digests and the redactor alone. */
  reveal(): string {
    return this.#value;
  }

  /** True if both contain the same text. */
  equals(other: SecretValue): boolean {
    return this.#value === other.#value;
  }

  /** True if the text is empty or consists only of asterisks or bullets, as services show it in place of a value. */
  get looksMasked(): boolean {
    return /^[*\u2022\u25CF]*$/.test(this.#value);
  }

  /** True if the text contains asterisks, bullets or dots as services put them in place of a value or of its middle. */
  get looksPartlyMasked(): boolean {
    return this.looksMasked || /[*\u2022\u25CF]{2}|\u2026|\.{3}/.test(this.#value);
  }

  /**
   * True if this text may be what a service shows in place of `other`: asterisks, bullets or dots, alone or around a
   * part of it, a piece of it, or a digest. A digest counts only if `other` does not look like a digest itself.
   */
  masks(other: SecretValue): boolean {
    const shown = this.#value;
    if (this.looksPartlyMasked) return true;
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
