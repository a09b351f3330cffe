import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, textOf } from './support.ts';

/** Each test that the page names, under the threat that it stands for. */
const THREATS = textOf('docs/security.md')
  .split(/^## /m)
  .find((section) => section.startsWith('Threats and defences'))!
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    threat: text.split('\n', 1)[0]!,
    tests: [...text.matchAll(/^- `(?<file>[^`]+)`:\s+(?<title>[^]*?)(?=\n- |\n\n|\n*$)/gm)].map(
      ({ groups }) => ({
        file: groups?.['file'] ?? '',
        title: (groups?.['title'] ?? '').replaceAll(/\s+/g, ' '),
      }),
    ),
  }));

describe.each(THREATS)('the threat "$threat"', ({ tests }) => {
  test('has a test', () => {
    expect(tests).not.toEqual([]);
  });

  test.each(tests)('names $file: $title', ({ file, title }) => {
    const titles = [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:'|`)((?:\\.|[^'`\\\n])+)(?:'|`)/g),
    ];
    expect(titles.map(([, text]) => text).filter((text) => text?.includes(title))).not.toEqual([]);
  });
});
