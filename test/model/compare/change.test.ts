import { describe, expect, test } from 'vitest';
import {
  changeOf,
  creationChanges,
  displayOf,
  inSyncMessage,
  revisionBy,
  secretsChange,
  secretsLost,
} from '../../../src/model/compare/change.ts';
import { type FieldDigests, type Judgement, type Verdict } from '../../../src/model/compare/judge-fields.ts';
import type { SecretsJudgement } from '../../../src/model/compare/judge-secrets.ts';
import type { DesiredField } from '../../../src/model/desired/desired-deployment.ts';
import { FIELDS, REPO_REF_PATH } from '../../../src/model/desired/fields.ts';
import type { Json } from '../../../src/base/json.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';

const URL = 'sourceConfig.customURL';
const COMMAND = 'sourceConfig.buildCommand';
const CPU = 'sourceConfig.resourceSpec.cpu';
const COMMIT = '0123456789abcdef0123456789abcdef01234567';

function wanted(path: string, value: Json, cleared = false): DesiredField {
  const field = FIELDS.find((one) => one.path === path);
  if (field === undefined) throw new Error(`no field ${path}`);
  return { field, value, cleared };
}

interface Case {
  readonly shown?: Json;
  readonly verdict?: Verdict;
  readonly digests?: FieldDigests;
}

const judged = (desired: DesiredField, { shown, verdict = 'change', digests }: Case = {}): Judgement => ({
  ...{ desired, shown, verdict },
  digests: digests ?? { desired: 'D', shown: 'D' },
});

const ofSecrets = (judgement: Partial<SecretsJudgement>): SecretsJudgement => ({
  ...{ verdict: 'change', wasApplied: true, names: ['B', 'C'], digests: new Map(), leftOut: [], still: [] },
  ...{ part: '', plain: false, masked: false, asApplied: new Set(), shownAsSent: false, listedAsSent: false },
  ...{ doubled: [], emptied: [], goneAlready: false, isNew: false, alreadyThere: new Map() },
  ...judgement,
});

describe('the change of a field', () => {
  test('names both values, and whether it makes a revision', () => {
    expect(changeOf(judged(wanted(CPU, 2), { shown: 1 }))).toEqual({
      ...{ path: CPU, from: '1', to: '2', revision: 'Possible' },
    });
  });

  test('says that nothing shows the value, and that somebody else changed it', () => {
    const [unseen, drifted] = [changeOf(judged(wanted(URL, 'https://a.example.com'))), changeOf(drift())];
    expect(unseen).toMatchObject({ from: '(not shown)', revision: 'None' });
    expect(unseen).not.toHaveProperty('drift');
    expect(drifted).toMatchObject({ from: 'main', to: 'v2', revision: 'Expected', drift: true });
  });

  const drift = (): Judgement => judged(wanted(REPO_REF_PATH, 'v2'), { shown: 'main', verdict: 'drift' });

  test.each([
    { path: REPO_REF_PATH, want: 'Expected' },
    { path: 'sourceRevisionConfig.imageURI', want: 'Expected' },
    { path: URL, want: 'None' },
    { path: CPU, want: 'Possible' },
    { path: 'secretReferences', want: 'Possible' },
  ])('makes a revision: $path $want', ({ path, want }) => {
    expect(revisionBy(wanted(path, null).field)).toBe(want);
  });
});

describe('a value in a status or an event', () => {
  test.each<{ name: string; value: Json; how: 'value' | 'url' | 'changed'; want: string }>([
    { name: 'is shown as it is', value: 'main', how: 'value', want: 'main' },
    { name: 'is shown as JSON if it is no text', value: 1.5, how: 'value', want: '1.5' },
    { name: 'is called empty', value: '', how: 'value', want: '(empty)' },
    { name: 'is called empty if it is null', value: null, how: 'value', want: '(empty)' },
    { name: 'is called empty also if it may be secret', value: [], how: 'changed', want: '(empty)' },
    {
      name: 'loses its credentials',
      value: 'https://user:word@a.example.com/x',
      how: 'url',
      want: 'https://a.example.com/x',
    },
    { name: 'is cut', value: 'x'.repeat(200), how: 'value', want: `${'x'.repeat(117)}…` },
    {
      name: 'is only counted if it may be secret',
      value: 'abc',
      how: 'changed',
      want: 'changed (3 characters)',
    },
    { name: 'is counted in its JSON', value: 12.5, how: 'changed', want: 'changed (4 characters)' },
    { name: 'with one item is one item', value: [1], how: 'changed', want: 'changed (1 item)' },
    { name: 'with two items is two', value: [1, 2], how: 'changed', want: 'changed (2 items)' },
    { name: 'with keys has as many items', value: { a: 1, b: 2 }, how: 'changed', want: 'changed (2 items)' },
  ])('$name: $want', ({ value, how, want }) => {
    expect(displayOf(value, how)).toBe(want);
  });
});

describe('the changes of a creation', () => {
  const fields = [wanted(URL, 'https://a.example.com'), wanted(COMMAND, 'make all'), wanted(CPU, null, true)];

  test('are the declared fields and the names of the secrets', () => {
    const values = new Map(['A', 'B'].map((name) => [name, new SecretValue('value-of-a-secret')]));
    expect(
      creationChanges({
        ...{ source: 'codehost', fields },
        secrets: { kind: 'resolved', values, references: [] },
      }),
    ).toEqual([
      { path: URL, from: '(absent)', to: 'https://a.example.com', revision: 'Expected' },
      { path: COMMAND, from: '(absent)', to: 'changed (8 characters)', revision: 'Expected' },
      { path: 'secrets', from: '(absent)', to: 'A, B', revision: 'Expected' },
    ]);
  });

  test.each([
    { name: 'unmanaged', secrets: { kind: 'unmanaged' } as const },
    { name: 'empty', secrets: { kind: 'resolved', values: new Map(), references: [] } as const },
  ])('say nothing of secrets that are $name', ({ secrets }) => {
    const paths = creationChanges({ source: 'codehost', fields, secrets }).map(({ path }) => path);
    expect(paths).toEqual([URL, COMMAND]);
  });
});

describe('the change of secrets', () => {
  test('has names only', () => {
    expect(secretsChange(ofSecrets({}))).toEqual({
      ...{ path: 'secrets', from: 'as applied', to: 'changed: B, C', revision: 'Possible' },
    });
    expect(secretsChange(ofSecrets({ wasApplied: false, verdict: 'drift' }))).toEqual({
      ...{ path: 'secrets', from: '(not known)', to: 'changed: B, C', revision: 'Possible', drift: true },
    });
  });

  test('says that a name was long if only its digest was kept', () => {
    const names = ['A', `#${'x'.repeat(22)}`];
    expect(secretsChange(ofSecrets({ names })).to).toBe('changed: A, (a long name)');
  });

  test('that a whole body loses has their names', () => {
    expect(secretsLost(['X', 'Y'])).toEqual({
      ...{ path: 'secrets', from: 'not shown in clear', to: 'lost: X, Y', revision: 'Possible' },
    });
  });
});

describe('the message of a resource in sync', () => {
  const SAME = 'the service shows what the spec asks for';
  const otherwise = (path: string, more: Partial<Judgement> = {}): Judgement => ({
    ...judged(wanted(path, 1), { shown: 2, verdict: 'in-sync', digests: { desired: 'D', shown: 'S' } }),
    ...more,
  });

  test.each<{ name: string; judgements: readonly Judgement[] }>([
    { name: 'everything is shown as declared', judgements: [judged(wanted(CPU, 1), { verdict: 'in-sync' })] },
    { name: 'a value is not shown', judgements: [otherwise(CPU, { digests: { desired: 'D' } })] },
    { name: 'a field is emptied', judgements: [otherwise(CPU, { desired: wanted(CPU, null, true) })] },
    { name: 'a branch is shown as its commit', judgements: [otherwise(REPO_REF_PATH, { shown: COMMIT })] },
    { name: 'a value is to be sent', judgements: [otherwise(CPU, { verdict: 'change' })] },
  ])('is short if $name', ({ judgements }) => {
    expect(inSyncMessage(judgements)).toBe(SAME);
  });

  test.each<Verdict>(['in-sync', 'settling'])('names a value in another form that is %s', (verdict) => {
    expect(inSyncMessage([otherwise(CPU, { verdict })])).toBe(
      `${SAME}; the service shows these in another form: ${CPU}`,
    );
  });

  test('names a branch that is shown as another text, and any other field shown as a commit', () => {
    const judgements = [otherwise(REPO_REF_PATH, { shown: 'Main' }), otherwise(URL, { shown: COMMIT })];
    expect(inSyncMessage(judgements)).toContain(`: ${REPO_REF_PATH}, ${URL}`);
  });

  test.each([
    { count: 5, end: '' },
    { count: 7, end: ' and 2 more' },
  ])('names five of $count fields', ({ count, end }) => {
    const paths = FIELDS.slice(0, count).map(({ path }) => path);
    const message = inSyncMessage(paths.map((path) => otherwise(path)));
    expect(message).toBe(
      `${SAME}; the service shows these in another form: ${paths.slice(0, 5).join(', ')}${end}`,
    );
  });
});
