import {
  type CreateNodeOptions,
  Document,
  type DocumentOptions,
  isMap,
  Scalar,
  type SchemaOptions,
  type ToStringOptions,
  visit,
} from 'yaml';

/** Puts quotes around texts that older parsers do not read as text, such as `on`. */
const OPTIONS: DocumentOptions & SchemaOptions & CreateNodeOptions = {
  compat: 'yaml-1.1',
  aliasDuplicateObjects: false,
};

/** The layout of this project's formatter: no folded lines, and single quotes if possible. */
const LAYOUT: ToStringOptions = { lineWidth: 0, singleQuote: true, blockQuote: 'literal' };

/** Comments around a document: lines of text, without the `#`. */
export interface Comments {
  readonly before?: readonly string[];
  /** Comments below the last member of the object at this path. */
  readonly below?: { readonly path: readonly string[]; readonly lines: readonly string[] };
  readonly after?: readonly string[];
}

/** Renders a value as a YAML document in block style. Pure; ends with a line break. */
export function renderYaml(value: unknown, { before = [], below, after = [] }: Comments = {}): string {
  const document = new Document(value, OPTIONS);
  visit(document, { Scalar: (_, scalar) => chooseStyle(scalar) });
  const commented = below === undefined ? undefined : document.getIn(below.path, true);
  if (isMap(commented) && below !== undefined && below.lines.length > 0)
    commented.comment = below.lines.map((line) => ` ${seen(line)}`).join('\n');
  const text = escapeUnseen(document.toString(LAYOUT));
  return `${before.map(commentLine).join('')}${text}${after.map(commentLine).join('')}`;
}

/** Joins several documents into one stream. */
export function yamlStream(documents: readonly string[]): string {
  return documents.join('---\n');
}

/**
 * Characters that a terminal acts on or does not show. A byte order mark at the start of a document would not be part
 * of the text.
 */
const UNSEEN = /[\u007f-\u009f\ufffe\uffff\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Chooses block style for a text of several lines if all characters are visible; otherwise quotes, with the invisible
 * ones escaped.
 */
function chooseStyle(scalar: Scalar): void {
  const { value } = scalar;
  if (typeof value !== 'string') return;
  if (UNSEEN.test(value)) scalar.type = Scalar.QUOTE_DOUBLE;
  else if (/[\n\r]/.test(value))
    scalar.type = isSeen(value.replace(/\n$/, '').split('\n')) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
}

/**
 * True if the lines have no control characters and no blanks at their ends, the first line has no indent, and the last
 * is not empty.
 */
function isSeen(lines: readonly string[]): boolean {
  const plain = lines.every((line) => /^\P{C}*$/u.test(line) && !/\s$/.test(line));
  return plain && /^\S/.test(lines[0] ?? '') && lines.at(-1) !== '';
}

/** Escapes invisible characters in double quotes, so that a reader sees them and a formatter keeps the quotes. */
function escapeUnseen(text: string): string {
  const signs = Array.from(text, (sign) => {
    if (!UNSEEN.test(sign)) return sign;
    const code = (sign.codePointAt(0) ?? 0).toString(16);
    if (code.length > 4) return `\\U${code.padStart(8, '0')}`;
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code}`;
  });
  return signs.join('');
}

function commentLine(line: string): string {
  return `# ${seen(line)}\n`;
}

/** Replaces invisible characters in a line of a comment with spaces, since comments have no escapes. */
function seen(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}
