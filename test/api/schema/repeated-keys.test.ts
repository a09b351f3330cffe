import { expect, test } from 'vitest';
import { repeatedKeys } from '../../../src/api/schema/repeated-keys.ts';
import type { Schema } from '../../../src/api/schema.ts';

const byName: Schema = { type: 'array', uniqueBy: ['name'], items: { type: 'object' } };
const schema: Schema = {
  properties: { secrets: byName },
  additionalProperties: { type: 'array', items: { properties: { headers: byName } } },
};

test.each([
  [
    'a second entry of one name',
    { secrets: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
    ['secrets[2].name'],
  ],
  [
    'a list in a list, in a map',
    { others: [{ headers: [{ name: 'a' }, { name: 'a' }] }] },
    ['others[0].headers[1].name'],
  ],
  ['names that differ', { secrets: [{ name: 'a' }, { name: 'A' }] }, []],
  ['entries without a name', { secrets: [{}, {}, 'a', 'a'] }, []],
  ['values of other types', { secrets: 'a', others: { headers: 1 } }, []],
])('%s', (_, document, paths) => {
  expect(repeatedKeys(document, schema).map(({ path }) => path)).toEqual(paths);
});

test('what is said names both entries', () => {
  expect(repeatedKeys({ secrets: [{ name: 'a' }, { name: 'a' }] }, schema)).toMatchObject([
    { message: 'repeats the name of entry 0', expected: 'each name once' },
  ]);
});
