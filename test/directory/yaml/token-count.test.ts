import { LineCounter } from 'yaml';
import { describe, expect, it } from 'vitest';
import { TokenCount, TooManyTokensError } from '../../../src/directory/yaml/token-count.ts';

/** Returns which has too many tokens, `document` or `file`; undefined if the text is read to its end. */
function tooMany(count: TokenCount, text: string): string | undefined {
  try {
    for (const token of count.parse(text, new LineCounter())) expect(token).toBeDefined();
    return undefined;
  } catch (error) {
    if (error instanceof TooManyTokensError) return error.what;
    throw error;
  }
}

describe('the tokens of a file', () => {
  it('are limited for each document, whatever they are', () => {
    const limits = { document: 100, file: 1_000 };
    for (const text of ['a: 1\n'.repeat(50), '- \n'.repeat(100), `[${'[],'.repeat(50)}]`, '? \n'.repeat(90)])
      expect(tooMany(new TokenCount(limits), text)).toBe('document');
    expect(tooMany(new TokenCount(limits), 'a: 1\n'.repeat(10))).toBeUndefined();
    expect(tooMany(new TokenCount(limits), `a: |\n${'  line\n'.repeat(1_000)}`)).toBeUndefined();
  });

  it('are limited for all documents of a file together', () => {
    const count = new TokenCount({ document: 100, file: 250 });
    const ends = Array.from({ length: 6 }, () => tooMany(count, 'a: 1\n'.repeat(10)));
    expect(ends.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(ends.at(-1)).toBe('file');
  });
});
