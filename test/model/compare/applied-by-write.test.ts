import { expect, test } from 'vitest';
import type { Assessment } from '../../../src/model/compare/assess.ts';
import type { Baseline } from '../../../src/model/recorded/baseline.ts';
import { FIELDS } from '../../../src/model/desired/fields.ts';
import { appliedByWrite } from '../../../src/model/compare/applied-by-write.ts';

const IMAGE = 'sourceRevisionConfig.imageURI';
const REDEPLOY: readonly string[] = [];

/** Returns the baseline of the image after a redeploy that carried it, if an earlier baseline existed. */
function afterRedeploy(kept: Baseline, shown: string): Baseline | undefined {
  const field = FIELDS.find(({ path }) => path === IMAGE);
  const digests = { desired: kept.a, applied: kept.a, shown, baseline: kept.b };
  const before = {
    applied: { fields: new Map([[IMAGE, kept]]), secrets: new Map(), keyLost: false },
    judgements: [{ desired: { field }, shown: 'an image', digests, verdict: 'in-sync' }],
  } as unknown as Assessment;
  return appliedByWrite(before, REDEPLOY, [], {
    created: false,
    body: undefined,
    observed: { id: 'some-id', name: 'agent' },
    inLists: () => false,
  }).fields.get(IMAGE);
}

test('a value that is sent again before its baseline has settled keeps its earlier baseline', () => {
  const kept = { a: 'ours', b: 'ours in lower case', was: 'the one before' };
  expect(afterRedeploy(kept, 'ours in lower case')).toEqual(kept);
});

test('a value that is sent again is not a normalized form of its earlier shown value', () => {
  const settled = { a: 'ours', b: 'ours in lower case' };
  expect(afterRedeploy(settled, 'ours in lower case')).toEqual({ ...settled, was: 'ours in lower case' });
  const moved = { ...settled, was: 'the one before' };
  expect(afterRedeploy(moved, 'set by somebody')).toEqual({ ...settled, was: 'set by somebody' });
});
