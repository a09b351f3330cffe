import { type CST, Lexer, type LineCounter, Parser } from 'yaml';

/** How many tokens are read: signs, values, spaces and line ends. A token takes up to 600 bytes meanwhile. */
export interface TokenLimits {
  readonly document: number;
  readonly file: number;
}

/** The largest CustomResourceDefinitions have 200,000; so have a hundred manifests of two hundred secrets each. */
const LIMITS: TokenLimits = { document: 500_000, file: 4_000_000 };

/** A document, or a file, has more tokens than are read. */
export class TooManyTokensError extends Error {
  /** What has too many. */
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
      this.#ofFile += 1;
      if (ofDocument > this.#limits.document) throw new TooManyTokensError('document');
      if (this.#ofFile > this.#limits.file) throw new TooManyTokensError('file');
      yield* parser.next(token);
    }
    yield* parser.end();
  }
}
