import { describe, expect, test } from 'vitest';
import { type Applied, secretDigest } from '../../src/model/baseline.ts';
import type { DesiredSecrets } from '../../src/model/desired.ts';
import type { ObservedSecret } from '../../src/model/observation.ts';
import { SecretValue } from '../../src/model/secret.ts';
import { judgeSecrets, type SecretsContext, type SecretsJudgement } from '../../src/model/secrets-diff.ts';
import { anObserved, digestsWith, secretsOf } from '../support/builders.ts';

const DIGESTS = digestsWith();

/** What is remembered after `values` were sent and their names were seen. */
function appliedOf(values: Readonly<Record<string, string>>): Applied {
  return {
    generation: 1,
    fields: new Map([['secrets', { a: 'A', b: 'B' }]]),
    secrets: new Map(
      Object.entries(values).map(([name, value]) => [
        name,
        secretDigest(name, new SecretValue(value), DIGESTS),
      ]),
    ),
    keyLost: false,
  };
}

const NOTHING: Applied = { fields: new Map(), secrets: new Map(), keyLost: false };

/** Secrets as a service shows them, `name` masked or `name=value`. */
function shown(...entries: readonly string[]): readonly ObservedSecret[] {
  return entries.map((entry) => {
    const [name = '', value] = entry.split('=');
    return value === undefined ? { name } : { name, value: new SecretValue(value) };
  });
}

interface Row {
  readonly name: string;
  readonly because: string;
  readonly desired?: DesiredSecrets;
  readonly applied?: Applied;
  readonly observed: readonly ObservedSecret[] | undefined;
  readonly context?: Partial<SecretsContext>;
  readonly want: SecretsJudgement['verdict'];
  readonly names?: readonly string[];
  readonly reason?: string;
}

const ONE = secretsOf({ A: '1' });
const SENT = appliedOf({ A: '1' });

const ROWS: readonly Row[] = [
  {
    name: 'no secrets in the spec',
    because: 'what is not managed is never compared',
    desired: { kind: 'unmanaged' },
    observed: shown('X'),
    want: 'unmanaged',
  },
  {
    name: 'a Secret that is missing',
    because: 'a shorter list would delete',
    desired: { kind: 'missing', what: ['Secret agent'], values: new Map() },
    applied: SENT,
    observed: shown('A'),
    want: 'withheld',
    reason: 'SecretMissing',
  },
  { name: 'the first list', because: 'it was never sent', observed: shown('A'), want: 'first', names: ['A'] },
  {
    name: 'sent, and listed by name',
    because: 'a mask is not a difference',
    applied: SENT,
    observed: shown('A=****'),
    want: 'in-sync',
  },
  {
    name: 'sent, and no list shown',
    because: 'nothing that is shown contradicts it',
    applied: SENT,
    observed: undefined,
    want: 'in-sync',
  },
  {
    name: 'sent, and an empty list shown',
    because: 'some services show no secrets at all',
    applied: SENT,
    observed: [],
    want: 'in-sync',
  },
  {
    name: 'a rotated value',
    because: 'our own digest changed',
    desired: secretsOf({ A: '2' }),
    applied: SENT,
    observed: shown('A'),
    want: 'change',
    names: ['A'],
  },
  {
    name: 'a name that left the spec',
    because: 'it is ours to remove',
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A', 'B'),
    want: 'change',
    names: ['B'],
  },
  {
    name: 'a name whose digest was lost with its write',
    because: 'it is sent again, and stays ours',
    applied: { ...SENT, secrets: new Map([['A', '']]) },
    observed: shown('A'),
    want: 'change',
    names: ['A'],
  },
  {
    name: 'a name missing at the service',
    because: 'the list shows others',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A'),
    want: 'drift',
    names: ['B'],
  },
  {
    name: 'a foreign name, Guarded',
    because: 'it is not our business while nothing has to be sent',
    applied: SENT,
    observed: shown('A', 'X'),
    want: 'in-sync',
  },
  {
    name: 'a foreign name and a rotation, Guarded',
    because: 'our list would drop it',
    desired: secretsOf({ A: '2' }),
    applied: SENT,
    observed: shown('A', 'X'),
    want: 'withheld',
    names: ['A'],
    reason: 'UnmanagedSecretsPresent',
  },
  {
    name: 'a foreign name, Exclusive',
    because: 'the managed set is the whole set',
    applied: SENT,
    observed: shown('A', 'X'),
    context: { ownership: 'Exclusive' },
    want: 'drift',
    names: ['X'],
  },
  {
    name: 'a foreign name that a merging service keeps, Exclusive',
    because: 'sending the same list again would be a loop',
    applied: SENT,
    observed: shown('A', 'X'),
    context: { ownership: 'Exclusive', listsMerge: true },
    want: 'withheld',
    names: ['X'],
    reason: 'FieldNotClearable',
  },
  {
    name: 'a foreign name and a rotation, Merge, values masked',
    because: 'what was not seen cannot be sent back',
    desired: secretsOf({ A: '2' }),
    applied: SENT,
    observed: shown('A', 'X'),
    context: { ownership: 'Merge' },
    want: 'withheld',
    names: ['A'],
    reason: 'SecretVisibilityUnproven',
  },
  {
    name: 'a foreign name and a rotation, Merge, values plain',
    because: 'it goes back with ours',
    desired: secretsOf({ A: '2' }),
    applied: SENT,
    observed: shown('A=1', 'X=9'),
    context: { ownership: 'Merge', secretsPlain: true },
    want: 'change',
    names: ['A'],
  },
  {
    name: 'an empty list from a service that never listed any',
    because: 'others may be there unseen',
    observed: [],
    context: { secretsListed: false },
    want: 'withheld',
    names: ['A'],
    reason: 'SecretVisibilityUnproven',
  },
  {
    name: 'the same, Exclusive',
    because: 'a person said that nothing else is there',
    observed: [],
    context: { secretsListed: false, ownership: 'Exclusive' },
    want: 'first',
    names: ['A'],
  },
  {
    name: 'the same, of a deployment that we made',
    because: 'nobody else put any there',
    observed: [],
    context: { secretsListed: false, createdByUs: true },
    want: 'first',
    names: ['A'],
  },
  {
    name: 'a value changed by hand where values are plain',
    because: 'it can be seen',
    applied: SENT,
    observed: shown('A=9'),
    context: { secretsPlain: true },
    want: 'drift',
    names: ['A'],
  },
  {
    name: 'an empty list that was declared, Exclusive, over one that is there',
    because: 'it is an answer to what is there',
    desired: secretsOf({}),
    observed: shown('X'),
    context: { ownership: 'Exclusive' },
    want: 'first',
    names: ['X'],
  },
  {
    name: 'an empty list that was sent, and names that stay',
    because: 'it is sent once',
    desired: secretsOf({}),
    applied: appliedOf({}),
    observed: shown('X'),
    context: { ownership: 'Exclusive' },
    want: 'withheld',
    names: ['X'],
    reason: 'FieldNotClearable',
  },
  {
    name: 'digests of a lost key',
    because: 'everything is taken as applied and digested again',
    desired: secretsOf({ A: '2' }),
    applied: { ...NOTHING, keyLost: true },
    observed: shown('A', 'X'),
    want: 'in-sync',
  },
];

describe('the decision on secrets', () => {
  test.each(ROWS)('$name: $want, since $because', (row) => {
    const { secrets: _, ...bare } = anObserved();
    const observed = row.observed === undefined ? bare : { ...bare, secrets: row.observed };
    const context: SecretsContext = {
      ownership: 'Guarded',
      secretsListed: true,
      secretsPlain: false,
      listsMerge: false,
      createdByUs: false,
      ...row.context,
    };
    const judged = judgeSecrets(row.desired ?? ONE, row.applied ?? NOTHING, observed, context, DIGESTS);
    expect([judged.verdict, judged.names, judged.withheld?.reason]).toEqual([
      row.want,
      row.names ?? [],
      row.reason,
    ]);
  });

  test('binds a digest to the name, so that two secrets of one value do not look alike', () => {
    const { digests } = judgeSecrets(
      secretsOf({ A: 'same', B: 'same' }),
      NOTHING,
      anObserved(),
      {
        ownership: 'Exclusive',
        secretsListed: true,
        secretsPlain: false,
        listsMerge: false,
        createdByUs: false,
      },
      DIGESTS,
    );
    expect(new Set(digests.values()).size).toBe(2);
    expect(JSON.stringify([...digests])).not.toContain('same');
  });
});
