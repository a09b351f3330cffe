import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { TestProject } from 'vitest/node';
import { ensureControlPlaneBinaries } from './control-plane-binaries.ts';
import { launchControlPlane } from './control-plane.ts';

type Launched = Awaited<ReturnType<typeof launchControlPlane>>;

let server: Server | undefined;
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
  // The answer carries credentials, so only whoever was told the path gets it.
  const path = `/${randomBytes(16).toString('hex')}`;
  server = createServer((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end();
    launched ??= launchControlPlane();
    launched.then(
      ({ info }) => response.writeHead(200).end(JSON.stringify(info)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  const port = await listen(server);
  server.unref();
  project.provide('controlPlaneAddress', `http://127.0.0.1:${port}${path}`);
}

/** Ends the shared control plane, if any test asked for it. */
export async function teardown(): Promise<void> {
  server?.close();
  await launched?.then(
    ({ stop }) => stop(),
    () => undefined,
  );
}

function listen(listening: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    listening.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = listening.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
    });
  });
}
