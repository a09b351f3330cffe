import { describe, expect, test } from 'vitest';
import { circlesIn } from '../../scripts/house/circles.ts';
import { figuresOf } from '../../scripts/house/figures.ts';
import { parseSource, sourceFiles } from '../../scripts/house/source-file.ts';
import { ROOT } from '../docs/support.ts';

/**
 * The worst that each figure may be. An improvement lowers its limit here.
 * `npm run house` prints the figures.
 */
const AT_MOST = {
  filesInLargestFolder: 16,
  circles: 0,
  functionsWithFourParameters: 24,
  functionsOverFortyLines: 3,
  conditionalSpreads: 7,
  dialect: 1,
  commentsFromWhat: 0,
} as const;

const FEWEST_NAMED_BY_EXPORT = 84;

const figures = figuresOf(sourceFiles(ROOT, 'src'));

test.each(Object.entries(AT_MOST))('src has no more %s than %i', (name, most) => {
  expect(figures[name as keyof typeof AT_MOST]).toBeLessThanOrEqual(most);
});

test(`at least ${FEWEST_NAMED_BY_EXPORT} % of the files in src bear the name of an export`, () => {
  expect(figures.namedByExport).toBeGreaterThanOrEqual(FEWEST_NAMED_BY_EXPORT);
});

describe('a circle among imports', () => {
  const file = (path: string, ...imports: string[]): { path: string; imports: string[] } => ({
    path,
    imports,
  });

  test('is found, however long it is, and once', () => {
    const files = [file('a', 'b'), file('b', 'c'), file('c', 'd', 'a'), file('d'), file('e', 'a')];
    expect(circlesIn(files).map((circle) => circle.toSorted())).toEqual([['a', 'b', 'c']]);
  });

  test('is none where paths only meet', () => {
    expect(circlesIn([file('a', 'b', 'c'), file('b', 'd'), file('c', 'd'), file('d')])).toEqual([]);
  });
});

test('a file imports what it names as a value, as a type, in place, dynamically, and to pass it on', () => {
  const { imports, exports } = parseSource(
    'a/b/c.ts',
    `import { value } from './value.ts';
     import type { Type } from '../type.ts';
     export { passed } from './passed.ts';
     export interface Own { place: import('./place.ts').Place; type: Type }
     export const later = async () => (await import('./later.ts')).run(value);
     import { join } from 'node:path';`,
  );
  expect(imports.toSorted()).toEqual([
    'a/b/later.ts',
    'a/b/passed.ts',
    'a/b/place.ts',
    'a/b/value.ts',
    'a/type.ts',
  ]);
  expect(exports.toSorted()).toEqual(['Own', 'later', 'passed']);
});

test('figures count what they say', () => {
  const long = `function long() {\n${'  work();\n'.repeat(40)}}`;
  const file = parseSource(
    'a/wide-door.ts',
    `/** What it is. */ export function wideDoor(a, b, c, d) { return { ...(a === undefined ? {} : { a }) }; }
     // Nobody knows.
     ${long}`,
  );
  expect(figuresOf([file, parseSource('a/other.ts', 'export const different = 1;\n')])).toEqual({
    files: 2,
    lines: file.lines + 1,
    filesInLargestFolder: 2,
    circles: 0,
    namedByExport: 50,
    functionsWithFourParameters: 1,
    functionsOverFortyLines: 1,
    conditionalSpreads: 1,
    dialect: 1,
    commentsFromWhat: 1,
  });
});
