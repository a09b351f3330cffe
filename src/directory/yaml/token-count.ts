import { type CST, Lexer, type LineCounter, Parser } from 'yaml';

/**
 * The most tokens that are read. Signs, values, spaces and line ends are tokens. Each takes up to 600 bytes while
 * parsing.
 */
export interface TokenLimits {
  readonly document: number;
  readonly file: number;
}

/**
 * The default limits. A token takes up to 3 microseconds, so a file takes 2 seconds at most. The largest
 * CustomResourceDefinitions have 200,000 tokens. A manifest has 60 to 300, and 1,000 with a value in every field.
 */
const LIMITS: TokenLimits = { document: 500_000, file: 800_000 };

/** Thrown when a document or a file has more tokens than the limit. */
export class TooManyTokensError extends Error {
  /** The text that exceeded its limit. */
  readonly what: 'document' | 'file';

  constructor(what: 'document' | 'file') {
    super(`this ${what} has too many parts`);
    this.name = 'TooManyTokensError';
    this.what = what;
  }
}

/** Counts the tokens of one file, so that a text of a few megabytes cannot become a tree of a gigabyte. */
export class TokenCount {
  readonly #limits: TokenLimits;
  #ofFile = 0;

  /** The number of tokens so far. */
  get ofFile(): number {
    return this.#ofFile;
  }

  constructor(limits: TokenLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Parses a text into CST tokens. Throws a TooManyTokensError as soon as a limit is exceeded. */
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
   * Counts the nodes that a document gains when its aliases become values: they cost as much as written ones. Returns
   * false if they exceed the limit of a document. Throws a TooManyTokensError if they exceed that of the file.
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
