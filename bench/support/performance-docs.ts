import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { figureText, type Summary, targetText } from './measurement.ts';
import type { Machine, Result } from './results.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
/** The pages with figures, and their benchmarks; a page that names none has all benchmarks. */
const PAGES = [
  { file: join(DOCS, 'performance.md'), benches: undefined },
  {
    file: join(DOCS, 'scale.md'),
    benches: ['calls-at-rest', 'fair-turns', 'first-patch', 'memory', 'shards'],
  },
] as const;
const [BEGIN, END] = ['<!-- figures: npm run bench -- --docs -->', '<!-- end of figures -->'];

/**
 * Writes the newest results between two marks of the pages that show them, and returns a report. Rows of a benchmark
 * in `names` that has not run in this checkout stay unchanged.
 */
export async function writePerformanceDocs(
  results: readonly Result[],
  names: readonly string[],
): Promise<string> {
  for (const { file, benches } of PAGES) {
    const shown = names.filter((name) => benches === undefined || benches.some((one) => one === name));
    await writeFigures(file, results, shown);
  }
  return `docs: the figures of ${results.length} benchmarks`;
}

async function writeFigures(
  file: string,
  results: readonly Result[],
  names: readonly string[],
): Promise<void> {
  const text = await readFile(file, 'utf8');
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`${file}: the marks of the figures are missing`);
  const shown = text.slice(before + BEGIN.length, after);
  const written = `${text.slice(0, before)}${BEGIN}\n\n${figuresText(results, names, shown)}\n${text.slice(after)}`;
  const style = await resolveConfig(file);
  await writeFile(file, await format(written, { ...style, parser: 'markdown' }));
}

function figuresText(results: readonly Result[], names: readonly string[], shown: string): string {
  const rows = names.flatMap((name) => {
    const result = results.find(({ bench }) => bench === name);
    if (result === undefined) return shownRows(shown, name);
    return result.summaries.filter(isWanted).map((summary) => lineOf(rowOf(result, summary)));
  });
  const head = ['Figure', 'Measured', 'Target', 'Ratio', 'Peer', 'Date', 'Command'];
  const table = [lineOf(head), lineOf(head.map(() => '---')), ...rows];
  const machines = [...new Set(results.map(({ machine }) => machineText(machine)))];
  const machine =
    machines.length === 0 ? /^Machine: .*$/m.exec(shown)?.[0] : `Machine: ${machines.join('; or ')}.`;
  return `${table.join('\n')}\n\n${machine ?? ''}\n`;
}

/** The rows of a benchmark in a page, found by the command in the last column. */
function shownRows(page: string, name: string): readonly string[] {
  return page.split('\n').filter((line) => / -- ([\w-]+)[^|]*`\s*\|\s*$/.exec(line)?.[1] === name);
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** A figure that only explains another one is only in bench/results. */
function isWanted({ target, peer }: Summary): boolean {
  return target !== undefined || peer !== undefined;
}

function rowOf({ at, command }: Result, summary: Summary): readonly string[] {
  const { name, median, unit, target, ratio, peer = '' } = summary;
  return [
    name,
    `${figureText(median)} ${unit}`.trim(),
    targetText(target),
    ratio?.toFixed(2) ?? '',
    peer,
    at.slice(0, 10),
    `\`${command}\``,
  ];
}

function machineText({ processors, model, memoryGiB, node }: Machine): string {
  return `${processors} × ${model}, ${memoryGiB} GiB of memory, Node.js ${node}`;
}
