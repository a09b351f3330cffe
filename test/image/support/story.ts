import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import { rightsOf, startConfined } from './confined.ts';
import { expectSampleReconciled, joinCluster, untilReady } from './installation.ts';
import { shippedContainer } from './pod.ts';

/** What a container is made of, apart from what the pod adds. */
export interface Unpacked {
  readonly root: string;
  readonly entrypoint: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts a container as the shipped manifests say, on a cluster where they are installed, and expects that it may do
 * nothing else there, reconciles the sample and ends when it is told to.
 */
export async function expectToWorkAsShipped(cluster: ControlPlane, image: Unpacked): Promise<void> {
  const { args, user, group, securityContext } = shippedContainer();
  expect(securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const { root, entrypoint } = image;
  const size = await sizeOf(root);
  const env = { ...image.env, ...(await joinCluster(root, cluster)) };
  const startedAt = performance.now();
  const operator = await startConfined({ root, user, group, command: [...entrypoint, ...args], env });
  onTestFinished(() => operator.kill());

  const readyMs = await untilReady(operator, startedAt);
  expect(rightsOf(operator.pid)).toEqual({
    ...{ users: [user], groups: [group], capabilities: 0n, noNewPrivileges: true, writable: [] },
  });
  await expectSampleReconciled(cluster);
  expect(await operator.stop()).toBe(0);
  console.log(
    `image: ${Math.round(size / 2 ** 20)} MiB unpacked, ready ${Math.round(readyMs)} ms after its start`,
  );
}

async function sizeOf(root: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) size += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return size;
}
