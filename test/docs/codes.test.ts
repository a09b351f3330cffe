import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, textOf } from './support.ts';

const PAGE = textOf('docs/hazards.md');

/** Each permitted code of a comment, in the order of the page. */
const EXPLAINED = [...PAGE.matchAll(/<a id="(?<anchor>[a-z]\d+)"><\/a>(?<code>[HNRI]\d+) /g)].map(
  ({ groups }) => ({ anchor: groups?.['anchor'] ?? '', code: groups?.['code'] ?? '' }),
);

/** Returns the codes in comments below a folder, each with a file that contains it. */
function codesIn(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const comments = readFileSync(join(ROOT, folder, name), 'utf8').match(/\/\*[^]*?\*\/|\/\/.*/g) ?? [];
    for (const code of comments.join('\n').match(/\b[HNRI]\d{1,2}\b/g) ?? [])
      found.set(code, join(folder, name));
  }
  return found;
}

test.each(['src', 'scripts', 'test/support', 'test/reconcile'])(
  'every code in a comment of %s is in docs/hazards.md',
  (folder) => {
    const known = new Set(EXPLAINED.map(({ code }) => code));
    const unknown = [...codesIn(folder)].filter(([code]) => !known.has(code));
    expect(unknown).toEqual([]);
  },
);

test('docs/hazards.md explains each code once, without a gap, at an anchor with its name', () => {
  expect(EXPLAINED.map(({ anchor }) => anchor)).toEqual(EXPLAINED.map(({ code }) => code.toLowerCase()));
  const counted = { H: 63, N: 85, R: 18, I: 8 };
  const expected = Object.entries(counted).flatMap(([letter, last]) =>
    Array.from({ length: last }, (_, at) => `${letter}${at + 1}`),
  );
  expect(EXPLAINED.map(({ code }) => code)).toEqual(expected);
});
