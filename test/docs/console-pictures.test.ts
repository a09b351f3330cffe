import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pages, ROOT, textOf } from './support.ts';

const FOLDER = 'docs/images/console';
const MOST_BYTES = 250_000;

test.each(readdirSync(join(ROOT, FOLDER)))(
  'the picture %s has an alternative text, and its size matches its name',
  (name) => {
    const alternatives = pages().flatMap((page) =>
      [...textOf(page).matchAll(/!\[(?<words>[^\]]*)\]\((?<target>[^)]+)\)/g)]
        .filter((found) => found.groups?.['target']?.endsWith(`images/console/${name}`))
        .map((found) => found.groups?.['words'] ?? ''),
    );
    expect(alternatives).not.toEqual([]);
    expect(alternatives.filter((words) => words.length < 40)).toEqual([]);
    const bytes = readFileSync(join(ROOT, FOLDER, name));
    expect(bytes.length).toBeLessThan(MOST_BYTES);
    // The width is in the first chunk of a PNG.
    expect(String(bytes.readUInt32BE(16))).toBe(/-(\d+)\.png$/.exec(name)?.[1]);
  },
);
