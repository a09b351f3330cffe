import { expect, test } from 'vitest';
import { plainControllers } from '../support/chaos/controllers.ts';
import { soak } from '../support/chaos/soak.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { useControlPlane } from '../support/shared-control-plane.ts';

const plane = useControlPlane();

/** A short form of `npm run soak`. */
const SHORT = { seconds: 10, resources: 6, patient: false };

test('behind a connection to the API server that fails in every way nothing is lost and nothing is done twice', async () => {
  const program = await sharedBundle();
  const controllers = plainControllers(program, 1);
  const options = { plane: plane(), program, controllers, seed: 2, ...SHORT };
  const { wrongs } = await soak(options, () => undefined);
  expect(wrongs).toEqual([]);
}, 300_000);
