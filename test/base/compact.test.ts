import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compact } from '../../src/base/compact.ts';
import { SecretValue } from '../../src/base/secret-value.ts';

const copy = <T>(value: T): T => structuredClone(value);
const isFrozenWhole = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozenWhole));

describe('a compact object', () => {
  it('equals its source and is frozen throughout, regardless of the previous object', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, value) => {
        const kept = compact(copy(value), compact(copy(before)));
        expect(kept).toEqual(value);
        expect(isFrozenWhole(kept)).toBe(true);
      }),
      { seed: 13, numRuns: 500 },
    );
  });

  it('needs a limited stack, regardless of the depth of the input', () => {
    const deep = JSON.parse(`${'{"a":['.repeat(20_000)}1${']}'.repeat(20_000)}`) as object;
    const kept = compact(deep);
    expect(Object.isFrozen(kept)).toBe(true);
    expect(() => compact({ a: deep }, { a: kept })).not.toThrow();
  });

  it('shares unchanged parts with the previous version', () => {
    const before = compact({ spec: { list: [{ a: 1 }, { a: 2 }] }, status: { n: 1 } });
    const after = compact({ spec: { list: [{ a: 1 }, { a: 2 }] }, status: { n: 2 } }, before);
    expect(after.spec).toBe(before.spec);
    expect(after.status).toEqual({ n: 2 });
  });

  it.each<[string, unknown, unknown]>([
    ['a list that is shorter', [1, 2, 3], [1, 2]],
    ['a member that is gone', { a: 1, b: 2 }, { a: 1 }],
    ['a member that is new', { a: 1 }, { a: 1, b: undefined }],
    ['a list instead of an object', { 0: 'x' }, ['x']],
  ])('is not taken for an earlier version with %s', (_what, before, value) => {
    const kept = compact<unknown>(copy(value), compact(copy(before)));
    expect(kept).toStrictEqual(value);
  });

  it('keeps the value of a secret unchanged, never an earlier one', () => {
    const before = compact({ secrets: [{ name: 'TOKEN', value: new SecretValue('old') }] });
    const after = compact({ secrets: [{ name: 'TOKEN', value: new SecretValue('new') }] }, before);
    expect(after.secrets[0]?.value.reveal()).toBe('new');
  });

  it('is kept as it is if it is frozen already', () => {
    const value = Object.freeze({ metadata: Object.freeze({ name: 'a' }) });
    expect(compact(value)).toBe(value);
  });
});
