/** `node bench/all.ts [--runs N] [--json]`: every benchmark of this folder, one after the other. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { progress } from './support/report.ts';

const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.filename))
  .toSorted();

for (const file of benches) {
  progress(`\n${file}`);
  const { status } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, file), ...process.argv.slice(2)],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) process.exitCode = 1;
}
