import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { sharedText } from '../../src/base/shared-text.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Long in comparison with the maps themselves. */
const LONG = 'x'.repeat(200);

const held: ReadonlyMap<string, number>[] = [];

/** Returns the bytes that ten maps take, each with its own copies of this many texts. */
function bytesOf(count: number, shared: (text: string) => string): number {
  const maps = Array.from({ length: 10 }, () => new Map<string, number>());
  collect();
  held.push(...maps);
  const before = process.memoryUsage().heapUsed;
  for (let at = 0; at < count; at += 1) for (const map of maps) map.set(shared([LONG, at].join('/')), at);
  collect();
  const bytes = process.memoryUsage().heapUsed - before;
  expect(maps[0]?.size).toBe(count);
  return bytes;
}

describe('a shared text', () => {
  it.each(['', 'a', '7', '__proto__', 'constructor', 'grüße', 'x'.repeat(10_000)])(
    'is the same text: %.20s',
    (text) => {
      expect(sharedText(text)).toBe(text);
    },
  );

  it('is stored once for ten maps with their own copies', () => {
    expect(bytesOf(5_000, sharedText)).toBeLessThan(0.5 * bytesOf(5_000, (text) => text));
  });
});
