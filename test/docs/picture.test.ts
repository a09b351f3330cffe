import { expect, test } from 'vitest';
import { demoPicture } from '../../scripts/demo-picture.ts';
import { terminalPicture } from '../../scripts/terminal-picture.ts';
import { textOf } from './support.ts';

const RECORDED = textOf('docs/images/demo.txt');

/** How much of a line the other recording shows, at 120 columns, before its ellipsis. */
const SHOWN = 118;

/** What was told of each step, in no order, without ids and cut as on a terminal. */
function told(text: string): readonly (readonly string[])[] {
  return text.split(/^(?=\d\. )/m).map((part) =>
    part
      .split('\n')
      .filter((line) => line !== '' && !/^(?:\$|\d+$)/.test(line))
      .map((line) => line.slice(0, SHOWN).replaceAll(/\b[0-9a-fx]{8}-[0-9a-fx-]+…?/g, 'ID'))
      .toSorted(),
  );
}

test('the recording that the picture is made from reports what the demo tells today', () => {
  // A real run is compared with that file; where this fails, record again: see scripts/generate-picture.ts.
  expect(told(RECORDED)).toEqual(told(textOf('test/cli/golden/demo.txt')));
});

test('the picture shows every line of it, and no long ids', () => {
  const shown = [...demoPicture(RECORDED).matchAll(/<text [^>]*>/g)].map(
    ([element]) => /y="(\d+)"/.exec(element)?.[1],
  );
  const lines = RECORDED.split('\n').filter((line) => line !== '');
  expect(new Set(shown).size).toBe(lines.length);
  expect(demoPicture(RECORDED)).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
});

test('what a terminal shows cannot end the picture', () => {
  const picture = terminalPicture('<a> & b', 10, [[{ column: 0, text: '</text><script>', tone: 'plain' }]]);
  expect(picture).toContain('<title>&lt;a&gt; &amp; b</title>');
  expect(picture).toContain('>&lt;/text&gt;&lt;script&gt;</text>');
});

test('the README shows the picture, and where its text is', () => {
  expect(textOf('README.md')).toMatch(/!\[[^\]]{20,}\]\(docs\/images\/demo\.svg\)/);
  expect(textOf('README.md')).toContain('(docs/images/demo.txt)');
});
