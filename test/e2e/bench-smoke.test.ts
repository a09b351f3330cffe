import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sharedBundle } from '../support/bundle/shared-bundle.ts';

const BENCH = join(import.meta.dirname, '..', '..', 'bench');

interface Result {
  readonly bench: string;
  readonly summaries: readonly { name: string; median: number; ratio?: number }[];
}

async function bench(...words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(process.execPath, [join(BENCH, 'all.ts'), ...words])).stdout;
}

test(
  'every benchmark still works: a number for every figure, and a ratio for every limit',
  { timeout: 600_000 },
  async () => {
    const results = JSON.parse(
      await bench('--smoke', '--json', '--program', await sharedBundle()),
    ) as Result[];
    const files = readdirSync(BENCH).filter((file) => file.endsWith('.ts') && file !== 'all.ts');
    expect(results.map(({ bench: name }) => `${name}.ts`).toSorted()).toEqual(files.toSorted());
    for (const { bench: name, summaries } of results) {
      expect(
        summaries.some(({ ratio }) => ratio !== undefined),
        name,
      ).toBe(true);
      // The heap of a smoke run's 100 objects is smaller than what the collector leaves by chance: it may be negative.
      for (const { name: figure, median } of summaries)
        if (figure.startsWith('heap')) expect(Number.isFinite(median), figure).toBe(true);
        else expect(median, figure).toBeGreaterThanOrEqual(0);
    }
    const counts = (name: string): Record<string, number> =>
      Object.fromEntries(
        results
          .find((result) => result.bench === name)
          ?.summaries.map(({ name: figure, median }) => [figure, median]) ?? [],
      );
    const atRest = results.find(({ bench: name }) => name === 'calls-at-rest');
    expect(counts('calls-at-rest'), JSON.stringify(atRest?.summaries)).toMatchObject({
      'calls per poll interval, 15 resources': 2,
    });
    expect(counts('thousand-edits')).toMatchObject({ 'PATCHes for one of 1,000 edits at once, at most': 1 });
  },
);

test('the help names every benchmark', async () => {
  const help = await bench('--help');
  for (const file of readdirSync(BENCH).filter((name) => name.endsWith('.ts') && name !== 'all.ts'))
    expect(help).toContain(`  ${file.slice(0, -'.ts'.length)}`);
});
