import { request } from 'node:http';
import { afterAll, beforeAll, inject } from 'vitest';
import {
  connectToControlPlane,
  startControlPlane,
  type ControlPlane,
  type ControlPlaneInfo,
  type ControlPlaneOptions,
} from './control-plane.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address at which global-setup.ts answers with the shared control plane, starting it for whoever asks first. */
    controlPlaneAddress: string;
  }
}

/** A first run may have to build the programs, which takes minutes. */
const START_LIMIT_MS = 15 * 60_000;

/**
 * Gives the test file the control plane that all files of a run share; it is started when the first file
 * asks. Call it at the top of a file, and the returned function inside tests and hooks.
 */
export function useControlPlane(): () => ControlPlane {
  let plane: ControlPlane | undefined;
  beforeAll(async () => {
    plane = connectToControlPlane(await sharedInfo(inject('controlPlaneAddress')), async () => undefined);
  }, START_LIMIT_MS);
  return () => started(plane);
}

/** Gives the test file a control plane of its own, which may be stopped, flagged and measured. */
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

function sharedInfo(address: string): Promise<ControlPlaneInfo> {
  return new Promise((resolve, reject) => {
    const outgoing = request(address, { agent: false });
    outgoing.once('error', reject).once('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      incoming.once('end', () => {
        if (incoming.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(text));
      });
    });
    outgoing.end();
  });
}
