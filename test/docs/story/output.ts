/** The parts that differ from run to run, and the placeholder for each. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID'],
  [/\b[0-9a-f]{20}\b/g, 'HASH'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/\b(?:\d+[dhms])+\b/g, 'AGE'],
  // Columns are as wide as their contents.
  [/ {2,}/g, '  '],
];

function steady(line: string): string {
  return VOLATILE.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), line.trimEnd());
}

/**
 * True if a command printed the output on its page. Ids, hashes, times, ages and the width of columns may differ. `…`
 * in a line of the page stands for any text, and a line `...` for any lines.
 */
export function isAsShown(shown: readonly string[], printed: string): boolean {
  const lines = shown.map((line) =>
    line === '...' ? String.raw`(?:.*\n)*` : `${literally(steady(line)).replaceAll('…', '.*')}\n`,
  );
  const text = printed.split('\n').map(steady).join('\n').trimEnd();
  return new RegExp(`^${lines.join('')}$`).test(`${text}\n`);
}

/** Converts a text into a pattern that matches only that text. */
function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
