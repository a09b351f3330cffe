import { expect, test } from 'vitest';
import { chaos } from '../support/chaos/chaos.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { useControlPlane } from '../support/shared-control-plane.ts';

const plane = useControlPlane();

/** A short form of `npm run chaos`; from its seed come a creation and a PATCH that were applied and never answered. */
const SHORT = { kills: 4, resources: 6, replicas: 1, patient: false };

test.each([{ seed: 177 }])(
  'a controller that is killed again and again makes nothing twice and repeats nothing, seed $seed',
  async ({ seed }) => {
    const program = await sharedBundle();
    const { wrongs } = await chaos({ plane: plane(), program, seed, ...SHORT }, () => undefined);
    expect(wrongs).toEqual([]);
  },
  240_000,
);
