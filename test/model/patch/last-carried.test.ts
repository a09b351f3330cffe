import { expect, test } from 'vitest';
import { withCarriedBy } from '../../../src/model/patch/last-carried.ts';
import type { ObservedDeployment } from '../../../src/model/external/observation.ts';

const SENT = { memoryMB: 512, cpu: null, labels: { team: 'theirs' } };

/** Returns the resource spec of a look after a write that carried one. */
function carriedTo(shown: ObservedDeployment['sourceConfig']) {
  const body = { sourceConfig: { fields: {}, resourceSpec: { fields: SENT, unknown: {} } } };
  const look = { id: 'a', name: 'agent', sourceConfig: shown } as ObservedDeployment;
  return withCarriedBy({ body }, look).sourceConfig?.resourceSpec?.fields;
}

test('a block that lacks a value of the last write has its other values too, and none that it emptied', () => {
  const resourceSpec = { fields: { memoryMB: 1024, cpu: 1, maxScale: 3 }, unknown: {} };
  expect(carriedTo({ fields: {}, resourceSpec })).toEqual({
    memoryMB: 512,
    labels: SENT.labels,
    maxScale: 3,
  });
});

test('a block that shows all that the last write carried stays as it is, with newer values of others', () => {
  const fields = { memoryMB: 2048, cpu: 2, labels: { team: 'new' } };
  expect(carriedTo({ fields: {}, resourceSpec: { fields, unknown: {} } })).toEqual(fields);
});
