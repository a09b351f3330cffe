import { describe, expect, it } from 'vitest';
import { controlNames } from '../../src/api/control-names.ts';
import { validateDocument } from '../../src/api/checks/validate-document.ts';
import { planBeforeLooking } from '../../src/model/decide/make-plan.ts';
import { aResource, someSettings } from '../support/resources/builders.ts';
import { deployment } from './corpus.ts';

const external = { source: 'external_container', sourceRevisionConfig: { imageURI: 'x' } } as const;
const SIGNS = ['\n', '\r', '\t', '\0', '\u001B', '\u007F', '\u0085'];

/** The fields that hold a name, and a spec with this name in that field. */
const PLACES: readonly (readonly [path: string, spec: (name: string) => object])[] = [
  ['spec.secrets[0].name', (name) => ({ secrets: [{ name, value: 'x' }] })],
  ['spec.secretsFrom[0].prefix', (prefix) => ({ secretsFrom: [{ secretRef: { name: 's' }, prefix }] })],
  [
    'spec.secretReferences[0].name',
    (name) => ({ ...external, secretReferences: [{ name, secretName: 's', secretKey: 'k' }] }),
  ],
  ...['initContainers', 'sidecars'].map((group): [string, (name: string) => object] => [
    `spec.sourceConfig.resourceSpec.${group}[0].env[0].name`,
    (name) => ({
      ...external,
      sourceConfig: {
        resourceSpec: { [group]: [{ name: 'c', image: 'c:1', env: [{ name, value: 'x' }] }] },
      },
    }),
  ]),
];

describe.each(PLACES)('a control character in %s', (path, specWith) => {
  it.each(SIGNS.map((sign) => [sign, JSON.stringify(sign)] as const))('is an error: $1', (sign) => {
    const problems = validateDocument(deployment({ ...specWith(`A${sign}4711`) }));
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      {
        path,
        message: 'has a control character, such as a line end',
        expected: 'a name on one line',
        severity: 'error',
      },
    ]);
  });

  it('is refused by the controller before any call', () => {
    const resource = aResource(specWith('ADMIN_PIN\n4711'));
    expect(planBeforeLooking(resource, someSettings())).toEqual({
      kind: 'blocked',
      reason: 'InvalidSpec',
      message: `${path} has a control character, such as a line end`,
    });
  });

  it('is searched in names only', () => {
    expect(controlNames(specWith('Ä-ordinary.NAME_1'))).toEqual([]);
    const values = { secrets: [{ name: 'A', value: 'two\nlines' }], sourceConfig: { buildCommand: 'a\nb' } };
    expect(controlNames(values)).toEqual([]);
  });
});
