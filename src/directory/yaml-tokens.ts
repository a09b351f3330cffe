import { type CST, Lexer, type LineCounter, Parser } from 'yaml';

/** The largest CustomResourceDefinitions have 200,000. A token takes up to 600 bytes while its document is read. */
const MOST_OF_DOCUMENT = 500_000;

/** Five thousand manifests of twenty secrets each. */
const MOST_OF_FILE = 4_000_000;

/** A document, or a file, has more tokens than are read: signs, values, spaces and line ends. */
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
  #ofFile = 0;

  /** Reads the structure of a text. Throws a TooManyTokensError as soon as there are too many. */
  *parse(source: string, lines: LineCounter): Generator<CST.Token, void> {
    const parser = new Parser(lines.addNewLine);
    lines.addNewLine(0);
    let ofDocument = 0;
    for (const token of new Lexer().lex(source)) {
      ofDocument += 1;
      this.#ofFile += 1;
      if (ofDocument > MOST_OF_DOCUMENT) throw new TooManyTokensError('document');
      if (this.#ofFile > MOST_OF_FILE) throw new TooManyTokensError('file');
      yield* parser.next(token);
    }
    yield* parser.end();
  }
}
