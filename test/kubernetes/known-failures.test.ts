import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface KnownFailure {
  readonly failure: string;
  /** The path below this folder or below `test`, without the extension. */
  readonly file: string;
  /** The beginning of a test title, or of a row of its table, exactly as in the file. */
  readonly test: string;
}

const HERE = import.meta.dirname;
const ROW = /^\| (?<failure>[^|]+?) +\| [^|]* \| (?<file>[^| ]+) +\| (?<test>[^|]+?) +\|$/gm;

function readTable(): readonly KnownFailure[] {
  const text = readFileSync(join(HERE, 'known-failures.md'), 'utf8');
  return [...text.matchAll(ROW)]
    .map(({ groups }) => groups as unknown as KnownFailure)
    .filter(({ file }) => !/^(File|-+)$/.test(file));
}

function sourceOf(file: string): string {
  const path = [join(HERE, `${file}.test.ts`), join(HERE, '..', `${file}.test.ts`)].find(existsSync);
  return path === undefined ? '' : readFileSync(path, 'utf8');
}

const KNOWN = readTable();

describe('a known failure of watches, informers and clients of others', () => {
  it.each(KNOWN)('has a test that shows it does not happen here: $failure', ({ file, test }) => {
    expect(sourceOf(file), `${file}.test.ts should have this name`).toContain(`'${test}`);
  });
});

describe('the table of known failures', () => {
  it('is parsed completely, and contains each failure once', () => {
    expect(KNOWN.length).toBeGreaterThan(60);
    expect(new Set(KNOWN.map(({ failure }) => failure)).size).toBe(KNOWN.length);
  });

  it('names every file of faults', () => {
    const files = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(faults|storm)\.test\.ts$/.test(file),
    );
    const named = new Set(KNOWN.map(({ file }) => `${file}.test.ts`));
    expect(files.filter((file) => !named.has(file))).toEqual([]);
  });
});
