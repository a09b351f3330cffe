import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readFound } from '../support/mutants/found.ts';
import { allMutants, copyTo, fits, revertIn, runIn } from '../support/mutants/mutant.ts';

/** The time for the start of a process, and for the runs of one seed. */
const LIMIT_MS = 120_000;

const found = readFound();

/** One copy for all: Node keeps what it compiled for a path, as long as the file does not change. */
const copy = mkdtempSync(join(tmpdir(), 'dms-mutants-'));
beforeAll(() => copyTo(copy));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('a reverted fix', () => {
  test.each(allMutants())('$code: the patch applies to the current code', (mutant) => {
    expect(fits(mutant), 'npm run mutants, once the patch is made anew').toBe(true);
  });

  test('is detected, or documented as undetectable by the matrix', () => {
    const codes = allMutants().map(({ code }) => code);
    expect(codes.filter((code) => found[code]?.seed === undefined && found[code]?.why === undefined)).toEqual(
      [],
    );
    const fixes = codes.filter((code) => /^[AB]\d/.test(code));
    const noticed = fixes.filter((code) => (found[code]?.runs ?? Number.POSITIVE_INFINITY) <= 2_000);
    expect(fixes).toHaveLength(20);
    expect(noticed.length, 'of twenty fixes taken back').toBeGreaterThanOrEqual(17);
    expect(Object.keys(found).toSorted(), 'seeds of patches that are here').toEqual(codes.toSorted());
  });

  test.each(allMutants().filter(({ code }) => found[code]?.seed !== undefined))(
    '$code: the seed that detected it still does',
    { timeout: LIMIT_MS },
    async (mutant) => {
      onTestFinished(revertIn(copy, mutant));
      const seed = String(found[mutant.code]?.seed);
      const words = ['--until-wrong', '--seeds', '1', '--seed', seed];
      const { code, output } = await runIn(copy, ['scripts/matrix.ts', ...words]);
      expect(output, 'npm run mutants -- --write finds another seed').toContain(
        `WRONG after 1 runs at seed ${seed}`,
      );
      expect(code).toBe(1);
    },
  );
});
