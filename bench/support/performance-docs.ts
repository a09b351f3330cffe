import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { figureText, type Summary, targetText } from './measurement.ts';
import type { Machine, Result } from './results.ts';

const FILE = join(import.meta.dirname, '..', '..', 'docs', 'performance.md');
const [BEGIN, END] = ['<!-- figures: npm run bench -- --docs -->', '<!-- end of figures -->'];

/** Writes the newest results into docs/performance.md, between its two marks; answers what was done. */
export async function writePerformanceDocs(results: readonly Result[]): Promise<string> {
  const text = await readFile(FILE, 'utf8');
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`${FILE}: the marks of the figures are missing`);
  const written = `${text.slice(0, before)}${BEGIN}\n\n${figuresText(results)}\n${text.slice(after)}`;
  const style = await resolveConfig(FILE);
  await writeFile(FILE, await format(written, { ...style, parser: 'markdown' }));
  return `docs/performance.md: ${results.length} benchmarks`;
}

function figuresText(results: readonly Result[]): string {
  const rows = results.flatMap((result) => result.summaries.map((summary) => rowOf(result, summary)));
  const head = ['Figure', 'Measured', 'Target', 'Ratio', 'Peer', 'Date', 'Command'];
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const machines = [...new Set(results.map(({ machine }) => machineText(machine)))];
  return `${table.join('\n')}\n\nMachine: ${machines.join('; or ')}.\n`;
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
