import { expect, test } from 'vitest';
import { chaos } from '../support/chaos/chaos.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { useControlPlane } from '../support/shared-control-plane.ts';

const plane = useControlPlane();

/** A short form of `npm run chaos`. */
const SHORT = { kills: 6, resources: 6, replicas: 1 };

test.each([{ seed: 1 }])(
  'a controller that is killed again and again makes nothing twice and repeats nothing, seed $seed',
  async ({ seed }) => {
    const program = await sharedBundle();
    const { wrongs } = await chaos({ plane: plane(), program, seed, ...SHORT }, () => undefined);
    expect(wrongs).toEqual([]);
  },
  240_000,
);
