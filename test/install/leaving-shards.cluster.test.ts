import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startInstalled } from '../support/installed/replicas.ts';
import type { OperatorProcess } from '../support/worlds/operator-process.ts';
import { sharedBundle } from '../support/bundle/shared-bundle.ts';
import { useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { INSTALL, OVERLAYS } from './support/rendered.ts';
import { applySample } from './support/sample.ts';
import { applyFolder } from './support/ways.ts';

const cluster = useOwnControlPlane();
const LIMIT_MS = 180_000;

it(
  'a single controller takes over the connections of removed shards, with the rights of its role',
  async () => {
    const program = await sharedBundle();
    const start = async (): Promise<readonly OperatorProcess[]> => {
      const replicas = await startInstalled(cluster(), { namespace: 'dms-operator', program });
      const processes = replicas.flatMap((each) => each.processes);
      onTestFinished(async () => void (await Promise.all(processes.map((process) => process.kill()))));
      return processes;
    };
    await applyFolder(cluster(), join(OVERLAYS, 'sharded'));
    const shards = await start();
    const sample = await applySample(cluster(), 'team-a', { shard: 'a' });
    await sample.ready();
    expect(await sample.servedBy()).not.toBe('dms-operator/dms-operator');
    await Promise.all(shards.map((process) => process.stop()));

    await applyFolder(cluster(), INSTALL);
    const gone = ['deployment.apps/dms-operator-a', 'deployment.apps/dms-operator-b'];
    await cluster().kubectl(['delete', '-n', 'dms-operator', ...gone]);
    expect(await start()).toHaveLength(2);
    await expect
      .poll(() => sample.servedBy(), { timeout: 60_000, interval: 250 })
      .toBe('dms-operator/dms-operator');
  },
  LIMIT_MS,
);
