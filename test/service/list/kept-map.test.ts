import { expect, it } from 'vitest';
import { KeptMap } from '../../../src/service/list/kept-map.ts';
import { KeptRoom } from '../../../src/service/limits/kept-room.ts';

const aRoom = () => new KeptRoom({ keptBytes: 5_000, sweptBytes: 0 });
const LONG = 'x'.repeat(1_000);

it('the map keeps as much as there is room for', () => {
  const kept = new KeptMap<string>(aRoom().share('a'));
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(ids.filter((id) => kept.set(id, LONG))).toEqual(['a', 'b', 'c', 'd']);
  expect([kept.has('d'), kept.has('e')]).toEqual([true, false]);
  kept.delete('a');
  kept.delete('a');
  expect(kept.set('e', LONG)).toBe(true);
  expect(kept.entries().map(([id]) => id)).toEqual(['b', 'c', 'd', 'e']);
});

it('the map counts a replaced entry once, and drops an entry that has become too large', () => {
  const room = aRoom();
  const kept = new KeptMap<string>(room.share('a'));
  for (let n = 0; n < 10; n += 1) expect(kept.set('a', LONG)).toBe(true);
  expect(kept.set('a', LONG.repeat(5))).toBe(false);
  expect(kept.get('a')).toBeUndefined();
  expect(kept.set('b', LONG.repeat(4))).toBe(true);
  kept.clear();
  expect(() => room.share('a').take({ read: 0, kept: 5_000 })).not.toThrow();
});
