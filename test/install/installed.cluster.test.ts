import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startInstalled } from '../support/installed/replicas.ts';
import { useHelm } from '../support/programs/helm.ts';
import type { OperatorProcess } from '../support/worlds/operator-process.ts';
import { BUILD_LIMIT_MS, sharedBundle } from '../support/bundle/shared-bundle.ts';
import { useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { refusedMethods } from './support/refused-methods.ts';
import { removeEverything } from './support/removal.ts';
import { applySample, type Sample } from './support/sample.ts';
import { WAYS } from './support/ways.ts';

const helm = useHelm();
let program = '';
beforeAll(async () => {
  program = await sharedBundle();
}, BUILD_LIMIT_MS);

const LIMIT_MS = 180_000;

/** The rights that a controller for some namespaces requests and does not need. */
const DISPENSABLE =
  /GET \/(?:apis\/dms-operator\.dev\/v1alpha1\/clusterconnections|api\/v1\/namespaces(?:\/(?:dms-operator|platform)\/(?:secrets|configmaps))?): 403/;

describe.each(WAYS)('after $name', (way) => {
  const { served, leftAlone, leases, home = 'dms-operator' } = way;
  const cluster = useOwnControlPlane();
  let running: readonly OperatorProcess[] = [];
  afterEach(async () => {
    for (const process of running) await process.kill();
  });

  it(
    'the controller from the pod templates brings Deployments to Ready, with its account only, until everything is removed',
    async () => {
      await way.install(cluster(), helm);
      const replicas = await startInstalled(cluster(), {
        ...{ namespace: home, program },
        variables: { DMS_OPERATOR_LOG_LEVEL: 'debug' },
      });
      running = replicas.flatMap((each) => each.processes);
      expect(running).toHaveLength(way.processes);

      const samples = await Promise.all(
        Object.entries(served).map(([namespace, labels]) => applySample(cluster(), namespace, labels)),
      );
      const other = leftAlone === undefined ? undefined : await applySample(cluster(), leftAlone);
      for (const sample of samples) await sample.ready();

      const servedBy = new Set(await Promise.all(samples.map((sample) => sample.servedBy())));
      expect(servedBy.size).toBe(Math.max(leases, 1));
      expect(await leasesIn(home)).toHaveLength(leases);
      expect(samples.map(writesTo)).toEqual(samples.map(() => ['patch']));

      await removeEverything(cluster(), uninstallAndStop);
      expect(samples.map(writesTo)).toEqual(samples.map(() => ['patch', 'delete']));
      for (const { served: service } of samples) {
        expect(service.service.shown('agent')).toBeUndefined();
        expect(service.service.shown('kept')).toBeDefined();
      }
      expect(other?.served.service.log.requests() ?? []).toEqual([]);
    },
    LIMIT_MS,
  );

  /** Uninstalls, and then stops the processes, like a kubelet that learns of the deletion last. */
  async function uninstallAndStop(): Promise<void> {
    // DmsRightMissing expects refusals of reads only.
    expect(await refusedMethods(running)).toEqual(leftAlone === undefined ? [] : ['GET']);
    const refused = running.flatMap(({ lines }) => lines).filter((line) => /forbidden/i.test(line));
    const dispensable = leftAlone === undefined ? [] : refused.filter((line) => DISPENSABLE.test(line));
    expect(refused.filter((line) => !dispensable.includes(line))).toEqual([]);
    await way.uninstall(cluster(), helm);
    expect(await Promise.all(running.map((process) => process.stop()))).toEqual(running.map(() => 0));
  }

  function writesTo({ served: { service } }: Sample): readonly string[] {
    return service.log
      .requests()
      .map(({ operation }) => operation)
      .filter((operation) => ['create', 'patch', 'delete'].includes(operation));
  }

  async function leasesIn(namespace: string): Promise<readonly string[]> {
    const { stdout } = await cluster().kubectl(['get', 'leases', '-n', namespace, '-o', 'name']);
    return stdout.split('\n').filter((line) => line !== '');
  }
});
