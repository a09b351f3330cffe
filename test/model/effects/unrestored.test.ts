import { describe, expect, it } from 'vitest';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { divided } from '../../../src/model/effects/unrestored.ts';
import { anObserved } from '../../support/resources/builders.ts';

/** Splits the loss of a whole list of secrets with these names, all shown in plain text. */
function dividedList(names: readonly string[], { declared, applied }: Record<string, readonly string[]>) {
  const valued = (list: readonly string[] = []) =>
    list.map((name) => [name, new SecretValue(`value-of-${name}`)] as const);
  const before = anObserved({ secrets: valued(names).map(([name, value]) => ({ name, value })) });
  return divided(
    ['secrets'],
    { before, body: {}, endedMs: 0, dueMs: 0 },
    {
      desired: { kind: 'resolved', values: new Map(valued(declared)), references: [] },
      applied: new Map((applied ?? []).map((name) => [name, 'digest'])),
      trust: { secretsPlain: true, plainLists: { current: true, seen: [] } },
      exclusive: false,
    },
  );
}

describe('a list of secrets that our write emptied', () => {
  it('is not restored if it held only names that we removed', () => {
    const losses = dividedList(['REMOVED'], { declared: [], applied: ['REMOVED'] });
    expect(losses).toEqual({ lost: [], unrestored: [] });
  });

  it('is restored if it held an unmanaged secret, or one of ours', () => {
    const back = { lost: ['secrets'], unrestored: [] };
    expect(dividedList(['REMOVED', 'OTHER'], { declared: [], applied: ['REMOVED'] })).toEqual(back);
    expect(dividedList(['OURS'], { declared: ['OURS'], applied: ['OURS'] })).toEqual(back);
  });
});
