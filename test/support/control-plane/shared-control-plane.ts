import { afterAll, beforeAll, inject } from 'vitest';
import {
  connectToControlPlane,
  startControlPlane,
  type ControlPlane,
  type ControlPlaneInfo,
  type ControlPlaneOptions,
} from './control-plane.ts';
import { askedFor } from '../handed-out.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The address at which control-plane-setup.ts returns the shared control plane. It starts it for the first
     * caller.
     */
    controlPlaneAddress: string;
  }
}

/** A first run may have to build the programs, which takes minutes. */
const START_LIMIT_MS = 15 * 60_000;

/**
 * Gives the test file the control plane that all files of a run share. It starts when the first file requests it. Call
 * it at the top of a file, and the returned function inside tests and hooks.
 */
export function useControlPlane(): () => ControlPlane {
  let plane: ControlPlane | undefined;
  beforeAll(async () => {
    const info = await askedFor<ControlPlaneInfo>(inject('controlPlaneAddress'));
    plane = connectToControlPlane(info, async () => undefined);
  }, START_LIMIT_MS);
  return () => started(plane);
}

/** Gives the test file its own control plane, which it may stop, start with flags, and measure. */
export function useOwnControlPlane(options: ControlPlaneOptions = {}): () => ControlPlane {
  let plane: ControlPlane | undefined;
  beforeAll(async () => {
    plane = await startControlPlane(options);
  }, START_LIMIT_MS);
  afterAll(() => plane?.stop());
  return () => started(plane);
}

function started(plane: ControlPlane | undefined): ControlPlane {
  if (plane === undefined) throw new Error('the control plane is there in tests and hooks only');
  return plane;
}
