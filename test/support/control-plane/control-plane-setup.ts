import type { TestProject } from 'vitest/node';
import { ensureControlPlaneBinaries } from './control-plane-binaries.ts';
import { launchControlPlane } from './control-plane.ts';
import { handOut, type HandedOut } from '../handed-out.ts';

type Launched = Awaited<ReturnType<typeof launchControlPlane>>;

let handedOut: HandedOut | undefined;
let launched: Promise<Launched> | undefined;

/**
 * Runs once, before the test files that may need a control plane, in the process they have in common.
 * It prepares the programs, which can take minutes, while no test's time runs; the shared control plane
 * itself is started by the first test file that asks at the address given to all, and the others get the same one.
 */
export async function setup(project: TestProject): Promise<void> {
  await ensureControlPlaneBinaries().catch((error: unknown) => {
    launched = Promise.reject(error);
    launched.catch(() => undefined);
  });
  handedOut = await handOut(async () => (await (launched ??= launchControlPlane())).info);
  project.provide('controlPlaneAddress', handedOut.address);
}

/** Ends the shared control plane, if any test asked for it. */
export async function teardown(): Promise<void> {
  handedOut?.close();
  await launched?.then(
    ({ stop }) => stop(),
    () => undefined,
  );
}
