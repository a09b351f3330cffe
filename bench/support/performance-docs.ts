import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { figureText, type Summary, targetText } from './measurement.ts';
import type { Machine, Result } from './results.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
/** Where figures stand, and whose; every benchmark where none is named. */
const PAGES = [
  { file: join(DOCS, 'performance.md'), benches: undefined },
  { file: join(DOCS, 'scale.md'), benches: ['calls-at-rest', 'fair-turns', 'first-patch', 'memory'] },
] as const;
const [BEGIN, END] = ['<!-- figures: npm run bench -- --docs -->', '<!-- end of figures -->'];

/** Writes the newest results into the pages that show them, between two marks; answers what was done. */
export async function writePerformanceDocs(results: readonly Result[]): Promise<string> {
  for (const { file, benches } of PAGES) {
    const shown = results.filter(
      ({ bench }) => benches === undefined || benches.some((name) => name === bench),
    );
    await writeFigures(file, figuresText(shown));
  }
  return `docs: the figures of ${results.length} benchmarks`;
}

async function writeFigures(file: string, figures: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`${file}: the marks of the figures are missing`);
  const written = `${text.slice(0, before)}${BEGIN}\n\n${figures}\n${text.slice(after)}`;
  const style = await resolveConfig(file);
  await writeFile(file, await format(written, { ...style, parser: 'markdown' }));
}

function figuresText(results: readonly Result[]): string {
  const rows = results.flatMap((result) =>
    result.summaries.filter(isWanted).map((summary) => rowOf(result, summary)),
  );
  const head = ['Figure', 'Measured', 'Target', 'Ratio', 'Peer', 'Date', 'Command'];
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const machines = [...new Set(results.map(({ machine }) => machineText(machine)))];
  return `${table.join('\n')}\n\nMachine: ${machines.join('; or ')}.\n`;
}

/** What only explains another figure stands in bench/results alone. */
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
