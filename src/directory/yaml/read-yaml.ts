import { Composer, type Document, type ErrorCode, LineCounter } from 'yaml';
import type { Json } from '../../base/json.ts';
import type { FileProblem } from '../../api/file-problem.ts';
import { offsetOf, Places } from './places.ts';
import { prepareNodes } from './prepare-nodes.ts';
import { TokenCount, TooManyTokensError } from './token-count.ts';

/** A place in a text, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A problem in a text. The reader of YAML does not know the name of the file. */
export type Finding = Omit<FileProblem, 'file'>;

/** A document that was read from a YAML text. */
export interface YamlDocument {
  readonly value: Json;
  readonly place: Place;
  /** Scalars that YAML tools read differently. The document stays usable. */
  readonly warnings: readonly Finding[];
  /** Returns the place that a path such as `spec.secrets[2].name` names, or that of the nearest existing node. */
  locate(path: string): Place;
  /** The parsed tree, and the text in which its offsets count. */
  readonly parsed: ParsedText;
}

/** A document as the library parsed it. Edits use it to keep the rest of the text unchanged. */
export interface ParsedText {
  readonly tree: Document;
  /** The text in which the offsets of the tree count. It may hold several documents that were parsed together. */
  readonly source: string;
  /** The offset of `source` in the whole text. */
  readonly start: number;
}

/** The content of a YAML text: the documents that were read, and the problems of the others. */
export interface YamlText {
  readonly documents: readonly YamlDocument[];
  readonly findings: readonly Finding[];
}

const PARSE_OPTIONS = {
  // Keys are strings, as in JSON, and `<<` merges, as in the YAML that kubectl reads.
  stringKeys: true,
  merge: true,
  // prepareNodes finds repeated keys: the library compares each key with every earlier one.
  uniqueKeys: false,
  // Numbers keep their digits until prepareNodes knows that JSON can carry them.
  intAsBigInt: true,
  resolveKnownTags: false,
  // Pretty errors quote the source, which may hold a secret.
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/**
 * Reads every document of a YAML or JSON text. Parses each one separately, so that an unclosed quote in one cannot
 * swallow the next. Never throws because of the content.
 */
export function readYaml(text: string): YamlText {
  const documents: YamlDocument[] = [];
  const { findings } = visitYaml(text, (document) => documents.push(document));
  return { documents, findings };
}

/**
 * Reads a text as `readYaml` does, but passes each document to `visit` at once, so that the caller need not keep all of
 * them. Returns the errors and the number of tokens.
 */
export function visitYaml(
  text: string,
  visit: (document: YamlDocument) => void,
): { readonly findings: readonly Finding[]; readonly tokens: number } {
  const reading = new YamlReading(visit);
  let count = 0;
  for (const chunk of chunksOf(text)) {
    count += 1;
    if (count > MOST_DOCUMENTS) {
      reading.refuse(startOf(chunk), TOO_MANY_DOCUMENTS);
      break;
    }
    try {
      reading.readChunk(chunk);
    } catch (error) {
      if (error instanceof TooManyTokensError) {
        reading.refuse(startOf(chunk), TOO_MANY_PARTS[error.what]);
        if (error.what === 'file') break;
      } else if (isTooDeep(error)) reading.refuse(startOf(chunk), TOO_DEEP);
      else throw error;
    }
  }
  return { findings: reading.findings, tokens: reading.tokens.ofFile };
}

function startOf({ linesBefore }: Chunk): Place {
  return { line: linesBefore + 1, column: 1 };
}

/**
 * The most documents in one file, more than any real folder declares. Empty and broken documents count too, since each
 * costs parsing time.
 */
const MOST_DOCUMENTS = 10_000;

const TOO_MANY_DOCUMENTS = [
  'this file has more than 10,000 documents; this one and the rest are not read',
  'several files',
] as const;

const TOO_DEEP = ['this document is nested too deeply', 'at most 64 levels'] as const;

/** True if the library ran out of stack. It recurses once for each level of nesting. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

const TOO_MANY_PARTS = {
  document: ['this document has too many parts', 'fewer entries, or several documents'],
  file: ['this file has too many parts; this document and the rest are not read', 'several files'],
} as const;

interface Chunk {
  readonly text: string;
  /** The offset of this chunk in the whole text. */
  readonly start: number;
  /** The number of lines before this chunk in the whole text. */
  readonly linesBefore: number;
}

/**
 * Splits a text at document markers, which no scalar can contain. Comments and directives stay with the document that
 * follows.
 */
function* chunksOf(text: string): Generator<Chunk> {
  let start = 0;
  let linesBefore = 0;
  let isFirst = true;
  for (const { index } of text.matchAll(/^---(?=\s|$)/gm)) {
    const belongsToNext = isFirst && NO_CONTENT.test(text.slice(0, index));
    isFirst = false;
    if (belongsToNext) continue;
    yield { text: text.slice(start, index), start, linesBefore };
    for (let at = text.indexOf('\n', start); at >= 0 && at < index; at = text.indexOf('\n', at + 1))
      linesBefore += 1;
    start = index;
  }
  yield { text: text.slice(start), start, linesBefore };
}

/** Matches a text that holds only comments, directives and empty lines. */
const NO_CONTENT = /^\uFEFF?(?:[ \t]*(?:#.*)?\r?\n|%.*\r?\n)*$/;

/**
 * The largest document that is read, as large as an API server stores. Parsing takes up to a kilobyte of memory for
 * each character.
 */
const MAX_DOCUMENT_LENGTH = 1.5 * 1024 * 1024;

/** Reads one text, chunk by chunk. */
class YamlReading {
  readonly findings: Finding[] = [];
  readonly tokens = new TokenCount();
  readonly #visit: (document: YamlDocument) => void;

  constructor(visit: (document: YamlDocument) => void) {
    this.#visit = visit;
  }

  refuse(place: Place, [message, expected]: readonly [message: string, expected: string]): void {
    this.findings.push({ ...place, path: '', message, expected, severity: 'error' });
  }

  readChunk(chunk: Chunk): void {
    if (/^(?:---)?\s*$/.test(chunk.text)) return;
    if (chunk.text.length > MAX_DOCUMENT_LENGTH) {
      this.refuse(startOf(chunk), TOO_LARGE);
      return;
    }
    const refused = chunk.text.search(REFUSED);
    if (refused !== -1) {
      const before = chunk.text.slice(0, refused).split('\n');
      const place = { line: chunk.linesBefore + before.length, column: (before.at(-1)?.length ?? 0) + 1 };
      this.refuse(place, controlCharacter(chunk.text.codePointAt(refused) ?? 0));
      return;
    }
    const lines = new LineCounter();
    const placeAt = (offset: number): Place => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(1, line) + chunk.linesBefore, column: Math.max(1, col) };
    };
    const source = chunk.text.replace(/^\uFEFF|(?<=^---[ \t]*\r?\n)\uFEFF/, '');
    const start = chunk.start + chunk.text.length - source.length;
    const composer = new Composer({ ...PARSE_OPTIONS, lineCounter: lines });
    for (const document of [...composer.compose(this.tokens.parse(source, lines))]) {
      const error = document.errors[0];
      if (error !== undefined) this.refuse(placeAt(error.pos[0]), SYNTAX[error.code] ?? SYNTAX_ERROR);
      else if (document.contents !== null) this.#read({ tree: document, source, start }, placeAt);
    }
  }

  #read(parsed: ParsedText, placeAt: (offset: number) => Place): void {
    const document = parsed.tree;
    const { expanded, targets, findings } = prepareNodes(document);
    const found = findings.map(({ offset, ...finding }) => ({ ...placeAt(offset), ...finding }));
    const errors = found.filter((finding) => finding.severity === 'error');
    for (const error of errors) this.findings.push(error);
    if (errors.length > 0) return;
    const place = placeAt(offsetOf(document.contents));
    const value = this.tokens.addExpanded(expanded) ? valueOf(document) : undefined;
    if (value === undefined) this.refuse(place, TOO_FAR);
    if (value === undefined || value === null) return;
    const places = new Places(document.contents, targets);
    const locate = (path: string): Place => placeAt(places.offsetOf(path));
    this.#visit({ value, place, warnings: found, locate, parsed });
  }
}

const TOO_LARGE = ['this document is too large', 'at most 1.5 MiB between two lines of ---'] as const;

const TOO_FAR = ['the aliases of this document expand too far', 'the values themselves'] as const;

/** Returns undefined if the library refuses the aliases because they expand exponentially. */
function valueOf(document: Document): Json | undefined {
  try {
    return document.toJS() as Json;
  } catch {
    return undefined;
  }
}

/** Matches a character that YAML forbids. kubectl and the API server refuse a document that contains one. */
const REFUSED = /[^\t\n\r\u0020-\u007E\u0085\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

function controlCharacter(code: number): readonly [string, string] {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return [`the control character ${name} stands here, which kubectl refuses`, 'the text without it'];
}

const SYNTAX_ERROR = ['this is not YAML', ''] as const;

/** Our messages for the errors of the library, whose own messages quote the source, which may hold a secret. */
const SYNTAX: Partial<Record<ErrorCode, readonly [string, string]>> = {
  BAD_ALIAS: ['an alias is not well formed', '*name, with the anchor &name before it'],
  BAD_DIRECTIVE: ['a % directive is not well formed', 'no such line'],
  BAD_DQ_ESCAPE: [
    'a backslash in a double-quoted text is no known escape',
    'two backslashes, or single quotes',
  ],
  BAD_INDENT: [
    'the indentation does not fit, or a [ or { is not closed',
    'the indentation of the lines around',
  ],
  BAD_SCALAR_START: ['a plain text cannot begin with this character', 'the value in quotes'],
  BLOCK_AS_IMPLICIT_KEY: [
    'a second "key:" stands on one line',
    'the value in quotes, or on a line of its own',
  ],
  BLOCK_IN_FLOW: ['an indented block stands inside [ ] or { }', 'one of the two styles'],
  DUPLICATE_KEY: ['this key stands twice in one map', 'each key once'],
  MISSING_CHAR: ['a quote, a bracket or a colon is missing', 'what was opened before this to be closed'],
  MULTILINE_IMPLICIT_KEY: [
    'a key runs over several lines, or a colon is missing',
    '"key: value" on one line',
  ],
  NON_STRING_KEY: ['a list or a map is used as a key', 'a text'],
  RESOURCE_EXHAUSTION: TOO_DEEP,
  TAB_AS_INDENT: ['a tab is used as indentation', 'spaces'],
  UNEXPECTED_TOKEN: [
    'something follows that does not belong here',
    'quotes around the value, or --- between documents',
  ],
};
