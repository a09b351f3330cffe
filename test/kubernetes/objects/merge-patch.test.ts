import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../src/kubernetes/objects/merge-patch.ts';
import { isJsonObject, type Json } from '../../../src/base/json.ts';

interface Row {
  readonly name: string;
  readonly before: object | undefined;
  readonly after: object;
  readonly want: object | undefined;
}

const ROWS: readonly Row[] = [
  {
    name: 'nothing differs',
    before: { a: 1, b: { c: [1] } },
    after: { b: { c: [1] }, a: 1 },
    want: undefined,
  },
  { name: 'the first status of an object', before: undefined, after: { a: 1 }, want: { a: 1 } },
  { name: 'one changed key among others', before: { a: 1, b: 2 }, after: { a: 1, b: 3 }, want: { b: 3 } },
  { name: 'a removed key becomes null', before: { a: 1, b: 2 }, after: { a: 1 }, want: { b: null } },
  { name: 'a key set to undefined is removed', before: { a: 1 }, after: { a: undefined }, want: { a: null } },
  {
    name: 'a removed key deep inside',
    before: { a: { b: { c: 1, d: 2 } } },
    after: { a: { b: { c: 1 } } },
    want: { a: { b: { d: null } } },
  },
  { name: 'a list goes whole', before: { a: [1, 2] }, after: { a: [2] }, want: { a: [2] } },
  {
    name: 'an emptied object loses its keys',
    before: { a: { b: 1 } },
    after: { a: {} },
    want: { a: { b: null } },
  },
  { name: 'an object in place of a scalar', before: { a: 1 }, after: { a: { b: 1 } }, want: { a: { b: 1 } } },
  { name: 'null where nothing was is nothing', before: {}, after: { a: null }, want: undefined },
  { name: 'null inside a list is a value', before: { a: [] }, after: { a: [null] }, want: { a: [null] } },
];

describe('mergePatch', () => {
  it.each(ROWS)('$name', ({ before, after, want }) => {
    expect(mergePatch(before, after)).toEqual(want);
  });

  it('returns a patch that turns one object into the other, applied by RFC 7386', () => {
    fc.assert(
      fc.property(objects(), objects(), (before, after) => {
        const patch = mergePatch(before, after);
        expect(patch === undefined ? before : applied(before, patch)).toEqual(after);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

/** Returns an arbitrary of objects without null, which a merge patch cannot set. */
function objects(): fc.Arbitrary<Record<string, Json>> {
  const { value } = fc.letrec<{ value: Json; object: Record<string, Json> }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      fc.string(),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { noNullPrototype: true }),
  }));
  return fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value, { noNullPrototype: true });
}

/** Applies a patch by the algorithm of RFC 7386, section 2. */
function applied(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: Record<string, Json> = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = applied(result[name], value);
  }
  return result;
}
