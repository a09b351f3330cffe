import { expect, test } from 'vitest';
import { soak } from '../support/chaos/soak.ts';
import { useControlPlane } from '../support/shared-control-plane.ts';

const plane = useControlPlane();

/** A short form of `npm run soak`; what falls silent is noticed only after longer than this. */
const SHORT = { seconds: 10, resources: 6, replicas: 1, silences: false };

test('behind a connection to the API server that fails in every way nothing is lost and nothing is done twice', async () => {
  const { wrongs } = await soak({ plane: plane(), seed: 2, ...SHORT }, () => undefined);
  expect(wrongs).toEqual([]);
}, 300_000);
