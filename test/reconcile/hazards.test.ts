import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/**
 * The failures possible between a declaration and a service of unknown behaviour, by number. Test titles carry the
 * number.
 */
const HAZARDS: Readonly<Record<number, string>> = Object.fromEntries(
  [
    ...readFileSync(join(ROOT, '..', 'docs', 'hazards.md'), 'utf8').matchAll(/<\/a>H(\d+) +\| (.*?) +\|/g),
  ].map(([, number, title]) => [Number(number), title ?? '']),
);

/** Hazards without a test, and the reason. */
const NOT_YET: Readonly<Record<number, string>> = {};

/**
 * Returns the test files that name each hazard: one or several numbers, or a range, in brackets at the end of a title.
 */
function testsByHazard(): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  for (const file of files) {
    for (const hazard of hazardsIn(readFileSync(join(ROOT, file), 'utf8'))) {
      found.set(hazard, [...(found.get(hazard) ?? []), relative('.', file)]);
    }
  }
  return found;
}

/** Returns the numbers in brackets at the end of quoted text, which is where titles carry them. */
function hazardsIn(source: string): ReadonlySet<number> {
  const brackets = [...source.matchAll(/\(([^()\n]*)\)['`]/g)].map(([, inside = '']) => inside);
  return new Set(
    brackets.flatMap((inside) =>
      [...inside.matchAll(/\bH(\d+)(?:-H(\d+))?/g)].flatMap(([, first, last]) => {
        const [from, to] = [Number(first), Number(last ?? first)];
        return Array.from({ length: to - from + 1 }, (_, at) => from + at);
      }),
    ),
  );
}

describe('a hazard', () => {
  const tests = testsByHazard();
  const all = Object.entries(HAZARDS);

  test.each(all.filter(([number]) => !Object.hasOwn(NOT_YET, number)))(
    'H%s, %s, has a test that names it',
    (number) => {
      const found = tests.get(Number(number));
      expect(found, 'name it in brackets at the end of a test name, or say in NOT_YET why not').toBeDefined();
    },
  );

  test.each(all.filter(([number]) => Object.hasOwn(NOT_YET, number)))(
    'H%s, %s, has no test yet',
    (number) => {
      expect(tests.get(Number(number)), 'take it out of NOT_YET').toBeUndefined();
    },
  );

  test('that a test names is in the table', () => {
    const unknown = [...tests.keys()].filter((number) => !Object.hasOwn(HAZARDS, number));
    expect(unknown).toEqual([]);
  });
});
