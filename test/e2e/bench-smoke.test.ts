import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const BENCH = join(import.meta.dirname, '..', '..', 'bench', 'first-patch.ts');

interface Result {
  readonly bench: string;
  readonly summaries: readonly { name: string; medianMs: number; samplesMs: number[]; targetMs?: number }[];
}

test('the benchmark of the first PATCH measures what it says, in the order in which it happens', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [BENCH, '--runs', '1', '--json']);
  const { bench, summaries } = JSON.parse(stdout) as Result;
  expect(bench).toBe('first-patch');
  expect(summaries.map(({ name, targetMs }) => ({ name, targetMs }))).toEqual([
    { name: 'program loaded', targetMs: undefined },
    { name: 'caches filled', targetMs: undefined },
    { name: 'first call to the service', targetMs: undefined },
    { name: 'first PATCH at the service', targetMs: 1_500 },
  ]);
  const [loaded, , called, patched] = summaries.map(({ medianMs }) => medianMs);
  expect(loaded).toBeGreaterThan(0);
  expect(called).toBeGreaterThan(loaded!);
  expect(patched).toBeGreaterThanOrEqual(called!);
});
