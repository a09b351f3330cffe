import { expect, test } from 'vitest';
import { soak } from '../support/chaos/soak.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { useControlPlane } from '../support/shared-control-plane.ts';

const plane = useControlPlane();

/** A short form of `npm run soak`. */
const SHORT = { seconds: 10, resources: 6, replicas: 1, patient: false };

test('behind a connection to the API server that fails in every way nothing is lost and nothing is done twice', async () => {
  const program = await sharedBundle();
  const { wrongs } = await soak({ plane: plane(), program, seed: 2, ...SHORT }, () => undefined);
  expect(wrongs).toEqual([]);
}, 300_000);
