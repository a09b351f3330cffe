import { type CST, Lexer, type LineCounter, Parser } from 'yaml';

/** How many tokens are read: signs, values, spaces and line ends. A token takes up to 600 bytes meanwhile. */
export interface TokenLimits {
  readonly document: number;
  readonly file: number;
}

/**
 * A token takes up to 3 microseconds, so a file takes 2 seconds at most. The largest CustomResourceDefinitions have
 * 200,000; a manifest has 60 to 300, and with a value in every field 1,000.
 */
const LIMITS: TokenLimits = { document: 500_000, file: 800_000 };

/** A document, or a file, has more tokens than are read. */
export class TooManyTokensError extends Error {
  /** The thing that has too many. */
  readonly what: 'document' | 'file';

  constructor(what: 'document' | 'file') {
    super(`this ${what} has too many parts`);
    this.name = 'TooManyTokensError';
    this.what = what;
  }
}

/** Counts the tokens of one file, so that no text of a few megabytes becomes a tree of a gigabyte. */
export class TokenCount {
  readonly #limits: TokenLimits;
  #ofFile = 0;

  /** How many there were so far. */
  get ofFile(): number {
    return this.#ofFile;
  }

  constructor(limits: TokenLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Reads the structure of a text. Throws a TooManyTokensError as soon as there are too many. */
  *parse(source: string, lines: LineCounter): Generator<CST.Token, void> {
    const parser = new Parser(lines.addNewLine);
    lines.addNewLine(0);
    let ofDocument = 0;
    for (const token of new Lexer().lex(source)) {
      ofDocument += 1;
      if (ofDocument > this.#limits.document) throw new TooManyTokensError('document');
      this.#add(1);
      yield* parser.next(token);
    }
    yield* parser.end();
  }

  /**
   * Counts the nodes that a document has more once its aliases are values: from then on they cost as much as if they
   * stood there. False where they are too many for a document. Throws a TooManyTokensError where the file has too
   * many.
   */
  addExpanded(nodes: number): boolean {
    if (nodes > this.#limits.document) return false;
    this.#add(nodes);
    return true;
  }

  #add(count: number): void {
    this.#ofFile += count;
    if (this.#ofFile > this.#limits.file) throw new TooManyTokensError('file');
  }
}
