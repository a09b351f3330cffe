import { expect, test } from 'vitest';
import { assess } from '../../../src/model/compare/assess.ts';
import { desiredDeployment } from '../../../src/model/desired/desired-deployment.ts';
import { fieldDigest } from '../../../src/model/recorded/baseline.ts';
import {
  anObserved,
  aResource,
  aSituation,
  at,
  digestsWith,
  NOW_MS,
} from '../../support/resources/builders.ts';

const LABELS = 'sourceConfig.resourceSpec.labels';
const SPEC = { sourceConfig: { resourceSpec: { labels: { tier: 'one' } } } };

/**
 * Returns the verdict on labels that lists have shown, if a list that must show our last write shows no resource spec.
 */
function verdictAfter(paths: readonly string[]): string | undefined {
  const digests = digestsWith();
  const [field] = desiredDeployment(aResource(SPEC).spec, { kind: 'unmanaged' }).fields;
  if (field === undefined) throw new Error('labels are declared');
  const shown = fieldDigest(field, field.value, digests);
  const fields = [{ path: LABELS, a: shown, b: shown }];
  const resource = aResource(SPEC, {
    status: {
      applied: { key: digests.keyID, generation: 1, time: at(0), fields },
      lastPatch: { time: at(-600_000), outcome: 'Applied', paths: [...paths], revisionID: 'rev-1' },
    },
  });
  const observed = anObserved({ sourceConfig: { fields: {} } });
  const situation = aSituation(resource, observed, { digests });
  const { judgements } = assess({ ...situation, observed, beganMs: NOW_MS, via: 'list' });
  return judgements[0]?.verdict;
}

test('a declared value is lost with its resource spec if our last write changed nothing in it', () => {
  expect(verdictAfter(['secrets'])).toBe('drift');
  expect(verdictAfter([LABELS]), 'lists may have begun to hide the whole (N31)').toBe('in-sync');
  expect(verdictAfter([]), 'a redeploy says nothing of it').toBe('in-sync');
});
