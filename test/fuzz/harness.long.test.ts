import { describe, expect, test } from 'vitest';
import { fuzzApart, workApart } from '../support/fuzz/apart.ts';
import type { TARGETS } from '../support/fuzz/harmful.ts';
import type { Limits } from '../support/fuzz/process.ts';
import type { Failure } from '../support/fuzz/run.ts';

const LIMITS: Limits = { heapMiB: 128, afterMs: 60_000 };

/** Returns the report about a harmful reader. */
async function foundOut(target: keyof typeof TARGETS, limits = LIMITS): Promise<Failure> {
  const { failure } = await fuzzApart({ file: 'harmful.ts', target }, { cases: 500, seed: 1 }, limits);
  expect(failure, 'harm was done').toBeDefined();
  return failure!;
}

describe('a reader is found out', { timeout: 70_000 }, () => {
  test.each([
    ['allocates memory without limit, though it keeps none of it', 'hungry', 60_000, /heap out of memory/],
    ['never ends', 'endless', 10_000, /was not done after 10000 ms/],
    ['ends its process', 'fatal', 60_000, /ended with SIGSEGV/],
    ['tells more than anybody reads', 'talkative', 60_000, /characters was told/],
  ] as const)('that %s, by the first input that is huge', async (_, target, afterMs, error) => {
    expect(await foundOut(target, { ...LIMITS, afterMs })).toEqual({
      from: 'lists in lists, in frame 0',
      error: expect.stringMatching(error),
    });
  });

  test.each([
    ['ends its process', 'fatalByChance', /ended with SIGSEGV/],
    ['throws an undeclared error', 'throwing', /JSON/],
    ['changes the prototype of all objects', 'polluting', /Object.prototype was changed/],
    ['exposes a secret', 'telling', /the secret was told/],
  ] as const)('that %s, with the input', async (_, target, error) => {
    const { error: found, input } = await foundOut(target);
    expect([String(input), found]).toEqual([
      expect.stringContaining('__proto__'),
      expect.stringMatching(error),
    ]);
  });

  test.each([
    ['replaces a built-in', 'replacing', /built in was changed/],
    ['retains its input', 'keeping', /are held for what was read/],
  ] as const)('that %s', async (_, target, error) => {
    expect((await foundOut(target)).error).toMatch(error);
  });

  test('whose work grows with the square of its input', async () => {
    const found = await workApart({ file: 'harmful.ts', targets: ['quadratic', 'talkative'] });
    expect(found).toContainEqual(
      expect.stringMatching(/^quadratic: many numbers, in frame 0: \d+ steps for /),
    );
    expect(found).not.toContainEqual(expect.stringContaining('talkative'));
  });
});
