import { describe, expect, test } from 'vitest';
import type { DeploymentSpec, DeploymentStatus } from '../../../src/api/deployment.ts';
import {
  declaredName,
  desiredDeployment,
  identityOf,
} from '../../../src/model/desired/desired-deployment.ts';
import { aResource, at, ID } from '../../support/resources/builders.ts';

interface Row {
  readonly name: string;
  readonly because: string;
  readonly spec: Partial<DeploymentSpec>;
  readonly want: readonly (readonly [path: string, value: unknown, cleared: boolean])[];
}

const ROWS: readonly Row[] = [
  { name: 'an empty spec', because: 'an absent field is not managed', spec: {}, want: [] },
  {
    name: 'empty blocks',
    because: 'they hold no field',
    spec: { sourceConfig: { resourceSpec: {} }, sourceRevisionConfig: {} },
    want: [],
  },
  {
    name: 'fields of every block',
    because: 'the order is fixed: fields that make a revision come first',
    spec: {
      secretReferences: [],
      sourceConfig: { resourceSpec: { cpu: 1 }, customURL: 'https://a.example.com' },
      sourceRevisionConfig: { imageURI: 'agent:1' },
    },
    want: [
      ['sourceRevisionConfig.imageURI', 'agent:1', false],
      ['sourceConfig.customURL', 'https://a.example.com', false],
      ['sourceConfig.resourceSpec.cpu', 1, false],
      ['secretReferences', [], false],
    ],
  },
  {
    name: 'false, zero, and empty texts',
    because: 'they are values',
    spec: {
      sourceConfig: { buildOnPush: false, buildCommand: '', resourceSpec: { minScale: 0 } },
    },
    want: [
      ['sourceConfig.buildOnPush', false, false],
      ['sourceConfig.buildCommand', '', false],
      ['sourceConfig.resourceSpec.minScale', 0, false],
    ],
  },
  {
    name: 'a field of spec.clear',
    because: 'it is sent as null',
    spec: { clear: ['sourceConfig.customURL'] },
    want: [['sourceConfig.customURL', null, true]],
  },
];

describe('what a spec asks for', () => {
  test.each(ROWS)('$name: $because', ({ spec, want }) => {
    const { fields } = desiredDeployment({ source: 'external_container', ...spec }, { kind: 'unmanaged' });
    expect(fields.map(({ field, value, cleared }) => [field.path, value, cleared])).toEqual(want);
  });
});

const OTHER = '99999999-0000-4000-8000-000000000000';
const BOUND: DeploymentStatus = { deploymentID: ID };
const LOST: DeploymentStatus = {
  deploymentID: ID,
  conditions: [
    {
      type: 'Synced',
      status: 'False',
      reason: 'NotFound',
      message: 'gone',
      observedGeneration: 1,
      lastTransitionTime: at(0),
    },
  ],
};

interface IdentityRow {
  readonly name: string;
  readonly because: string;
  readonly reference?: DeploymentSpec['deploymentRef'];
  readonly status?: DeploymentStatus;
  readonly want: object;
}

const IDENTITIES: readonly IdentityRow[] = [
  {
    name: 'no reference',
    because: 'it has the name of the resource',
    want: { by: 'name', name: 'support-agent' },
  },
  { name: 'a name', because: 'it is declared', reference: { name: 'n' }, want: { by: 'name', name: 'n' } },
  { name: 'an id', because: 'it is declared', reference: { id: OTHER }, want: { by: 'id', id: OTHER } },
  {
    name: 'bound, by name',
    because: 'after the first match its id identifies it',
    reference: { name: 'n' },
    status: BOUND,
    want: { by: 'id', id: ID },
  },
  {
    name: 'bound, and another id declared',
    because: 'a bound resource stays with its deployment',
    reference: { id: OTHER },
    status: BOUND,
    want: { by: 'id', id: ID },
  },
  {
    name: 'bound to a deleted one, and another id declared',
    because: 'that is the way out of NotFound',
    reference: { id: OTHER },
    status: LOST,
    want: { by: 'id', id: OTHER },
  },
];

describe('the deployment that a resource refers to', () => {
  test.each(IDENTITIES)('$name: $because', ({ reference, status, want }) => {
    const resource = aResource(
      reference === undefined ? {} : { deploymentRef: reference },
      status === undefined ? {} : { status },
    );
    expect(identityOf(resource)).toEqual(want);
  });

  test('has a name, unless the reference is an id', () => {
    expect(declaredName(aResource())).toBe('support-agent');
    expect(declaredName(aResource({ deploymentRef: { name: 'n' } }))).toBe('n');
    expect(declaredName(aResource({ deploymentRef: { id: OTHER } }))).toBeUndefined();
  });
});
