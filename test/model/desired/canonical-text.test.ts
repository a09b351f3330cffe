import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../../src/model/desired/canonical-text.ts';
import { FIELDS, type Shape } from '../../../src/model/desired/fields.ts';
import type { Json } from '../../../src/base/json.ts';

function shapeOf(path: string): Shape {
  const field = FIELDS.find((candidate) => candidate.path === path);
  if (field === undefined) throw new Error(`no field ${path}`);
  return field.shape;
}

const SIDECARS = shapeOf('sourceConfig.resourceSpec.sidecars');
const INIT = shapeOf('sourceConfig.resourceSpec.initContainers');
const EXACT: Shape = { kind: 'exact' };

const EQUAL: readonly (readonly [string, Shape, Json | undefined, Json | undefined])[] = [
  ['null and absent', EXACT, null, undefined],
  ['an empty object and absent', EXACT, {}, undefined],
  ['an empty list and null', EXACT, [], null],
  ['objects with keys in another order', EXACT, { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ['a null member and a missing one', EXACT, { a: 1, b: null }, { a: 1 }],
  ['only null members and none', EXACT, { a: null }, {}],
  ['sidecars in another order', SIDECARS, [{ name: 'a' }, { name: 'b' }], [{ name: 'b' }, { name: 'a' }]],
  [
    'environment variables in another order',
    SIDECARS,
    [{ name: 'a', env: [{ name: 'X', value: '1' }, { name: 'Y' }] }],
    [{ name: 'a', env: [{ name: 'Y' }, { name: 'X', value: '1' }] }],
  ],
  ['an empty environment and a missing one', SIDECARS, [{ name: 'a', env: [] }], [{ name: 'a' }]],
];

const DIFFERENT: readonly (readonly [string, Shape, Json | undefined, Json | undefined])[] = [
  ['an empty text and absent', EXACT, '', undefined],
  ['numbers that are near', EXACT, 0.25, 0.3],
  ['a number and its text', EXACT, 1, '1'],
  ['init containers in another order', INIT, [{ name: 'a' }, { name: 'b' }], [{ name: 'b' }, { name: 'a' }]],
  [
    'arguments in another order',
    SIDECARS,
    [{ name: 'a', args: ['1', '2'] }],
    [{ name: 'a', args: ['2', '1'] }],
  ],
  [
    'an empty volume source and a missing one',
    shapeOf('sourceConfig.resourceSpec.volumes'),
    [{ name: 'v', emptyDir: {} }],
    [{ name: 'v' }],
  ],
];

describe('canonical text', () => {
  test.each(EQUAL)('treats %s as equal', (_, shape, a, b) => {
    expect(canonicalText(a, shape)).toBe(canonicalText(b, shape));
  });

  test.each(DIFFERENT)('distinguishes %s', (_, shape, a, b) => {
    expect(canonicalText(a, shape)).not.toBe(canonicalText(b, shape));
  });
});
