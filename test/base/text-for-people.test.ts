import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textForPeople } from '../../src/base/text-for-people.ts';

describe('text from outside, in output for people,', () => {
  test.each([
    ['plain words', 'plain words'],
    ['MELT\u001b[31m\nDOWN', 'MELT [31m DOWN'],
    ['a\u202eb\u2028c\u0000\u0007d', 'a b c d'],
    ['  around \r\n', 'around'],
    ['half a pair \ud800', 'half a pair \ufffd'],
  ])('%j is %j', (text, shown) => {
    expect(textForPeople(text)).toBe(shown);
  });

  test('is truncated at a length in bytes, between characters, with a mark', () => {
    expect(textForPeople('abcdef', 5)).toBe('ab…');
    expect(textForPeople('äöü', 5)).toBe('ä…');
    expect(textForPeople('🔑🔑🔑', 9)).toBe('🔑…');
    expect(textForPeople('äöü', 6)).toBe('äöü');
  });

  test('never exceeds its limit, and has no control character', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 3, max: 80 }), (text, limit) => {
        const shown = textForPeople(text, limit);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limit);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});
