import type { TestProject } from 'vitest/node';
import { ensureControlPlaneBinaries } from './control-plane-binaries.ts';
import { launchControlPlane } from './control-plane.ts';
import { handOut, type HandedOut } from '../handed-out.ts';

type Launched = Awaited<ReturnType<typeof launchControlPlane>>;

let handedOut: HandedOut | undefined;
let launched: Promise<Launched> | undefined;

/**
 * Runs once, before the test files that may need a control plane, in their common process. It prepares the programs,
 * which can take minutes, before the time of any test runs. The first test file that requests the common address starts
 * the shared control plane, and all others get the same one.
 */
export async function setup(project: TestProject): Promise<void> {
  await ensureControlPlaneBinaries().catch((error: unknown) => {
    launched = Promise.reject(error);
    launched.catch(() => undefined);
  });
  handedOut = await handOut(async () => (await (launched ??= launchControlPlane())).info);
  project.provide('controlPlaneAddress', handedOut.address);
}

/** Ends the shared control plane, if a test requested it. */
export async function teardown(): Promise<void> {
  handedOut?.close();
  await launched?.then(
    ({ stop }) => stop(),
    () => undefined,
  );
}
