import { describe, expect, test } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { desiredDeployment } from '../../../src/model/desired/desired-deployment.ts';
import {
  type Circumstances,
  type FieldDigests,
  judge,
  judgeFields,
  type Judgement,
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
    name: 'applied, was shown otherwise, and shown as we want by the answer to a write',
    because: 'what was odd is right now, whoever shows it',
    given: { desired: 'D', applied: 'D', baseline: 'odd', shown: 'D' },
    listed: false,
    want: 'adopt',
  },
  {
    name: 'applied, never shown, and listed as we want now',
    because: 'what lists show may be missed there later',
    given: { desired: 'D', applied: 'D', shown: 'D' },
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
    given: { desired: 'D', applied: 'D', baseline: 'D', was: 'old', shown: 'X' },
    settling: true,
    want: 'settling',
  },
  {
    name: 'applied, shown as before our write while that is still taking shape',
    because: 'no service writes our value as the one it had: somebody took it back (B3)',
    given: { desired: 'D', applied: 'D', baseline: 'D', was: 'old', shown: 'old' },
    settling: true,
    want: 'drift',
  },
  {
    name: 'applied, and shown otherwise for the second time while our write is still taking shape',
    because: 'the service writes a value in its own way once for each write (B3)',
    given: { desired: 'D', applied: 'D', baseline: 'odd', shown: 'X' },
    settling: true,
    want: 'drift',
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
    name: 'shown otherwise by the first list after an answer that told nothing',
    because: 'the list stands in for the answer, and the service writes the value in its own way (N14)',
    given: { desired: 'D', applied: 'D', was: 'before', shown: 'rounded' },
    standsIn: true,
    want: 'settling',
  },
  {
    name: 'shown as before the write by the first list after an answer that told nothing',
    because: 'the value never moved',
    given: { desired: 'D', applied: 'D', was: 'before', shown: 'before' },
    standsIn: true,
    want: 'ignored',
  },
  {
    name: 'shown otherwise by a list, although the answer showed the write and not this value',
    because: 'the value may be the work of somebody else',
    given: { desired: 'D', applied: 'D', was: 'before', shown: 'rounded' },
    want: 'ignored',
  },
  {
    name: 'a text that was not shown before, and comes back otherwise in the answer alone',
    because: 'the service may have kept what it had (B6)',
    given: { desired: 'D', applied: 'D', baseline: 'X', was: '', shown: 'X' },
    ...{ exact: true, listed: false },
    want: 'ignored',
  },
  {
    name: 'a text that was not shown before, and that a list shows otherwise as well',
    because: 'lists show the field, so nothing was there: the service writes it in its own way',
    given: { desired: 'D', applied: 'D', baseline: 'X', was: '', shown: 'X' },
    exact: true,
    want: 'in-sync',
  },
  {
    name: 'a number that was not shown before, and comes back otherwise in the answer alone',
    because: 'services round numbers',
    given: { desired: 'D', applied: 'D', baseline: 'X', was: '', shown: 'X' },
    listed: false,
    want: 'in-sync',
  },
  {
    name: 'a text that came back otherwise, and that no list shows',
    because: 'only a value that moved with our write is one that the service writes in its own way (B6)',
    given: { desired: 'D', applied: 'D', baseline: 'X' },
    ...{ exact: true, inLists: false, notShown: 'settling' as const },
    want: 'ignored',
  },
  {
    name: 'a text that came back as it was sent, and that no list shows',
    because: 'lists may never show it (N31)',
    given: { desired: 'D', applied: 'D', baseline: 'D' },
    ...{ exact: true, inLists: false, notShown: 'settling' as const },
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
    name: 'applied, never shown, where lists show it of other deployments',
    because: 'a text that was taken over would be shown',
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
    name: 'applied, never shown, and no text',
    because: 'a service may leave out what is the default',
    given: { desired: 'D', applied: 'D' },
    want: 'in-sync',
  },
  {
    name: 'to be empty, and left out by a list for the first time',
    because: 'what fills it later was not kept by the service',
    given: { desired: '', applied: '', was: 'X' },
    empty: true,
    want: 'adopt',
  },
  {
    name: 'to be empty, and left out by a list again',
    because: 'nothing is to be sent',
    given: { desired: '', applied: '', baseline: '' },
    empty: true,
    want: 'in-sync',
  },
  {
    name: 'to be empty, was so, and is filled',
    because: 'somebody else filled it',
    given: { desired: '', applied: '', baseline: '', was: 'X', shown: 'X' },
    want: 'drift',
  },
  {
    name: 'to be empty, and never left out',
    because: 'the service keeps its value',
    given: { desired: '', applied: '', was: 'X', shown: 'X' },
    want: 'ignored',
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
  readonly observed: Partial<ObservedDeployment>;
  readonly want: Verdict;
}

const FIELDS: readonly FieldRow[] = [
  {
    name: 'applied under a key that was lost is taken over as it is',
    spec: { sourceConfig: { customURL: 'D' } },
    applied: { [URL]: { a: '' } },
    keyLost: true,
    observed: { sourceConfig: { fields: { customURL: 'X' } } },
    want: 'adopt',
  },
  {
    name: 'never applied under the key that was lost is sent',
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
    name: 'shown as a commit proves nothing of another branch (H5)',
    spec: { sourceRevisionConfig: { repoRef: 'release' } },
    applied: { [REF]: { a: 'main', b: 'main' } },
    observed: { sourceRevisionConfig: { fields: { repoRef: COMMIT }, repoCommitSHA: COMMIT } },
    want: 'change',
  },
  {
    name: 'shown otherwise while our revision takes shape settles',
    spec: { sourceRevisionConfig: { imageURI: 'D' } },
    applied: { [IMAGE]: { a: 'D', b: 'D', was: 'old' } },
    settling: true,
    observed: { sourceRevisionConfig: { fields: { imageURI: 'X' } } },
    want: 'settling',
  },
  {
    name: 'shown as null while our revision takes shape was emptied (B3)',
    spec: { sourceRevisionConfig: { imageURI: 'D' } },
    applied: { [IMAGE]: { a: 'D', b: 'D', was: 'old' } },
    settling: true,
    observed: { sourceRevisionConfig: { fields: { imageURI: null } } },
    want: 'drift',
  },
  {
    name: 'that makes no revision does not settle',
    spec: { sourceConfig: { customURL: 'D' } },
    applied: { [URL]: { a: 'D', b: 'D', was: 'old' } },
    settling: true,
    observed: { sourceConfig: { fields: { customURL: 'X' } } },
    want: 'drift',
  },
  {
    name: 'not shown any more in a block that is shown was emptied',
    spec: { sourceConfig: { customURL: 'D' } },
    applied: { [URL]: { a: 'D', b: 'D' } },
    observed: { sourceConfig: { fields: {} } },
    want: 'drift',
  },
  ...(['sourceConfig', 'sourceRevisionConfig'] as const).map((block) => ({
    name: `of ${block} that is not shown at all is not known (N31)`,
    spec: block === 'sourceConfig' ? { sourceConfig: { customURL: 'D' } } : { [block]: { imageURI: 'D' } },
    applied: { [URL]: { a: 'D', b: 'D' }, [IMAGE]: { a: 'D', b: 'D' } },
    observed: { [block]: undefined },
    want: 'in-sync' as const,
  })),
];

describe('a field', () => {
  test.each(FIELDS)('$name', ({ spec, applied = {}, keyLost = false, settling = false, observed, want }) => {
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
      notShown: () => 'drift',
      listed: true,
      inLists: () => true,
      digests: DIGESTS,
    });
    expect(judged.map(({ verdict }) => verdict)).toEqual([want]);
    if (keyLost && want === 'adopt') expect(judged[0]?.digests.applied).toBe(judged[0]?.digests.desired);
  });
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

  test.each<{ name: string; before: Verdict; shown?: string; asked?: boolean; want: Verdict }>([
    { name: 'and is not shown now either stays gone', before: 'drift', want: 'drift' },
    { name: 'and is shown as after our write is back', before: 'drift', shown: 'B', want: 'in-sync' },
    { name: 'and is not shown stays ignored', before: 'ignored', want: 'ignored' },
    { name: 'and is shown as it was before stays ignored', before: 'ignored', shown: 'B', want: 'ignored' },
    { name: 'and is shown as asked for is there', before: 'ignored', shown: 'D', want: 'in-sync' },
    { name: 'and was asked for since is judged anew', before: 'drift', asked: true, want: 'in-sync' },
  ])('$name', ({ before, shown, asked = false, want }) => {
    expect(stillOpen(judged(shown), new Map([[URL, before]]), () => asked).verdict).toBe(want);
  });
});
