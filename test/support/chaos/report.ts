/** The result of a run. */
export interface Result {
  /** Descriptions of everything that is wrong; empty if all went well. */
  readonly wrongs: readonly string[];
  /** Numbers for people, in the order in which they are printed. */
  readonly counts: Readonly<Record<string, number | string>>;
}

/** Prints a line about the progress of a run. */
export type Tell = (line: string) => void;

const TELL_EVERY_MS = 10_000;

/** Prints progress on standard error: on a terminal one line that is rewritten, and otherwise a line now and then. */
export function progressLine(): { readonly tell: Tell; readonly done: () => void } {
  const { isTTY } = process.stderr;
  let toldMs = 0;
  return {
    tell(line) {
      if (isTTY) process.stderr.write(`\r\u001B[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
      else if (Date.now() - toldMs >= TELL_EVERY_MS) {
        process.stderr.write(`${line}\n`);
        toldMs = Date.now();
      }
    },
    done: () => void (isTTY && process.stderr.write('\r\u001B[K')),
  };
}

const SHOWN_WRONGS = 30;

/** Returns a table of a result, followed by all its errors. */
export function resultText({ counts, wrongs }: Result, replay: string): string {
  const width = Math.max(...Object.keys(counts).map((name) => name.length));
  const rows = Object.entries(counts).map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  if (wrongs.length === 0) return [...rows, '', 'nothing went wrong', ''].join('\n');
  const shown = wrongs.slice(0, SHOWN_WRONGS).map((wrong) => `WRONG  ${wrong}`);
  return [...rows, '', ...shown, '', `${wrongs.length} went wrong; again with: ${replay}`, ''].join('\n');
}

/** Returns how often each text occurs, the most frequent first, such as `8 create, 3 patch`. */
export function tally(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  return sorted.map(([text, count]) => `${count} ${text}`).join(', ') || 'none';
}
