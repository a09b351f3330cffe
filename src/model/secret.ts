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
