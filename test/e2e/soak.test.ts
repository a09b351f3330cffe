import { describe, expect, test } from 'vitest';
import {
  installedControllers,
  type MakeControllers,
  plainControllers,
} from '../support/chaos/controllers.ts';
import { soak } from '../support/chaos/soak.ts';
import type { ControlPlane } from '../support/control-plane/control-plane.ts';
import { useHelm } from '../support/programs/helm.ts';
import { sharedBundle } from '../support/bundle/shared-bundle.ts';
import { useControlPlane, useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';

const shared = useControlPlane();
/** The installation of the chart serves every namespace. */
const own = useOwnControlPlane();
const helm = useHelm();
const LIMIT_MS = 300_000;

/** Runs a short form of `npm run soak`. Returns the failures, and the number of killed controllers. */
async function shortSoak(
  plane: ControlPlane,
  seed: number,
  make: (program: string) => MakeControllers,
): Promise<readonly [wrongs: readonly string[], kills: unknown]> {
  const program = await sharedBundle();
  const short = { seconds: 10, resources: 6, patient: false, killEveryMs: 8_000 };
  const { counts, wrongs } = await soak(
    { plane, program, controllers: make(program), seed, ...short },
    () => undefined,
  );
  return [wrongs, counts['kills']];
}

/** Most of a short soak waits until everything is at rest, so both run at the same time. */
describe.concurrent('behind a connection to the API server with every kind of failure', () => {
  test(
    'nothing is lost and nothing is done twice',
    async () => {
      const made = await shortSoak(shared(), 2, (program) => plainControllers(program, 1));
      expect(made).toEqual([[], 1]);
    },
    LIMIT_MS,
  );

  test(
    'and for the installation of the chart, when one of its two replicas is killed (seed 7)',
    async () => {
      const made = await shortSoak(own(), 7, (program) => installedControllers(program, helm));
      expect(made).toEqual([[], 1]);
    },
    LIMIT_MS,
  );
});
