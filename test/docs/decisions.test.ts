import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linkedFiles, ROOT, textOf } from './support.ts';

const FOLDER = 'docs/decisions';
const DECISIONS = readdirSync(join(ROOT, FOLDER)).filter((name) => /^\d{4}-.*\.md$/.test(name));

test('docs/decisions/README.md lists every decision by its title, in order', () => {
  const listed = [...textOf(`${FOLDER}/README.md`).matchAll(/^\d+\. \[(.*)\]\((.*)\)$/gm)];
  const expected = DECISIONS.map((name) => [/^# \d+\. (.*)$/m.exec(textOf(`${FOLDER}/${name}`))?.[1], name]);
  expect(listed.map(([, title, name]) => [title, name])).toEqual(expected);
});

test('decisions are numbered without a gap', () => {
  expect(DECISIONS.map((name) => Number(name.slice(0, 4)))).toEqual(DECISIONS.map((_, at) => at + 1));
});

test('CONTRIBUTING.md links to the tour, the glossary, the hazards and the decisions', () => {
  expect(linkedFiles('CONTRIBUTING.md')).toEqual(
    expect.arrayContaining([
      'src/README.md',
      'docs/glossary.md',
      'docs/hazards.md',
      'docs/decisions/README.md',
    ]),
  );
});
