import type { TestProject } from 'vitest/node';
import { type Bundle, temporaryBundle } from './bundle.ts';
import { handOut, type HandedOut } from '../handed-out.ts';

let handedOut: HandedOut | undefined;
let built: Promise<Bundle> | undefined;

/**
 * Runs once, before all test files. The first file that requests the bundle starts its build, and all others get the
 * same bundle.
 */
export async function setup(project: TestProject): Promise<void> {
  handedOut = await handOut(async () => (await (built ??= temporaryBundle())).program);
  project.provide('bundleAddress', handedOut.address);
  // In watch mode, tests run again because the source has changed.
  project.onTestsRerun(removeBuilt);
}

/** Removes the built bundle. */
export async function teardown(): Promise<void> {
  handedOut?.close();
  await removeBuilt();
}

async function removeBuilt(): Promise<void> {
  const old = built;
  built = undefined;
  await old?.then(
    ({ remove }) => remove(),
    () => undefined,
  );
}
