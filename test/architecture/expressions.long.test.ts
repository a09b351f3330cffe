import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { BUILT_EXPRESSIONS } from '../../scripts/lint/house-rules.ts';
import { lintPlanted, type Report, ROOT } from './planted-tree.ts';

const CONSTANTS = [
  "const ONE = 'a';",
  'const PART = `(?:${ONE}*)`;',
  'const WHOLE = `^${PART}*$`;',
  'declare const text: string;',
];

const SLOW = [
  'void /^(?:a*)*$/;',
  "void new RegExp('^(?:a*)*$');",
  "void new RegExp('^(?:a*)*$', 'u');",
  "void RegExp('^(?:a*)*$');",
  'void new RegExp(/^(?:a*)*$/, "g");',
  'void new RegExp(`^(?:${PART})*$`);',
  'void new RegExp(WHOLE);',
];

const BUILT = ['void new RegExp(text);', 'void RegExp(`^${text}$`);', "void new RegExp('a', text);"];

const LINEAR = ["void new RegExp('^(?:a|b)*$');", 'void new RegExp(`^(?:${ONE}|b)*$`);', 'void RegExp(ONE);'];

const LISTED = Object.keys(BUILT_EXPRESSIONS);
const PLACES = ['src/model/plan/ordinary.ts', ...LISTED];
const LINES = [...CONSTANTS, ...SLOW, ...BUILT, ...LINEAR];

describe('regular expressions that a text from outside could make slow', () => {
  let reports: readonly Report[] = [];

  /** The places where no report of the rule is about this line. */
  function allowedIn(line: string): string[] {
    const number = LINES.indexOf(line) + 1;
    const about = reports.filter((report) => report.line === number);
    return PLACES.filter(
      (place) => !about.some(({ file, rule }) => file === place && rule === 'linear-regular-expressions'),
    );
  }

  beforeAll(() => {
    reports = lintPlanted(new Map(PLACES.map((place) => [place, LINES])));
  }, 60_000);

  it.each(SLOW)('refuses %s everywhere', (line) => {
    expect(allowedIn(line)).toEqual([]);
  });

  it.each(BUILT)('refuses %s where the list of built expressions does not say why', (line) => {
    expect(allowedIn(line)).toEqual(LISTED);
  });

  it.each(LINEAR)('allows %s', (line) => {
    expect(allowedIn(line)).toEqual(PLACES);
  });

  it.each(LISTED)('needs %s on the list', (file) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toMatch(/\bRegExp\(/);
  });
});
