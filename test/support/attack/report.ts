import { appendFile } from 'node:fs/promises';
import type { AttackerRole } from './ground.ts';
import type { Verdict } from './witness.ts';

/** The results of an attack: with the first controller, and with the next one, which started during the attack. */
export interface AttackReport {
  readonly name: string;
  readonly attacker: AttackerRole;
  readonly verdicts: readonly Verdict[];
}

/** Keeps a report for `npm run attack`, which sets the name of the file. Does nothing in `npm test`. */
export async function keepReport(report: AttackReport): Promise<void> {
  const file = process.env['DMS_ATTACK_REPORT'];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(report)}\n`);
}

/**
 * Returns a block of lines for each attack: the attacker, the attack, and the results of the neighbour before and after
 * a restart.
 */
export function attackTable(reports: readonly AttackReport[]): string {
  return reports.map((report) => `${blockOf(report).join('\n')}\n`).join('\n');
}

function blockOf({ name, attacker, verdicts }: AttackReport): readonly string[] {
  return [
    `${attacker} ${name}`,
    ...verdicts.map((verdict, i) => lineOf(verdict, i === 0 ? 'at first' : 'restarted')),
  ];
}

function lineOf({ edits, ended, peakMiB, slowestEditMs, slowestHealthMs }: Verdict, when: string): string {
  const end = ended ? ', ended' : '';
  const slowest = `slowest of ${edits} edits ${slowestEditMs} ms, /healthz ${slowestHealthMs} ms`;
  return `  ${when.padEnd(9)}  ${slowest}, ${Math.round(peakMiB)} MiB${end}`;
}
