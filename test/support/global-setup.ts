import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureControlPlaneBinaries } from './control-plane-binaries.ts';
import { launchControlPlane } from './control-plane.ts';

type Launched = Awaited<ReturnType<typeof launchControlPlane>>;

let directory: string | undefined;
let server: Server | undefined;
let launched: Promise<Launched> | undefined;

/**
 * Runs once, before the test files that may need a control plane, in the process they have in common.
 * It prepares the programs, which can take minutes, while no test's time runs; the shared control plane
 * itself is started by the first test file that asks on the socket, and the others get the same one.
 */
export async function setup(project: TestProject): Promise<void> {
  await ensureControlPlaneBinaries().catch((error: unknown) => {
    launched = Promise.reject(error);
    launched.catch(() => undefined);
  });
  directory = await mkdtemp(join(tmpdir(), 'dms-tests-'));
  const socket = join(directory, 'control-plane');
  server = createServer((_request, response) => {
    launched ??= launchControlPlane();
    launched.then(
      ({ info }) => response.writeHead(200).end(JSON.stringify(info)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server?.once('error', reject).listen(socket, resolve);
  });
  server.unref();
  project.provide('controlPlaneSocket', socket);
}

/** Ends the shared control plane, if any test asked for it. */
export async function teardown(): Promise<void> {
  server?.close();
  await launched?.then(
    ({ stop }) => stop(),
    () => undefined,
  );
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
}
