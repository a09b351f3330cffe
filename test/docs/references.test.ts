import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import {
  commandLines,
  isField,
  isPath,
  linkedFiles,
  pages,
  pathExists,
  quotedWords,
  ROOT,
  textOf,
} from './support.ts';

const PAGES = pages();

/** The names that docs/first-change.md invents for its exercises. first-change.test.ts creates them. */
const INVENTED: readonly string[] = [
  'test/reconcile/edits/start-command.test.ts',
  'spec.sourceConfig.startCommand',
];

describe.each(PAGES)('%s', (page) => {
  test('links to existing files', () => {
    expect(linkedFiles(page).filter((file) => !pathExists(file))).toEqual([]);
  });

  test('names existing files and folders', () => {
    expect(
      quotedWords(page).filter((word) => isPath(word) && !INVENTED.includes(word) && !pathExists(word)),
    ).toEqual([]);
  });

  test('names existing fields of a spec', () => {
    const paths = quotedWords(page).flatMap((word) => /^spec(?:\.[A-Za-z]+)+/.exec(word)?.[0] ?? []);
    expect(paths.filter((path) => !INVENTED.includes(path) && !isField(path))).toEqual([]);
  });

  test('names existing scripts', () => {
    const named = [...textOf(page).matchAll(/\bnpm run (?<script>[a-z][a-z:-]*)/g)];
    const scripts = Object.keys(packageFile.scripts);
    expect(
      named.map((match) => match.groups?.['script']).filter((name) => !scripts.includes(name ?? '')),
    ).toEqual([]);
  });

  test('contains nothing about places outside the project', () => {
    const text = textOf(page);
    expect(text).not.toMatch(/(?:\.\.\/){3}|\.\.\/shared|\/work\/|\/root\//);
    expect(linkedFiles(page).filter((file) => !join(ROOT, file).startsWith(ROOT))).toEqual([]);
  });
});

test.each(PAGES)('%s shows commands that the program understands', (page) => {
  const shown = commandLines(page)
    .flatMap((line) => line.split(/ && | \| /))
    .map((line) => line.replace(/ > .*$/, ''))
    .filter((line) => line.startsWith('dms-operator '));
  const refused = shown.filter((line) => {
    try {
      parseArguments(line.split(/\s+/).slice(1), { program: 'dms-operator', version: '0', columns: 80 });
      return false;
    } catch {
      return true;
    }
  });
  expect(refused).toEqual([]);
});

test.each(PAGES)('%s uses full or short names of our kinds in commands for kubectl (H49)', (page) => {
  const shown = commandLines(page).filter((line) => /\bkubectl\b/.test(line));
  expect(shown.filter((line) => /[\s/,](?:deployments?|connections?)(?![-.\w])/i.test(line))).toEqual([]);
});
