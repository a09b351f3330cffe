import { expect, test } from 'vitest';
import { demoPicture } from '../../scripts/demo-picture.ts';
import { terminalPicture } from '../../scripts/terminal-picture.ts';
import { textOf } from './support.ts';

const RECORDED = textOf('docs/images/demo.txt');

/** The part of a line that the other recording shows, at 120 columns, before its ellipsis. */
const SHOWN = 118;

/** Returns the output of each step, without order and ids, truncated as on a terminal. */
function told(text: string): readonly (readonly string[])[] {
  return text.split(/^(?=\d\. )/m).map((part) =>
    part
      .split('\n')
      .filter((line) => line !== '' && !/^(?:\$|\d+$)/.test(line))
      .map((line) => line.slice(0, SHOWN).replaceAll(/\b[0-9a-fx]{8}-[0-9a-fx-]+…?/g, 'ID'))
      .toSorted(),
  );
}

test('the recording behind the picture matches the current output of the demo', () => {
  // The test compares a real run with that file. If it fails, record again: see scripts/generate-picture.ts.
  expect(told(RECORDED)).toEqual(told(textOf('test/cli/golden/demo.txt')));
});

test('the picture shows every line of the recording, and no long ids', () => {
  const shown = [...demoPicture(RECORDED).matchAll(/<text [^>]*>/g)].map(
    ([element]) => /y="(\d+)"/.exec(element)?.[1],
  );
  const lines = RECORDED.split('\n').filter((line) => line !== '');
  expect(new Set(shown).size).toBe(lines.length);
  expect(demoPicture(RECORDED)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
});

test('terminal output cannot end the picture', () => {
  const picture = terminalPicture('<a> & b', 10, [[{ column: 0, text: '</text><script>', tone: 'plain' }]]);
  expect(picture).toContain('<title>&lt;a&gt; &amp; b</title>');
  expect(picture).toContain('>&lt;/text&gt;&lt;script&gt;</text>');
});

test('the README shows the picture, and links to its text', () => {
  expect(textOf('README.md')).toMatch(/!\[[^\]]{20,}\]\(docs\/images\/demo\.svg\)/);
  expect(textOf('README.md')).toContain('(docs/images/demo.txt)');
});
