import { describe, expect, test } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { assess } from '../../../src/model/compare/assess.ts';
import { type BodyMode, bodyMode } from '../../../src/model/patch/body-mode.ts';
import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import type { DesiredSecrets } from '../../../src/model/desired/desired-deployment.ts';
import type { ObservedSecret } from '../../../src/model/external/observation.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { select } from '../../../src/model/patch/selection.ts';
import {
  aResource,
  anObserved,
  aSituation,
  at,
  NOW_MS,
  secretsOf,
  someSettings,
} from '../../support/resources/builders.ts';

const COMMIT = 'c'.repeat(40);
const OURS = secretsOf({ OURS: 'o' });
const MASKED: readonly ObservedSecret[] = [{ name: 'OURS' }, { name: 'THEIRS' }];
const PLAIN: readonly ObservedSecret[] = [
  { name: 'OURS', value: new SecretValue('o') },
  { name: 'THEIRS', value: new SecretValue('t') },
];

interface Row {
  readonly name: string;
  readonly because: string;
  readonly bodies?: ConnectionSettings['patchBodies'];
  readonly replaces?: boolean;
  /** The fields that our last write emptied. */
  readonly lost?: boolean;
  readonly ownership?: DeploymentSpec['secretsOwnership'];
  readonly desired?: DesiredSecrets;
  readonly secrets?: readonly ObservedSecret[];
  readonly plain?: boolean;
  /** A branch is shown as its commit, and declared or not. */
  readonly branch?: 'declared' | 'left alone';
  /** A person requires a confirmation before the loss of secrets without a baseline. */
  readonly asked?: boolean;
  readonly want: {
    readonly kind: BodyMode['kind'];
    readonly full?: boolean;
    readonly foreign?: readonly string[];
    readonly unsaved?: readonly string[];
  };
}

const ROWS: readonly Row[] = [
  {
    name: 'a service without known problems',
    because: 'the smallest body is sufficient',
    want: { kind: 'possible' },
  },
  {
    name: 'a service that empties omitted fields',
    because: 'everything is sent, with the managed fields merged in',
    replaces: true,
    want: { kind: 'possible', full: true },
  },
  {
    name: 'the same, with a masked unmanaged secret',
    because: 'it would be lost permanently',
    replaces: true,
    secrets: MASKED,
    want: { kind: 'impossible' },
  },
  {
    name: 'the same, with values that are shown',
    because: 'they can be sent back',
    replaces: true,
    secrets: PLAIN,
    plain: true,
    want: { kind: 'possible', full: true, foreign: ['THEIRS'] },
  },
  {
    name: 'the same, with secrets that need a confirmation',
    because: 'they would be sent too',
    replaces: true,
    ownership: 'Exclusive',
    secrets: MASKED,
    asked: true,
    want: { kind: 'impossible' },
  },
  {
    name: 'the same, Exclusive',
    because: 'no other secret may stay',
    replaces: true,
    ownership: 'Exclusive',
    secrets: MASKED,
    want: { kind: 'possible', full: true },
  },
  {
    name: 'the same, where no secret is managed',
    because: 'every secret there is unmanaged',
    replaces: true,
    desired: { kind: 'unmanaged' },
    secrets: MASKED,
    want: { kind: 'impossible' },
  },
  {
    name: 'the same, and a person chose full bodies',
    because: 'ours are withheld, and the existing masks cannot replace them',
    bodies: 'Full',
    replaces: true,
    secrets: MASKED,
    want: { kind: 'impossible' },
  },
  {
    name: 'full bodies by choice, and no managed secret',
    because: 'it is sent, and reports its losses',
    bodies: 'Full',
    desired: { kind: 'unmanaged' },
    secrets: MASKED,
    want: { kind: 'possible', full: true, foreign: [], unsaved: ['OURS', 'THEIRS'] },
  },
  {
    name: 'the same, and a person chose partial bodies',
    because: 'the choice overrides the verdict',
    bodies: 'Partial',
    replaces: true,
    secrets: MASKED,
    want: { kind: 'possible' },
  },
  {
    name: 'full bodies by choice',
    because: 'no lesson is needed',
    bodies: 'Full',
    want: { kind: 'possible', full: true },
  },
  {
    name: 'a loss to restore, with a masked unmanaged secret',
    because: 'secrets were left out before, and stayed',
    lost: true,
    secrets: MASKED,
    want: { kind: 'possible', full: true, unsaved: [] },
  },
  {
    name: 'Merge, with values that are shown',
    because: 'they are sent with ours even in a small body',
    ownership: 'Merge',
    secrets: PLAIN,
    plain: true,
    want: { kind: 'possible', foreign: ['THEIRS'] },
  },
  {
    name: 'Guarded, with values that are shown',
    because: 'a small body carries only our secrets',
    secrets: PLAIN,
    plain: true,
    want: { kind: 'possible' },
  },
  {
    name: 'an unmanaged branch shown as its commit',
    because: 'a small body omits it',
    branch: 'left alone',
    want: { kind: 'possible' },
  },
  {
    name: 'an unmanaged branch shown as its commit, at a service that empties omitted fields',
    because: 'the commit would pin it, and an omission would empty it (N36)',
    branch: 'left alone',
    replaces: true,
    want: { kind: 'impossible' },
  },
  {
    name: 'a declared branch shown as its commit, at a service that empties omitted fields',
    because: 'the branch is sent as declared',
    branch: 'declared',
    replaces: true,
    want: { kind: 'possible', full: true },
  },
  {
    name: 'an unmanaged branch shown as its commit, beside a field that our last write emptied',
    because: 'that field is restored first',
    branch: 'left alone',
    lost: true,
    want: { kind: 'possible', full: true },
  },
];

describe('the part of a deployment in a PATCH', () => {
  test.each(ROWS)('$name: $because', (row) => {
    const mode = modeOf(row);
    const { full = false, foreign = [], unsaved = [] } = row.want;
    expect(mode.kind).toBe(row.want.kind);
    if (mode.kind === 'possible') {
      expect(mode.base !== undefined).toBe(full);
      const others = mode.secrets.map(({ name }) => name).filter((name) => name !== 'OURS');
      expect(others).toEqual(foreign);
      expect(mode.unsaved).toEqual(unsaved);
    }
  });

  test('that restores a loss is merged into the previous state', () => {
    const mode = modeOf({ name: '', because: '', lost: true, want: { kind: 'possible' } });
    expect(mode).toMatchObject({
      base: { sourceConfig: { fields: { customURL: 'https://a.example.com' } } },
    });
  });

  test('names the fields that it would lose, and the remedies', () => {
    const mode = modeOf({ ...(ROWS[2] as Row) });
    expect(mode).toMatchObject({ message: expect.stringMatching(/THEIRS.*patch\.bodies/) });
  });
});

function modeOf(row: Row): BodyMode {
  const observed = anObserved({
    secrets: row.secrets ?? [],
    sourceConfig: { fields: {}, resourceSpec: null },
    ...(row.branch && {
      sourceRevisionConfig: { fields: { repoRef: COMMIT }, repoCommitSHA: COMMIT },
    }),
  });
  const before = {
    ...observed,
    sourceConfig: { fields: { customURL: 'https://a.example.com' }, resourceSpec: null },
  };
  const effect = { lost: ['sourceConfig.customURL'], dropped: [] };
  const written = { before, body: {}, endedMs: NOW_MS - 1, dueMs: NOW_MS, effect };
  const resource = aResource({
    ...(row.ownership && { secretsOwnership: row.ownership }),
    ...(row.branch === 'declared' && { sourceRevisionConfig: { repoRef: 'main' } }),
  });
  const learned = { omittedFields: { verdict: 'Replace', count: 1, time: at(0) } };
  const situation = {
    ...aSituation(resource, observed, {
      secrets: row.desired ?? OURS,
      settings: someSettings({ patchBodies: row.bodies ?? 'Auto' }),
      secretsPlain: row.plain ?? false,
      plainLists: { current: row.plain ?? false, seen: [] },
      learned: row.replaces === true ? learned : {},
      ...(row.lost === true ? { written } : {}),
    }),
    holdUnprovenSecrets: row.asked ?? false,
  };
  const assessment = assess({ ...situation, observed, beganMs: NOW_MS, via: 'list' });
  const present = { ...situation, observed, assessment };
  return bodyMode(present, select(present));
}
