import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CorruptLineError,
  jsonLines,
  TruncatedStreamError,
} from '../../../src/kubernetes/objects/json-lines.ts';
import { collected } from '../../support/collected.ts';

async function* pieces(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

async function all(...parts: readonly (string | Uint8Array)[]): Promise<unknown[]> {
  return await collected(jsonLines(pieces(...parts)));
}

describe('jsonLines', () => {
  it('returns one object for each line, wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }), number: fc.integer() }), {
          maxLength: 5,
        }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (objects, sizes) => {
          const bytes = Buffer.from(objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
          const chunks: Uint8Array[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          expect(await all(...chunks)).toEqual(objects);
        },
      ),
      { seed: 3, numRuns: 100 },
    );
  });

  it('does not end a line at a raw U+2028, U+2029 or carriage return', async () => {
    expect(await all('{"a":"x\u2028y\u2029z"}\r\n{"a":2}\n')).toEqual([{ a: 'x\u2028y\u2029z' }, { a: 2 }]);
  });

  it('skips blank lines and accepts a complete last line without a newline', async () => {
    expect(await all('\n{"a":1}\n\n', '{"a":2}')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('reports that a stream was cut in the middle of a line, after the lines before', async () => {
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const object of jsonLines(pieces('{"a":1}\n{"a":'))) seen.push(object);
    })();
    await expect(reading).rejects.toThrow(TruncatedStreamError);
    expect(seen).toEqual([{ a: 1 }]);
  });

  it('refuses an endless line before it fills the memory', async () => {
    let told = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; told < 64; told += 1) yield Buffer.alloc(1024 * 1024, 'x');
    }
    const reading = (async () => {
      for await (const _ of jsonLines(endless()));
    })();
    await expect(reading).rejects.toThrow(CorruptLineError);
    expect(told).toBeLessThanOrEqual(17);
  });

  it.each([
    ['text that is not JSON', '{"password": hunter2}\n'],
    ['JSON that is not an object', '["hunter2"]\n'],
    [
      'bytes that are not UTF-8',
      Buffer.concat([Buffer.from('{"a":"hunter2'), Buffer.from([0xff]), Buffer.from('"}\n')]),
    ],
  ])('refuses %s without repeating it', async (_name, line) => {
    const error = await all(line).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CorruptLineError);
    expect(JSON.stringify([String(error), error])).not.toContain('hunter2');
  });
});
