/** A text on a line, from a column on. */
export interface Words {
  readonly column: number;
  readonly text: string;
  readonly tone: Tone;
}

/** The tone of a text. */
export type Tone = keyof typeof TONES;

/** Colours on a dark background, which look the same on light and dark pages. */
const TONES = {
  plain: 'fill:#d0d7de',
  heading: 'fill:#ffffff;font-weight:bold',
  dim: 'fill:#8b949e',
  ours: 'fill:#79c0ff',
  good: 'fill:#7ee787',
  warning: 'fill:#f2cc60',
  service: 'fill:#d2a8ff',
} as const;

const GROUND = '#0d1117';
const FONT_SIZE = 13;
/**
 * The width of a letter in the fonts below, which differ little; columns keep their place even if a letter is wider.
 */
const LETTER_WIDTH = 7.83;
const LINE_HEIGHT = 18;
const MARGIN = 18;

/**
 * Makes an SVG of a terminal with these lines, without scripts and fonts; `title` describes it for screen readers.
 */
export function terminalPicture(
  title: string,
  columns: number,
  lines: readonly (readonly Words[])[],
): string {
  const width = Math.ceil(columns * LETTER_WIDTH) + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const styles = Object.entries(TONES).map(([tone, style]) => `.${tone}{${style}}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" xml:space="preserve">
<title>${escaped(title)}</title>
<style>text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}${styles.join('')}</style>
<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>
${lines.flatMap((words, index) => words.map((part) => textElement(part, index))).join('\n')}
</svg>
`;
}

function textElement({ column, text, tone }: Words, line: number): string {
  const x = (MARGIN + column * LETTER_WIDTH).toFixed(1);
  const y = MARGIN + line * LINE_HEIGHT + FONT_SIZE;
  return `<text x="${x}" y="${y}" class="${tone}">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
