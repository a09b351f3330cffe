import { describe, expect, test } from 'vitest';
import { type Applied, secretDigest } from '../../../src/model/recorded/baseline.ts';
import type { DesiredSecrets } from '../../../src/model/desired/desired-deployment.ts';
import type { ObservedSecret } from '../../../src/model/external/observation.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { judgeSecrets, type SecretsJudgement } from '../../../src/model/compare/judge-secrets.ts';
import type { SecretsContext } from '../../../src/model/compare/secrets-guard.ts';
import { anObserved, digestsWith, secretsOf } from '../../support/resources/builders.ts';

const DIGESTS = digestsWith();

/** Returns the recorded state after `values` were sent and a list showed their names. */
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

/** Secrets as a service shows them: `name` for masked, or `name=value`. */
function shown(...entries: readonly string[]): readonly ObservedSecret[] {
  return entries.map((entry) => {
    const [name = '', value] = entry.split('=');
    return value === undefined ? { name } : { name, value: new SecretValue(value) };
  });
}

/** A masked list, on a connection without learned facts. */
const CONTEXT: SecretsContext = {
  ownership: 'Guarded',
  secretsListed: true,
  secretsPlain: false,
  visibility: undefined,
  revisionMoved: false,
  plainLists: { current: false, seen: [] },
  listsMerge: false,
  listed: true,
  listShowsWrites: true,
  listFollowsWrites: true,
  leftOutOrLost: [],
  listIsNewer: false,
  createdByUs: false,
  holdUnproven: false,
};

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
  /** Values that earlier counted as plain text look masked. */
  readonly masked?: boolean;
}

const ONE = secretsOf({ A: '1' });
const SENT = appliedOf({ A: '1' });
/** A was sent. The list omits GONE, which we had applied before. */
const REMOVED: Applied = { ...SENT, secrets: new Map([...SENT.secrets, ['GONE', '']]) };

const ROWS: readonly Row[] = [
  {
    name: 'no secrets in the spec',
    because: 'an unmanaged field is never compared',
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
    because: 'no list contradicts it',
    applied: SENT,
    observed: undefined,
    want: 'in-sync',
  },
  {
    name: 'sent and never listed, and an empty list shown',
    because: 'some services never show secrets',
    applied: { ...SENT, fields: new Map([['secrets', { a: 'A' }]]) },
    observed: [],
    want: 'in-sync',
  },
  {
    name: 'the same, after a write that left it out',
    because: 'lists show the secrets of others, so it is gone',
    applied: { ...SENT, fields: new Map([['secrets', { a: 'A' }]]) },
    observed: [],
    context: { leftOutOrLost: ['secrets'] },
    want: 'drift',
    names: ['A'],
  },
  {
    name: 'the same, and no list of the connection has shown a secret',
    because: 'the list may hide secrets of others, which ours would remove',
    applied: { ...SENT, fields: new Map([['secrets', { a: 'A' }]]) },
    observed: [],
    context: { leftOutOrLost: ['secrets'], secretsListed: false },
    want: 'in-sync',
  },
  {
    name: 'the same under Exclusive',
    because: 'our list is the whole list',
    applied: { ...SENT, fields: new Map([['secrets', { a: 'A' }]]) },
    observed: [],
    context: { leftOutOrLost: ['secrets.A'], secretsListed: false, ownership: 'Exclusive' },
    want: 'drift',
    names: ['A'],
  },
  {
    name: 'the same in a list that may be older than that write',
    because: 'the list need not show the secret yet',
    applied: { ...SENT, fields: new Map([['secrets', { a: 'A' }]]) },
    observed: [],
    context: { leftOutOrLost: ['secrets'], listShowsWrites: false },
    want: 'in-sync',
  },
  {
    name: 'listed after it was sent, and an empty list shown (H15)',
    because: 'the only name can be deleted too',
    applied: SENT,
    observed: [],
    want: 'drift',
    names: ['A'],
  },
  {
    name: 'the same, from a service that shows no names any more',
    because: 'an empty list proves nothing there',
    applied: SENT,
    observed: [],
    context: { visibility: 'Omitted' },
    want: 'in-sync',
  },
  {
    name: 'listed after it was sent, and no list shown',
    because: 'a hidden secret is not a missing one',
    applied: SENT,
    observed: undefined,
    want: 'in-sync',
  },
  {
    name: 'no name any more, and an empty list shown',
    because: 'another client has already emptied it',
    desired: secretsOf({}),
    applied: SENT,
    observed: [],
    want: 'in-sync',
  },
  {
    name: 'no name any more, and an empty list that is newer than one which showed our last write',
    because: 'another client has emptied it since',
    desired: secretsOf({}),
    applied: SENT,
    observed: [],
    context: { listShowsWrites: false, listIsNewer: true },
    want: 'in-sync',
  },
  {
    name: 'no name any more, and an empty list that may be older than our last write',
    because: 'that write may have set it',
    desired: secretsOf({}),
    applied: SENT,
    observed: [],
    context: { listShowsWrites: false },
    want: 'change',
    names: ['A'],
  },
  {
    name: 'no name any more, and an empty list on a connection without shown secrets',
    because: 'lists may hide it',
    desired: secretsOf({}),
    applied: SENT,
    observed: [],
    context: { secretsListed: false },
    want: 'change',
    names: ['A'],
  },
  {
    name: 'no name any more, and an empty list from a service that shows no names any more',
    because: 'an empty list proves nothing there',
    desired: secretsOf({}),
    applied: SENT,
    observed: [],
    context: { visibility: 'Omitted' },
    want: 'change',
    names: ['A'],
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
    because: 'we applied it, so we remove it',
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A', 'B'),
    want: 'change',
    names: ['B'],
  },
  {
    name: 'a name whose digest was lost with its write',
    because: 'it is sent again, and remains ours',
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
    because: 'it is irrelevant while no write is needed',
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
    name: 'a foreign name in the first list after ours was sent, Exclusive',
    because: 'it proves that names are shown; a later read would correct it anyway',
    applied: { ...SENT, fields: new Map([['secrets', { a: 'A' }]]) },
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
    because: 'a masked value cannot be sent back',
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
    because: 'it is sent back with ours',
    desired: secretsOf({ A: '2' }),
    applied: SENT,
    observed: shown('A=1', 'X=9'),
    context: { ownership: 'Merge', secretsPlain: true },
    want: 'change',
    names: ['A'],
  },
  {
    name: 'an empty list from a service that never listed any',
    because: 'unmanaged secrets may exist unseen',
    observed: [],
    context: { secretsListed: false },
    want: 'withheld',
    names: ['A'],
    reason: 'SecretVisibilityUnproven',
  },
  {
    name: 'the same, Exclusive',
    because: 'the user declared that no other secret exists',
    observed: [],
    context: { secretsListed: false, ownership: 'Exclusive' },
    want: 'first',
    names: ['A'],
  },
  {
    name: 'the same, on a deployment that we created',
    because: 'no other client has added any',
    observed: [],
    context: { secretsListed: false, createdByUs: true },
    want: 'first',
    names: ['A'],
  },
  {
    name: 'a name that is listed, without a record, and confirmation required',
    because: 'a masked value may equal ours, or be newer',
    observed: shown('A'),
    context: { holdUnproven: true },
    want: 'withheld',
    names: ['A'],
    reason: 'SecretVisibilityUnproven',
  },
  {
    name: 'the same, Exclusive',
    because: 'Exclusive declares the owner of the list, not the newer value',
    observed: shown('A', 'B'),
    context: { holdUnproven: true, ownership: 'Exclusive' },
    want: 'withheld',
    names: ['A', 'B'],
    reason: 'SecretVisibilityUnproven',
  },
  {
    name: 'a list that may hide secrets, Exclusive, and confirmation required',
    because: 'the existing secrets are invisible',
    observed: [],
    context: { holdUnproven: true, secretsListed: false, ownership: 'Exclusive' },
    want: 'withheld',
    names: ['A'],
    reason: 'SecretVisibilityUnproven',
  },
  {
    name: 'a name that is not listed, and confirmation required',
    because: 'it is new',
    observed: [],
    context: { holdUnproven: true },
    want: 'first',
    names: ['A'],
  },
  {
    name: 'another value than the sent one, and confirmation required',
    because: 'the record proves the change',
    desired: secretsOf({ A: '2' }),
    applied: SENT,
    observed: shown('A'),
    context: { holdUnproven: true },
    want: 'change',
    names: ['A'],
  },
  {
    name: 'a value changed by hand where values are plain',
    because: 'the change is visible',
    applied: SENT,
    observed: shown('A=9'),
    context: { secretsPlain: true, revisionMoved: true },
    want: 'drift',
    names: ['A'],
  },
  {
    name: 'the same beside another one of ours, without a new revision',
    because: 'the other secret proves that values are not masked',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A=9', 'B=2'),
    context: { secretsPlain: true },
    want: 'drift',
    names: ['A'],
  },
  {
    name: 'all values shown in another form at once, without a new revision',
    because: 'the service began to mask',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A=a…', 'B=b…'),
    context: { secretsPlain: true },
    want: 'in-sync',
    masked: true,
  },
  {
    name: 'all our values changed at once, beside one of somebody else as it was',
    because: 'a service that began to mask would mask that one too',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A=8', 'B=9', 'F=theirs'),
    context: {
      ownership: 'Merge',
      secretsPlain: true,
      plainLists: { current: false, seen: shown('A=1', 'B=2', 'F=theirs') },
    },
    want: 'drift',
    names: ['A', 'B'],
  },
  {
    name: 'all our values changed at once, and one of somebody else too',
    because: 'the service began to mask',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A=8', 'B=9', 'F=other'),
    context: {
      ownership: 'Merge',
      secretsPlain: true,
      plainLists: { current: false, seen: shown('A=1', 'B=2', 'F=theirs') },
    },
    want: 'in-sync',
    masked: true,
  },
  {
    name: 'all our values changed at once, beside a mask of somebody else as it was',
    because: 'a mask proves nothing about values',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A=8', 'B=9', 'F=th…rs'),
    context: {
      ownership: 'Merge',
      secretsPlain: true,
      plainLists: { current: false, seen: shown('A=1', 'B=2', 'F=th…rs') },
    },
    want: 'in-sync',
    masked: true,
  },
  {
    name: 'all our values changed, one of them as it was beside another one as applied',
    because: 'somebody edited one after the other, and a mask would not stand beside a plain value',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A=8', 'B=9'),
    context: {
      secretsPlain: true,
      plainLists: { current: false, seen: shown('A=8', 'B=2') },
    },
    want: 'drift',
    names: ['A', 'B'],
  },
  {
    name: 'all our values changed, the one that somebody had edited too',
    because: 'the service began to mask',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A=7', 'B=9'),
    context: {
      secretsPlain: true,
      plainLists: { current: false, seen: shown('A=8', 'B=2') },
    },
    want: 'in-sync',
    masked: true,
  },
  {
    name: 'all our values changed, one of them to a piece that stood beside another one as applied',
    because: 'the service masks the other one now too',
    desired: secretsOf({ A: 'one-two', B: '2' }),
    applied: appliedOf({ A: 'one-two', B: '2' }),
    observed: shown('A=one', 'B=9'),
    context: {
      secretsPlain: true,
      plainLists: { current: false, seen: shown('A=one', 'B=2') },
    },
    want: 'in-sync',
    masked: true,
  },
  {
    name: 'one name with two other values, without a new revision',
    because: 'the service appends to its list, and a single changed value is an edit',
    applied: SENT,
    observed: shown('A=8', 'A=9'),
    context: { secretsPlain: true },
    want: 'drift',
    names: ['A'],
  },
  ...['', '***', '••••'].map((mask): Row => ({
    name: `a value shown as "${mask}", with a new revision`,
    because: 'that is a mask',
    applied: SENT,
    observed: shown(`A=${mask}`),
    context: { secretsPlain: true, revisionMoved: true },
    want: 'in-sync',
    masked: true,
  })),
  {
    name: 'two values shown as one text, with a new revision',
    because: 'that is a mask',
    desired: secretsOf({ A: '1', B: '2' }),
    applied: appliedOf({ A: '1', B: '2' }),
    observed: shown('A=hidden', 'B=hidden'),
    context: { secretsPlain: true, revisionMoved: true },
    want: 'in-sync',
    masked: true,
  },
  {
    name: 'a foreign name shown as a mask and a rotation, Merge, values plain',
    because: 'a mask would be written as a value',
    desired: secretsOf({ A: '2' }),
    applied: SENT,
    observed: shown('A=1', 'X=***'),
    context: { ownership: 'Merge', secretsPlain: true },
    want: 'withheld',
    names: ['A'],
    reason: 'UnmanagedSecretsPresent',
  },
  ...['Masked', 'NamesOnly'].map((visibility): Row => ({
    name: `a foreign name and a rotation, Merge, values known to be ${visibility}`,
    because: 'only a person can resolve it',
    desired: secretsOf({ A: '2' }),
    applied: SENT,
    observed: shown('A', 'X'),
    context: { ownership: 'Merge', visibility },
    want: 'withheld',
    names: ['A'],
    reason: 'UnmanagedSecretsPresent',
  })),
  ...(['Guarded', 'Merge', 'Exclusive'] as const).flatMap((ownership): readonly Row[] => [
    {
      name: `a name that was removed and is still listed, ${ownership} (N7)`,
      because: 'sending the same list again would be a loop',
      applied: REMOVED,
      observed: shown('A', 'GONE'),
      context: { ownership },
      want: 'withheld',
      names: ['GONE'],
      reason: 'FieldNotClearable',
    },
    {
      name: `the same and a rotation, ${ownership} (H3)`,
      because: 'names that we applied are never guarded',
      desired: secretsOf({ A: '2' }),
      applied: REMOVED,
      observed: shown('A', 'GONE'),
      context: { ownership },
      want: 'change',
      names: ['A'],
    },
    {
      name: `the same and one of ours missing, ${ownership}`,
      because: 'drift is corrected nevertheless',
      desired: secretsOf({ A: '1', B: '2' }),
      applied: { ...REMOVED, secrets: new Map([...REMOVED.secrets, ...appliedOf({ B: '2' }).secrets]) },
      observed: shown('A', 'GONE'),
      context: { ownership },
      want: 'drift',
      names: ['B'],
    },
  ]),
  {
    name: 'a name that was removed and is not listed',
    because: 'it is removed',
    applied: REMOVED,
    observed: shown('A'),
    want: 'in-sync',
  },
  {
    name: 'a name that was removed by a list that was lost',
    because: 'the list goes once more',
    desired: secretsOf({}),
    applied: { ...NOTHING, secrets: new Map([['GONE', '']]) },
    observed: shown('GONE'),
    want: 'first',
    names: ['GONE'],
  },
  {
    name: 'an empty list that was declared, Exclusive, over one that is there',
    because: 'it is a response to the existing list',
    desired: secretsOf({}),
    observed: shown('X'),
    context: { ownership: 'Exclusive' },
    want: 'first',
    names: ['X'],
  },
  {
    name: 'an empty list that was sent, and names that it dropped',
    because: 'it is sent once',
    desired: secretsOf({}),
    applied: { ...appliedOf({}), secrets: new Map([['X', '']]) },
    observed: shown('X'),
    context: { ownership: 'Exclusive' },
    want: 'withheld',
    names: ['X'],
    reason: 'FieldNotClearable',
  },
  {
    name: 'an empty list that was sent, and a name that appeared since',
    because: 'another client added it',
    desired: secretsOf({}),
    applied: appliedOf({}),
    observed: shown('X'),
    context: { ownership: 'Exclusive' },
    want: 'drift',
    names: ['X'],
  },
  {
    name: 'digests of a lost key',
    because: 'the applied state is adopted and digested again',
    desired: secretsOf({ A: '2' }),
    applied: { ...SENT, secrets: new Map([['A', '']]), keyLost: true },
    observed: shown('A', 'X'),
    want: 'in-sync',
  },
  {
    name: 'digests of a lost key, for withheld secrets (H56)',
    because: 'they were never applied',
    desired: secretsOf({ A: '2' }),
    applied: { ...NOTHING, keyLost: true },
    observed: shown('A', 'X'),
    want: 'withheld',
    names: ['A', 'X'],
    reason: 'UnmanagedSecretsPresent',
  },
];

describe('the decision on secrets', () => {
  test.each(ROWS)('$name: $want, since $because', (row) => {
    const { secrets: _, ...bare } = anObserved();
    const observed = row.observed === undefined ? bare : { ...bare, secrets: row.observed };
    const context = { ...CONTEXT, ...row.context };
    const judged = judgeSecrets(row.desired ?? ONE, row.applied ?? NOTHING, observed, context, DIGESTS);
    expect([judged.verdict, judged.names, judged.withheld?.reason, judged.masked]).toEqual([
      row.want,
      row.names ?? [],
      row.reason,
      row.masked ?? false,
    ]);
  });

  test('counts an empty list as shown only if no secret remains', () => {
    const context: SecretsContext = { ...CONTEXT, ownership: 'Exclusive', secretsPlain: true };
    const isShown = (...entries: readonly string[]): boolean =>
      judgeSecrets(
        secretsOf({}),
        appliedOf({ A: '1' }),
        anObserved({ secrets: shown(...entries) }),
        context,
        DIGESTS,
      ).shownAsSent;
    expect(isShown('A=1'), 'the request may be under way').toBe(false);
    expect(isShown()).toBe(true);
  });

  test('counts a secret that it left out and that is declared again as there only in a list from after the last write', () => {
    const applied = { ...appliedOf({}), secrets: new Map([['A', '']]) };
    const observed = anObserved({ secrets: shown('A=1') });
    const again = (listFollowsWrites: boolean): readonly string[] => {
      const context = { ...CONTEXT, listShowsWrites: false, listFollowsWrites };
      return [
        ...judgeSecrets(secretsOf({ A: '1' }), applied, observed, context, DIGESTS).alreadyThere.keys(),
      ];
    };
    expect(again(true)).toEqual(['A']);
    expect(again(false)).toEqual([]);
  });

  test('calls a value new only if it differs from the applied one and is no mask itself', () => {
    const isNew = (value: string): boolean =>
      judgeSecrets(secretsOf({ A: value }), appliedOf({ A: '1' }), anObserved(), CONTEXT, DIGESTS).isNew;
    expect([isNew('2'), isNew('1'), isNew(''), isNew('***')]).toEqual([true, false, false, false]);
  });

  test('binds a digest to the name, so that two secrets of one value do not look alike', () => {
    const { digests } = judgeSecrets(
      secretsOf({ A: 'same', B: 'same' }),
      NOTHING,
      anObserved(),
      { ...CONTEXT, ownership: 'Exclusive' },
      DIGESTS,
    );
    expect(new Set(digests.values()).size).toBe(2);
    expect(JSON.stringify([...digests])).not.toContain('same');
  });
});
