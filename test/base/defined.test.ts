import { expect, test } from 'vitest';
import { defined } from '../../src/base/defined.ts';

test('members without a value are removed, and others are unchanged', () => {
  const given: { a?: number; b: string | undefined; c: null; d: boolean } = {
    b: undefined,
    c: null,
    d: false,
  };
  const result: { a?: number; b?: string; c: null; d: boolean } = defined(given);
  expect(result).toStrictEqual({ c: null, d: false });
});
