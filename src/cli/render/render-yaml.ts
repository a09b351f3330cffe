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

/** Texts that older readers treat as something else, such as `on`, get quotes. */
const OPTIONS: DocumentOptions & SchemaOptions & CreateNodeOptions = {
  compat: 'yaml-1.1',
  aliasDuplicateObjects: false,
};

/** The layout of this project's formatter: lines are not folded, and quotes are single ones if possible. */
const LAYOUT: ToStringOptions = { lineWidth: 0, singleQuote: true, blockQuote: 'literal' };

/** Comments around a document: lines of text, without the sign. */
export interface Comments {
  readonly before?: readonly string[];
  /** Below the last member of an object at this place. */
  readonly below?: { readonly path: readonly string[]; readonly lines: readonly string[] };
  readonly after?: readonly string[];
}

/** A value as a YAML document in block style. Pure; ends in a line end. */
export function renderYaml(value: unknown, { before = [], below, after = [] }: Comments = {}): string {
  const document = new Document(value, OPTIONS);
  visit(document, { Scalar: (_, scalar) => chooseStyle(scalar) });
  const commented = below === undefined ? undefined : document.getIn(below.path, true);
  if (isMap(commented) && below !== undefined && below.lines.length > 0)
    commented.comment = below.lines.map((line) => ` ${seen(line)}`).join('\n');
  const text = escapeUnseen(document.toString(LAYOUT));
  return `${before.map(commentLine).join('')}${text}${after.map(commentLine).join('')}`;
}

/** Several documents as one stream. */
export function yamlStream(documents: readonly string[]): string {
  return documents.join('---\n');
}

/**
 * Signs that a terminal acts on or does not show. The mark of byte order would, first in a document, be no part of
 * the text.
 */
const UNSEEN = /[\u007f-\u009f\ufffe\uffff\p{Cf}\p{Zl}\p{Zp}]/u;

/**
 * Writes several lines as lines if all their characters are visible; otherwise in quotes, with the invisible ones
 * escaped.
 */
function chooseStyle(scalar: Scalar): void {
  const { value } = scalar;
  if (typeof value !== 'string') return;
  if (UNSEEN.test(value)) scalar.type = Scalar.QUOTE_DOUBLE;
  else if (/[\n\r]/.test(value))
    scalar.type = isSeen(value.replace(/\n$/, '').split('\n')) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
}

/** True for lines without control characters and blanks at the end, the first one at the margin, the last not empty. */
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

/** A line of a comment has no escapes. */
function seen(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}
