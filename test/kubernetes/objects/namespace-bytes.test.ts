import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { compact } from '../../../src/base/compact.ts';
import { memoryOf } from '../../../src/kubernetes/objects/namespace-bytes.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const COPIES = 40;
const PARTS = 4_000;

/** Returns the memory that copies of an object with such parts keep, for each copy. */
function measured(part: (n: number) => string): { readonly kept: number; readonly counted: number } {
  let n = 0;
  const texts = Array.from({ length: COPIES }, () =>
    Buffer.from(`{"spec":[${Array.from({ length: PARTS }, () => part((n += 1))).join(',')}]}`),
  );
  collect();
  const before = process.memoryUsage().heapUsed;
  const objects = texts.map((text): unknown => compact(JSON.parse(text.toString())));
  collect();
  const kept = (process.memoryUsage().heapUsed - before) / COPIES;
  return { kept, counted: memoryOf(objects[0]) };
}

describe('the counted memory of an object', () => {
  it.each<{ what: string; part: (n: number) => string }>([
    { what: 'empty objects', part: () => '{}' },
    { what: 'empty lists', part: () => '[]' },
    { what: 'lists in lists', part: () => '[[[[[[[[]]]]]]]]' },
    { what: 'numbers', part: (n) => `${n}.5` },
    { what: 'objects with names of their own', part: (n) => `{"${n.toString(36)}x":1}` },
    { what: 'objects with numbers for names', part: () => '{"999":1}' },
    { what: 'short texts', part: (n) => `"${n.toString(36)}"` },
    { what: 'texts beyond Latin-1', part: (n) => `"${n}${'ő'.repeat(100)}"` },
  ])('is no less than what it takes where it is made of $what', ({ part }) => {
    const { kept, counted } = measured(part);
    expect(kept).toBeLessThan(1.15 * counted);
  });

  it('is not much more than the real memory for an ordinary resource', () => {
    const secrets = Array.from({ length: 20 }, (_, n) => ({
      name: `SECRET_${n}`,
      valueFrom: { secretKeyRef: { name: 'credentials', key: `key-${n}` } },
    }));
    expect(memoryOf({ metadata: { name: 'a' }, spec: { source: 'github', secrets } })).toBeLessThan(10_000);
  });
});
