/** Rows of texts under a header of the same length. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const GAP = '  ';

/** The least width to which a column is narrowed. */
const LEAST_WIDTH = 8;

/**
 * Renders a table of plain text, as wide as its content or as `columns`, whichever is less. If the content is wider,
 * shortens the widest columns and puts an ellipsis in place of the removed text. Shows control characters, which a
 * service could use to repaint a terminal, as spaces. Pure; ends with a line break.
 */
export function renderTable({ header, rows }: Table, columns = Infinity): string {
  const lines = [header, ...rows].map((row) => header.map((_, index) => printable(row[index] ?? '')));
  const widths = fittingWidths(
    header.map((_, index) => Math.max(...lines.map((line) => charactersOf(line[index] ?? '').length))),
    columns,
  );
  return lines.map((line) => `${lineText(line, widths).trimEnd()}\n`).join('');
}

/**
 * Renders a table without shortening texts, since a difference may be at the end of a text. If the table does not fit,
 * prints each row as its first text, followed by the other texts on lines of their own, each after its header.
 */
export function renderWhole(table: Table, columns: number): string {
  const text = renderTable(table);
  const width = Math.max(...text.split('\n').map((line) => charactersOf(line).length));
  if (width <= columns) return text;
  const [, ...titles] = table.header;
  const room = Math.max(...titles.map((title) => title.length));
  const below = (row: readonly string[]): readonly string[] =>
    titles.map((title, at) => `${GAP}${title.padEnd(room)}${GAP}${printable(row[at + 1] ?? '')}`.trimEnd());
  const blocks = table.rows.map((row) => [printable(row[0] ?? ''), ...below(row)]);
  return blocks.map((lines) => `${lines.join('\n')}\n`).join('');
}

function fittingWidths(natural: readonly number[], columns: number): readonly number[] {
  const widths = [...natural];
  const total = (): number => widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
  while (total() > columns) {
    const widest = Math.max(...widths);
    if (widest <= LEAST_WIDTH) break;
    const index = widths.indexOf(widest);
    const second = Math.max(LEAST_WIDTH, ...widths.filter((_, other) => other !== index));
    widths[index] = Math.max(LEAST_WIDTH, Math.min(second, widest - 1), widest - (total() - columns));
  }
  return widths;
}

function lineText(cells: readonly string[], widths: readonly number[]): string {
  return cells.map((cell, index) => fitted(cell, widths[index] ?? 0)).join(GAP);
}

function fitted(text: string, width: number): string {
  const cut = /\s/.test(text) ? cutTo(text, width) : cutWithin(text, width);
  return cut + ' '.repeat(width - charactersOf(cut).length);
}

/** Shortens a text to at most `width` characters, with an ellipsis at the end. */
export function cutTo(text: string, width: number): string {
  const characters = charactersOf(text);
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : text;
}

/** The least number of characters at the beginning of a shortened name or image. */
const LEAST_HEAD = 3;

/**
 * Shortens one word to `width` characters in its middle, since names differ at their ends, and an image keeps its tag.
 */
function cutWithin(text: string, width: number): string {
  const characters = charactersOf(text);
  if (characters.length <= width) return text;
  const tag = charactersOf(/:[^:/]*$/.exec(text)?.[0] ?? '').length;
  const half = Math.ceil((width - 1) / 2);
  const tail = Math.max(half, Math.min(tag, width - 1 - LEAST_HEAD));
  return `${characters.slice(0, width - 1 - tail).join('')}…${characters.slice(-tail).join('')}`;
}

/** Wraps text into lines of at most `columns` characters, each with the indent. */
export function wrapped(text: string, columns: number, indent = ''): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? undefined : `${lines.at(-1)} ${word}`;
    if (longer !== undefined && charactersOf(longer).length <= columns) lines[lines.length - 1] = longer;
    else lines.push(indent + word);
  }
  return lines.join('\n');
}

/** Removes characters that control a terminal or are invisible on it; keeps a joiner before an emoji that it joins. */
function printable(text: string): string {
  return text.replaceAll(/(?:[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200d\p{Extended_Pictographic})\p{Cf})+/gu, ' ').trim();
}

/** Returns the characters as people count them, not code units. */
function charactersOf(text: string): readonly string[] {
  // Nearly all of thousands of cells are ASCII. For them the segmenter would cost more than everything else in a table.
  if (/^[ -~]*$/.test(text)) return text.split('');
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

const SEGMENTER = new Intl.Segmenter('en');
