/**
 * `npm run attack`: plays every attack of test/attack in full, each against the shipped controller on its own control
 * plane, and prints the effect on an honest tenant. The exit code is 1 if an attack did harm. `npm test` plays a
 * short form of each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AttackReport, attackTable } from '../test/support/attack/report.ts';

const HELP = `npm run attack -- [WORDS]

Plays the attacks whose names contain WORDS, or all of them. Takes about two minutes for each.
`;

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', default: false } },
  allowPositionals: true,
});
if (values.help) process.stdout.write(HELP);
else process.exitCode = await play(positionals.join(' '));

async function play(words: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'dms-attack-'));
  const file = join(folder, 'report.jsonl');
  try {
    const only = words === '' ? [] : ['--testNamePattern', words];
    const child = spawn('npx', ['vitest', 'run', '--no-file-parallelism', 'test/attack', ...only], {
      stdio: 'inherit',
      env: { ...process.env, DMS_ATTACK: 'full', DMS_ATTACK_REPORT: file },
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    const lines = await readFile(file, 'utf8').catch(() => '');
    const reports = lines.split('\n').filter((line) => line !== '');
    process.stdout.write(attackTable(reports.map((line) => JSON.parse(line) as AttackReport)));
    return code ?? 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}
