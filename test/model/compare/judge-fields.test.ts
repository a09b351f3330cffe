import { describe, expect, test } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { desiredDeployment } from '../../../src/model/desired/desired-deployment.ts';
import {
  type Circumstances,
  type FieldDigests,
  judge,
  judgeFields,
  type Judgement,
  type Open,
  openOf,
  stillOpen,
  type Verdict,
} from '../../../src/model/compare/judge-fields.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { anObserved, digestsWith } from '../../support/resources/builders.ts';

interface Row extends Partial<Circumstances> {
  readonly name: string;
  readonly because: string;
  readonly given: FieldDigests;
  readonly want: Verdict;
}

const ROWS: readonly Row[] = [
  {
    name: 'applied and shown as after our write',
    because: 'in sync, even if the shown value looks different',
    given: { desired: 'D', applied: 'D', baseline: 'odd', shown: 'odd' },
    want: 'in-sync',
  },
  {
    name: 'applied, and another client set the declared value',
    because: 'the shown value becomes the baseline',
    given: { desired: 'D', applied: 'D', baseline: 'odd', shown: 'D' },
    want: 'adopt',
  },
  {
    name: 'applied, was shown in another form, and shown as declared by the answer to a write',
    because: 'the earlier form is corrected, regardless of the source',
    given: { desired: 'D', applied: 'D', baseline: 'odd', shown: 'D' },
    listed: false,
    want: 'adopt',
  },
  {
    name: 'applied, never shown, and now listed as declared',
    because: 'a shown value can later count as missing',
    given: { desired: 'D', applied: 'D', shown: 'D' },
    want: 'adopt',
  },
  {
    name: 'applied, and shown in another form than after our write',
    because: 'that is drift',
    given: { desired: 'D', applied: 'D', baseline: 'D', shown: 'X' },
    want: 'drift',
  },
  {
    name: 'applied, shown in another form while our write is still settling',
    because: 'rounding and resolved references appear late',
    given: { desired: 'D', applied: 'D', baseline: 'D', was: 'old', shown: 'X' },
    settling: true,
    want: 'settling',
  },
  {
    name: 'applied, shown as before our write while that write is still settling',
    because: 'no service normalizes our value to the previous one: another client restored it (B3)',
    given: { desired: 'D', applied: 'D', baseline: 'D', was: 'old', shown: 'old' },
    settling: true,
    want: 'drift',
  },
  {
    name: 'applied, and shown in another form for the second time while our write is still settling',
    because: 'the service normalizes a value once for each write (B3)',
    given: { desired: 'D', applied: 'D', baseline: 'odd', shown: 'X' },
    settling: true,
    want: 'drift',
  },
  {
    name: 'applied, shown as empty by the answer to a later write, and empty in a list although lists show it',
    because: 'that is no form of the value: the later write emptied it',
    given: { desired: 'D', applied: 'D', baseline: 'none', was: 'none', shown: 'none' },
    emptied: true,
    want: 'ignored',
  },
  {
    name: 'applied, shown in another form by the answer to a later write, and so in a list',
    because: 'that may be the form that the service gave it',
    given: { desired: 'D', applied: 'D', baseline: 'odd', was: 'odd', shown: 'odd' },
    want: 'in-sync',
  },
  {
    name: 'applied and not shown',
    because: 'an opaque field is sent only when it changes',
    given: { desired: 'D', applied: 'D' },
    want: 'in-sync',
  },
  {
    name: 'applied, shown before and no longer shown',
    because: 'lists show the field, so another client emptied it',
    given: { desired: 'D', applied: 'D', baseline: 'D' },
    want: 'drift',
  },
  {
    name: 'applied, and so far shown only by the answer to our write',
    because: 'lists may never show it (N31)',
    given: { desired: 'D', applied: 'D', baseline: 'D' },
    notShown: 'settling',
    want: 'settling',
  },
  {
    name: 'shown in another form by the first list after an answer without content',
    because: 'the list replaces the answer, and the service normalizes the value (N14)',
    given: { desired: 'D', applied: 'D', was: 'before', shown: 'rounded' },
    standsIn: true,
    want: 'settling',
  },
  {
    name: 'shown as before the write by the first list after an answer without content',
    because: 'the value never changed',
    given: { desired: 'D', applied: 'D', was: 'before', shown: 'before' },
    standsIn: true,
    want: 'ignored',
  },
  {
    name: 'shown in another form by a list, although the answer showed the write and not this value',
    because: 'the value may come from another client',
    given: { desired: 'D', applied: 'D', was: 'before', shown: 'rounded' },
    want: 'ignored',
  },
  {
    name: 'a text that was not shown before, and comes back in another form in the answer only',
    because: 'the service may have kept the old value (B6)',
    given: { desired: 'D', applied: 'D', baseline: 'X', was: '', shown: 'X' },
    ...{ exact: true, listed: false },
    want: 'ignored',
  },
  {
    name: 'a text that was not shown before, and that a list shows in the other form as well',
    because: 'lists show the field, so it was empty: the service normalizes the text',
    given: { desired: 'D', applied: 'D', baseline: 'X', was: '', shown: 'X' },
    exact: true,
    want: 'in-sync',
  },
  {
    name: 'a number that was not shown before, and comes back in another form in the answer only',
    because: 'services round numbers',
    given: { desired: 'D', applied: 'D', baseline: 'X', was: '', shown: 'X' },
    listed: false,
    want: 'in-sync',
  },
  {
    name: 'a text that came back in another form, and that no list shows',
    because: 'only a value that changed with our write is a normalized form (B6)',
    given: { desired: 'D', applied: 'D', baseline: 'X' },
    ...{ exact: true, inLists: false, notShown: 'settling' as const },
    want: 'ignored',
  },
  {
    name: 'a text that came back unchanged, and that no list shows',
    because: 'lists may never show it (N31)',
    given: { desired: 'D', applied: 'D', baseline: 'D' },
    ...{ exact: true, inLists: false, notShown: 'settling' as const },
    want: 'settling',
  },
  {
    name: 'applied, not shown before, and shown by the answer to a write of another field',
    because: 'lists may not show it, and it would count as emptied by another client',
    given: { desired: 'D', applied: 'D', shown: 'D' },
    listed: false,
    want: 'in-sync',
  },
  {
    name: 'applied, and the shown value never changed with our writes',
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
    name: 'changed in the spec, and already at the service',
    because: 'another tool or a write of unknown outcome set it: no PATCH',
    given: { desired: 'D2', applied: 'D', baseline: 'D', shown: 'D2' },
    want: 'adopt',
  },
  {
    name: 'applied, never shown, where lists show it of other deployments',
    because: 'an accepted text would be shown',
    given: { desired: 'D', applied: 'D' },
    telling: true,
    want: 'ignored',
  },
  {
    name: 'applied, never shown, where lists never show it',
    because: 'nothing is known of it',
    given: { desired: 'D', applied: 'D' },
    telling: true,
    inLists: false,
    want: 'in-sync',
  },
  {
    name: 'applied, never shown, and not a text',
    because: 'a service may omit a default value',
    given: { desired: 'D', applied: 'D' },
    want: 'in-sync',
  },
  {
    name: 'must be empty, and omitted by a list for the first time',
    because: 'the service did not keep it, so a later value comes from another client',
    given: { desired: '', applied: '', was: 'X' },
    empty: true,
    want: 'adopt',
  },
  {
    name: 'must be empty, and omitted by a list again',
    because: 'nothing is to be sent',
    given: { desired: '', applied: '', baseline: '' },
    empty: true,
    want: 'in-sync',
  },
  {
    name: 'must be empty, was empty, and is filled',
    because: 'another client filled it',
    given: { desired: '', applied: '', baseline: '', was: 'X', shown: 'X' },
    want: 'drift',
  },
  {
    name: 'must be empty, and never omitted',
    because: 'the service keeps its value',
    given: { desired: '', applied: '', was: 'X', shown: 'X' },
    want: 'ignored',
  },
  {
    name: 'never applied and already equal',
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
    const ordinary = {
      settling: false,
      standsIn: false,
      notShown: 'drift',
      listed: true,
      inLists: true,
      exact: false,
      telling: false,
      empty: false,
    } as const;
    const circumstances = { ...ordinary, ...when };
    expect(judge(given, circumstances), because).toBe(want);
  });
});

const DIGESTS = digestsWith();
const COMMIT = 'a'.repeat(40);
const IMAGE = 'sourceRevisionConfig.imageURI';
const URL = 'sourceConfig.customURL';
const REF = 'sourceRevisionConfig.repoRef';

interface FieldRow {
  readonly name: string;
  readonly spec: Partial<DeploymentSpec>;
  /** Values that were applied and then shown, by path. With `keyLost` their digests are unusable. */
  readonly applied?: Readonly<
    Record<string, { readonly a: string; readonly b?: string; readonly was?: string }>
  >;
  readonly keyLost?: boolean;
  readonly settling?: boolean;
  readonly notShown?: Verdict;
  readonly observed: Partial<ObservedDeployment>;
  readonly want: Verdict;
}

const FIELDS: readonly FieldRow[] = [
  {
    name: 'applied under a lost key is adopted unchanged',
    spec: { sourceConfig: { customURL: 'D' } },
    applied: { [URL]: { a: '' } },
    keyLost: true,
    observed: { sourceConfig: { fields: { customURL: 'X' } } },
    want: 'adopt',
  },
  {
    name: 'never applied under the lost key is sent',
    spec: { sourceConfig: { customURL: 'D' } },
    applied: {},
    keyLost: true,
    observed: { sourceConfig: { fields: { customURL: 'X' } } },
    want: 'first',
  },
  {
    name: 'shown as the commit that the applied branch was resolved to is no drift (H5)',
    spec: { sourceRevisionConfig: { repoRef: 'main' } },
    applied: { [REF]: { a: 'main', b: 'main' } },
    observed: { sourceRevisionConfig: { fields: { repoRef: COMMIT }, repoCommitSHA: COMMIT } },
    want: 'in-sync',
  },
  {
    name: 'shown as a commit proves nothing about another branch (H5)',
    spec: { sourceRevisionConfig: { repoRef: 'release' } },
    applied: { [REF]: { a: 'main', b: 'main' } },
    observed: { sourceRevisionConfig: { fields: { repoRef: COMMIT }, repoCommitSHA: COMMIT } },
    want: 'change',
  },
  {
    name: 'shown in another form while our revision is settling settles',
    spec: { sourceRevisionConfig: { imageURI: 'D' } },
    applied: { [IMAGE]: { a: 'D', b: 'D', was: 'old' } },
    settling: true,
    observed: { sourceRevisionConfig: { fields: { imageURI: 'X' } } },
    want: 'settling',
  },
  {
    name: 'shown as null while our revision is settling was emptied (B3)',
    spec: { sourceRevisionConfig: { imageURI: 'D' } },
    applied: { [IMAGE]: { a: 'D', b: 'D', was: 'old' } },
    settling: true,
    observed: { sourceRevisionConfig: { fields: { imageURI: null } } },
    want: 'drift',
  },
  {
    name: 'without a revision does not settle',
    spec: { sourceConfig: { customURL: 'D' } },
    applied: { [URL]: { a: 'D', b: 'D', was: 'old' } },
    settling: true,
    observed: { sourceConfig: { fields: { customURL: 'X' } } },
    want: 'drift',
  },
  {
    name: 'missing from a block that is shown was emptied',
    spec: { sourceConfig: { customURL: 'D' } },
    applied: { [URL]: { a: 'D', b: 'D' } },
    observed: { sourceConfig: { fields: {} } },
    want: 'drift',
  },
  ...(['drift', 'in-sync'] as const).map((want) => ({
    name: `of a branch that ${want === 'drift' ? 'somebody emptied' : 'lists may hide'} and that a new process does not see`,
    spec: { source: 'codehost' as const, sourceRevisionConfig: { repoRef: 'D' } },
    applied: { 'sourceRevisionConfig.repoRef': { a: 'D', b: want === 'drift' ? '' : 'D' } },
    notShown: 'in-sync' as const,
    observed: { sourceRevisionConfig: { fields: {}, repoCommitSHA: 'c'.repeat(40) } },
    want,
  })),
  ...(['sourceConfig', 'sourceRevisionConfig'] as const).map((block) => ({
    name: `of ${block} that is not shown at all is unknown (N31)`,
    spec: block === 'sourceConfig' ? { sourceConfig: { customURL: 'D' } } : { [block]: { imageURI: 'D' } },
    applied: { [URL]: { a: 'D', b: 'D' }, [IMAGE]: { a: 'D', b: 'D' } },
    observed: { [block]: undefined },
    want: 'in-sync' as const,
  })),
];

describe('a field', () => {
  test.each(FIELDS)(
    '$name',
    ({ spec, applied = {}, keyLost = false, settling = false, notShown = 'drift', observed, want }) => {
      const desired = desiredDeployment({ source: 'external_container', ...spec }, { kind: 'unmanaged' });
      const digest = (path: string, value: string | undefined): string | undefined =>
        value === undefined || value === ''
          ? value
          : DIGESTS.bind('field', path, DIGESTS.part(`${path}\n${JSON.stringify(value)}`));
      const fields = new Map(
        Object.entries(applied).map(([path, { a, b, was }]) => [
          path,
          {
            a: digest(path, a) ?? '',
            ...(b === undefined ? {} : { b: digest(path, b) ?? '' }),
            ...(was === undefined ? {} : { was: digest(path, was) ?? '' }),
          },
        ]),
      );
      const judged = judgeFields(desired, { fields, secrets: new Map(), keyLost }, anObserved(observed), {
        settling: () => settling,
        standsIn: () => false,
        emptyInList: () => true,
        isGone: () => false,
        isDropped: () => false,
        unseen: () => false,
        notShown: () => notShown,
        listed: true,
        inLists: () => true,
        digests: DIGESTS,
      });
      expect(judged.map(({ verdict }) => verdict)).toEqual([want]);
      if (keyLost && want === 'adopt') expect(judged[0]?.digests.applied).toBe(judged[0]?.digests.desired);
    },
  );
});

describe('a field that was open before', () => {
  const [wanted] = desiredDeployment(
    { source: 'external_container', sourceConfig: { customURL: 'D' } },
    { kind: 'unmanaged' },
  ).fields;
  if (wanted === undefined) throw new Error('no field');
  const judged = (shown: string | undefined): Judgement => ({
    desired: wanted,
    shown,
    digests: { desired: 'D', applied: 'D', baseline: 'B', shown },
    verdict: 'in-sync',
  });

  test.each<{
    name: string;
    before: Verdict;
    shown?: string;
    asked?: boolean;
    isOlder?: boolean;
    want: Verdict;
  }>([
    { name: 'and is still not shown stays missing', before: 'drift', want: 'drift' },
    { name: 'and is shown as after our write is restored', before: 'drift', shown: 'B', want: 'in-sync' },
    { name: 'and is not shown stays ignored', before: 'ignored', want: 'ignored' },
    {
      name: 'and is shown with its previous value stays ignored',
      before: 'ignored',
      shown: 'B',
      want: 'ignored',
    },
    { name: 'and is shown as declared is applied', before: 'ignored', shown: 'D', want: 'in-sync' },
    { name: 'and was declared again since is judged afresh', before: 'drift', asked: true, want: 'in-sync' },
    {
      name: 'and is shown as declared by an answer from before that stays changed',
      before: 'drift',
      shown: 'D',
      isOlder: true,
      want: 'drift',
    },
    {
      name: 'and was asked for by the write of an answer from before that stays changed',
      before: 'drift',
      shown: 'D',
      asked: true,
      isOlder: true,
      want: 'drift',
    },
  ])('$name', ({ before, shown, asked = false, isOlder = false, want }) => {
    const look = { asked: () => asked, isOlder };
    expect(stillOpen(judged(shown), new Map([[URL, before]]), look).verdict).toBe(want);
  });

  test('and that the spec empties is in sync once a look shows nothing', () => {
    const emptied: Judgement = { ...judged(undefined), desired: { ...wanted, value: {} } };
    const open: Open = new Map([[URL, 'drift']]);
    expect(stillOpen(emptied, open, { asked: () => false }).verdict).toBe('in-sync');
    expect(stillOpen(emptied, open, { asked: () => false, isOlder: true }).verdict).toBe('drift');
  });

  test('is one that was changed or ignored, or is missing', () => {
    const verdicts: readonly Verdict[] = ['in-sync', 'adopt', 'settling', 'change', 'drift', 'ignored'];
    const openAs = (verdict: Verdict, shown?: string): boolean =>
      openOf([{ ...judged(shown), verdict }]).has(URL);
    expect(verdicts.filter((verdict) => openAs(verdict, 'X'))).toEqual(['drift', 'ignored']);
    expect(openAs('drift')).toBe(true);
  });
});
