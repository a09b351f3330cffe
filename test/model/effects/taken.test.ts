import { expect, test } from 'vitest';
import { asAnswered, withoutEmptied } from '../../../src/model/effects/taken.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { anObserved } from '../../support/resources/builders.ts';

function withSpec(fields: JsonObject): ObservedDeployment {
  return anObserved({ sourceConfig: { fields: {}, resourceSpec: { fields, unknown: {} } } });
}

test('a resource spec that was left out equals that of the answer, without fields that only the answer shows', () => {
  const before = withSpec({ serviceAccountName: 'one', memoryMB: 512 });
  const answer = withSpec({ serviceAccountName: 'two', cpu: 1 });
  const specAfter = (body: object) => asAnswered({ before, body }, answer).sourceConfig?.resourceSpec?.fields;
  expect(specAfter({ sourceRevisionConfig: { repoRef: 'main' } })).toEqual({
    serviceAccountName: 'two',
    memoryMB: 512,
  });
  const asks = { sourceConfig: { fields: {}, resourceSpec: { fields: { cpu: 2 }, unknown: {} } } };
  expect(specAfter(asks), 'an answer to what asks for the block may repeat that').toEqual({
    serviceAccountName: 'one',
    memoryMB: 512,
  });
});

test('a list before a write says nothing about a value that the write empties and an open write left out', () => {
  const listed = anObserved({ sourceConfig: { fields: { buildCommand: 'make', installCommand: 'npm ci' } } });
  const body = { sourceConfig: { fields: { buildCommand: null } } };
  const open = ['sourceConfig.buildCommand', 'sourceConfig.installCommand'];
  expect(withoutEmptied(listed, body, open).sourceConfig?.fields).toEqual({ installCommand: 'npm ci' });
  expect(withoutEmptied(listed, body, [])).toEqual(listed);
});
