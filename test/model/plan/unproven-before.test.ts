import { describe, expect, test } from 'vitest';
import { mayBeThere } from '../../../src/model/plan/unproven-before.ts';
import { fieldDigest } from '../../../src/model/recorded/baseline.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';
import { aResource, anObserved, aSituation, at } from '../../support/resources/builders.ts';

const PATH = 'sourceConfig.buildCommand';

/** Returns the fields that may be there before a write of a build command, if `last` was applied before, '' for none. */
function before(
  last: string | undefined,
  { listed = [], look = anObserved() }: { listed?: readonly string[]; look?: ObservedDeployment } = {},
): readonly string[] {
  const spec = { sourceConfig: { buildCommand: 'make two' } };
  const situation = aSituation(aResource(spec), look, { listedPaths: new Set(listed) });
  const { desired, digests, resource } = situation;
  if (last === undefined) return mayBeThere(situation);
  const [field] = desired.fields;
  if (field === undefined) throw new Error('the spec declares no field');
  const fields = last === '' ? [] : [{ path: PATH, a: fieldDigest(field, last, digests) }];
  const applied = { key: digests.keyID, generation: 1, fields, time: at(0) };
  return mayBeThere({ ...situation, resource: { ...resource, status: { ...resource.status, applied } } });
}

describe('the service may already have a value that lists hide', () => {
  test('before our first write', () => expect(before(undefined)).toEqual([PATH]));
  test('if it is sent again', () => expect(before('make two')).toEqual([PATH]));
  test('if it is declared for the first time, and lists do not show its block', () => {
    const { sourceConfig: _, ...look } = anObserved();
    expect(before('', { look })).toEqual([PATH]);
    expect(before(''), 'the block is shown').toEqual([]);
  });
  test('but not if another value was applied', () => expect(before('make one')).toEqual([]));
  test('but not if lists show the field', () => expect(before('make two', { listed: [PATH] })).toEqual([]));
});
