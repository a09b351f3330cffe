const FIRST_BYTES = 16 * 1024;

/** A text in UTF-8 that comes in pieces, of whatever length, and takes up at most twice its own length meanwhile. */
export class GrowingText {
  readonly #mostBytes: number;
  #buffer = Buffer.alloc(0);
  bytes = 0;

  constructor({ mostBytes }: { readonly mostBytes: number }) {
    this.#mostBytes = mostBytes;
  }

  /** Adds a piece, which is copied: pieces of a byte would each take up a hundred. */
  add(piece: Buffer): void {
    const bytes = this.bytes + piece.length;
    if (bytes > this.#buffer.length) {
      const roomy = Math.min(Math.max(FIRST_BYTES, 2 * bytes), Math.max(this.#mostBytes, bytes));
      const buffer = Buffer.allocUnsafeSlow(roomy);
      this.#buffer.copy(buffer, 0, 0, this.bytes);
      this.#buffer = buffer;
    }
    piece.copy(this.#buffer, this.bytes);
    this.bytes = bytes;
  }

  /** All of it. */
  text(): string {
    return this.#buffer.toString('utf8', 0, this.bytes);
  }
}
