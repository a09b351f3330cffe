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

/** Texts that older readers take for something else, such as `on`, stand in quotes. */
const OPTIONS: DocumentOptions & SchemaOptions & CreateNodeOptions = {
  compat: 'yaml-1.1',
  aliasDuplicateObjects: false,
};

/** As the formatter of this project leaves it: lines are not folded, and quotes are single ones where they can be. */
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
    commented.comment = below.lines.map((line) => ` ${line}`).join('\n');
  const text = escapeControls(document.toString(LAYOUT));
  return `${before.map(commentLine).join('')}${text}${after.map(commentLine).join('')}`;
}

/** Several documents as one stream. */
export function yamlStream(documents: readonly string[]): string {
  return documents.join('---\n');
}

/**
 * Several lines stand as such where all of them can be seen; else in quotes, with what is not seen escaped. So does a
 * mark of byte order: as the first sign of a document it would be no part of the text.
 */
function chooseStyle(scalar: Scalar): void {
  const { value } = scalar;
  if (typeof value !== 'string' || !/[\n\r\ufeff]/.test(value)) return;
  scalar.type = isSeen(value.replace(/\n$/, '').split('\n')) ? Scalar.BLOCK_LITERAL : Scalar.QUOTE_DOUBLE;
}

/** True for lines without control characters and blanks at the end, the first one at the margin, the last not empty. */
function isSeen(lines: readonly string[]): boolean {
  const plain = lines.every((line) => /^\P{C}*$/u.test(line) && !/\s$/.test(line));
  return plain && /^\S/.test(lines[0] ?? '') && lines.at(-1) !== '';
}

/** The library writes these in double quotes, as they are; escaped, a reader sees them and a formatter leaves the quotes. */
function escapeControls(text: string): string {
  return text.replace(/[\u007f-\u009f\ufeff]/g, (sign) => {
    const code = sign.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code}`;
  });
}

function commentLine(line: string): string {
  return `# ${line}\n`;
}
