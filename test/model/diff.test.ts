import { describe, expect, test } from 'vitest';
import { type Circumstances, type FieldDigests, judge, type Verdict } from '../../src/model/diff.ts';

interface Row extends Partial<Circumstances> {
  readonly name: string;
  readonly because: string;
  readonly given: FieldDigests;
  readonly want: Verdict;
}

const ROWS: readonly Row[] = [
  {
    name: 'applied and shown as after our write',
    because: 'in sync, however odd the shown value looks',
    given: { desired: 'D', applied: 'D', baseline: 'odd', shown: 'odd' },
    want: 'in-sync',
  },
  {
    name: 'applied, and someone set what we want',
    because: 'what is shown becomes the baseline',
    given: { desired: 'D', applied: 'D', baseline: 'odd', shown: 'D' },
    want: 'adopt',
  },
  {
    name: 'applied, and shown otherwise than after our write',
    because: 'that is drift',
    given: { desired: 'D', applied: 'D', baseline: 'D', shown: 'X' },
    want: 'drift',
  },
  {
    name: 'applied, shown otherwise while our write is still taking shape',
    because: 'rounding and resolved references appear late',
    given: { desired: 'D', applied: 'D', baseline: 'D', shown: 'X' },
    settling: true,
    want: 'settling',
  },
  {
    name: 'applied and not shown',
    because: 'an opaque field is sent only when it changes',
    given: { desired: 'D', applied: 'D' },
    want: 'in-sync',
  },
  {
    name: 'applied, was shown and is not any more',
    because: 'lists show the field, so somebody emptied it',
    given: { desired: 'D', applied: 'D', baseline: 'D' },
    want: 'drift',
  },
  {
    name: 'applied, and shown by the answer to our write alone so far',
    because: 'lists may never show it (N31)',
    given: { desired: 'D', applied: 'D', baseline: 'D' },
    notShown: 'settling',
    want: 'settling',
  },
  {
    name: 'applied, not shown before, and shown by the answer to a write of something else',
    because: 'lists may not show it, and would be taken for somebody who emptied it',
    given: { desired: 'D', applied: 'D', shown: 'D' },
    listed: false,
    want: 'in-sync',
  },
  {
    name: 'applied, and the shown value never moved with a write of ours',
    because: 'the service ignored it',
    given: { desired: 'D', applied: 'D', shown: 'X' },
    want: 'ignored',
  },
  {
    name: 'changed in the spec',
    because: 'a user change is sent',
    given: { desired: 'D2', applied: 'D', baseline: 'D', shown: 'D' },
    want: 'change',
  },
  {
    name: 'changed in the spec, and already so',
    because: 'another tool or a write of unknown outcome did it: no PATCH',
    given: { desired: 'D2', applied: 'D', baseline: 'D', shown: 'D2' },
    want: 'adopt',
  },
  {
    name: 'never applied and already so',
    because: 'a first bind or a lost status adopts equal fields',
    given: { desired: 'D', shown: 'D' },
    want: 'adopt',
  },
  {
    name: 'never applied and different',
    because: 'first application',
    given: { desired: 'D', shown: 'X' },
    want: 'first',
  },
  {
    name: 'never applied and not shown',
    because: 'an opaque field is sent once',
    given: { desired: 'D' },
    want: 'first',
  },
];

describe('the field decision', () => {
  test.each(ROWS)('$name: $want', ({ given, want, because, ...when }) => {
    const circumstances = { settling: false, notShown: 'drift', listed: true, ...when } as const;
    expect(judge(given, circumstances), because).toBe(want);
  });
});
