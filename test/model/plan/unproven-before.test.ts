import { describe, expect, test } from 'vitest';
import { mayBeThere } from '../../../src/model/plan/unproven-before.ts';
import { fieldDigest } from '../../../src/model/recorded/baseline.ts';
import { aResource, anObserved, aSituation, at } from '../../support/resources/builders.ts';

const PATH = 'sourceConfig.buildCommand';

/** Returns the fields that may be there before a write of a build command, if `last` was applied before. */
function before(last: string | undefined, listed: readonly string[] = []): readonly string[] {
  const spec = { sourceConfig: { buildCommand: 'make two' } };
  const situation = aSituation(aResource(spec), anObserved(), { listedPaths: new Set(listed) });
  const { desired, digests, resource } = situation;
  if (last === undefined) return mayBeThere(situation);
  const [field] = desired.fields;
  if (field === undefined) throw new Error('the spec declares no field');
  const fields = [{ path: PATH, a: fieldDigest(field, last, digests) }];
  const applied = { key: digests.keyID, generation: 1, fields, time: at(0) };
  return mayBeThere({ ...situation, resource: { ...resource, status: { ...resource.status, applied } } });
}

describe('the service may already have a value that lists hide', () => {
  test('before our first write', () => expect(before(undefined)).toEqual([PATH]));
  test('if it is sent again', () => expect(before('make two')).toEqual([PATH]));
  test('but not if another value was applied', () => expect(before('make one')).toEqual([]));
  test('but not if lists show the field', () => expect(before('make two', [PATH])).toEqual([]));
});
