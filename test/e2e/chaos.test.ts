import { expect, test } from 'vitest';
import { chaos } from '../support/chaos/chaos.ts';
import { plainControllers } from '../support/chaos/controllers.ts';
import { sharedBundle } from '../support/bundle/shared-bundle.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();

/** A short form of `npm run chaos`. Its seed leads to a creation and a PATCH that were applied and never answered. */
const SHORT = { kills: 4, resources: 6, patient: false };

test.each([{ seed: 177 }])(
  'a controller that is killed repeatedly creates nothing twice and repeats nothing, seed $seed',
  async ({ seed }) => {
    const program = await sharedBundle();
    const controllers = plainControllers(program, 1);
    const { wrongs } = await chaos({ plane: plane(), program, controllers, seed, ...SHORT }, () => undefined);
    expect(wrongs).toEqual([]);
  },
  240_000,
);
