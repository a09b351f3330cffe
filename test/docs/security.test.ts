import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, textOf } from './support.ts';
import { testNames } from './support/test-names.ts';

/** Each test that the page names, below its threat. */
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
    expect(testNames(readFileSync(join(ROOT, file), 'utf8'))).toContain(title);
  });
});

describe('the table of attacks', () => {
  const named = [...textOf('docs/security.md').matchAll(/^\| .* \| `(?<file>test\/[^`]+)` +\|$/gm)].map(
    ({ groups }) => groups?.['file'] ?? '',
  );

  test('names existing files', () => {
    expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('names every attack test', () => {
    const played = readdirSync(join(ROOT, 'test/attack')).map((name) => `test/attack/${name}`);
    expect(played.filter((file) => !named.includes(file))).toEqual([]);
  });
});

describe('the test titles', () => {
  const source = `
    // test('in a comment', run)
    describe.skip("a group", () => {
      const other = 'no name';
      it('it\\'s one', () => expect(other).toBe('what is expected'));
      test.each<{ readonly a: string }>([
        { a: 'a row (of a table)' },
      ])(
        'on a line of its own: $a', run);
      scenario(\`made of \${parts}\`, GIVEN, run);
    });`;

  test('are the complete first arguments of the calls', () => {
    expect(testNames(source)).toEqual([
      ...['a group', "it's one", 'on a line of its own: $a', 'made of ${parts}'],
    ]);
  });
});
