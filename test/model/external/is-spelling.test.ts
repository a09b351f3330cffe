import { describe, expect, test } from 'vitest';
import { isSpelling } from '../../../src/model/external/is-spelling.ts';
import type { Json } from '../../../src/base/json.ts';

const SAME: readonly (readonly [asked: Json, shown: Json])[] = [
  [0.25, 0.3],
  [1.55, 2],
  [1000, 1024],
  [4, 4],
  ['https://A.example.com', 'https://a.example.com/'],
  [{ tier: 'one' }, { tier: 'one', team: 'theirs' }],
  [
    [{ name: 'a' }, { name: 'b' }],
    [{ name: 'b' }, { name: 'a', emptyDir: {} }],
  ],
];

const OTHER: readonly (readonly [asked: Json, shown: Json | undefined])[] = [
  [1.55, 2.75],
  [1024, 2048],
  ['one', 'two'],
  [{ tier: 'one' }, { tier: 'two' }],
  [{ tier: 'one' }, {}],
  [[{ name: 'a' }], [{ name: 'a' }, { name: 'b' }]],
  [20, 19],
  [2, 1.5],
  [2048, 1900],
  [
    ['a', 'a'],
    ['a', 'b'],
  ],
  [['a'], []],
  [true, false],
  [2, '2'],
  [2, undefined],
];

describe('a value shown in place of another', () => {
  test.each(SAME)('%j may be written as %j', (asked, shown) => {
    expect(isSpelling(asked, shown)).toBe(true);
  });

  test.each(OTHER)('%j is never written as %j', (asked, shown) => {
    expect(isSpelling(asked, shown)).toBe(false);
  });
});
