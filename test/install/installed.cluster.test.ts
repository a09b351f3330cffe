import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type InstalledReplicas, startInstalled } from '../support/installed/replicas.ts';
import { useHelm } from '../support/helm.ts';
import { BUILD_LIMIT_MS, sharedBundle } from '../support/shared-bundle.ts';
import { useOwnControlPlane } from '../support/shared-control-plane.ts';
import { refusedMethods } from './support/refused-methods.ts';
import { applySample } from './support/sample.ts';
import { WAYS } from './support/ways.ts';

const helm = useHelm();
let program = '';
beforeAll(async () => {
  program = await sharedBundle();
}, BUILD_LIMIT_MS);

const LIMIT_MS = 180_000;

/** What a controller for some namespaces asks for and does without. */
const DISPENSABLE =
  /GET \/(?:apis\/dms-operator\.dev\/v1alpha1\/clusterconnections|api\/v1\/namespaces(?:\/(?:dms-operator|platform)\/(?:secrets|configmaps))?): 403/;

describe.each(WAYS)(
  'after $name',
  ({ install, served, leftAlone, processes, leases, home = 'dms-operator' }) => {
    const cluster = useOwnControlPlane();
    let replicas: readonly InstalledReplicas[] = [];
    afterEach(async () => {
      for (const process of replicas.flatMap((each) => each.processes)) await process.kill();
    });

    it(
      'the controller that the pod templates describe brings Deployments to Ready, by its account alone',
      async () => {
        await install(cluster(), helm);
        replicas = await startInstalled(cluster(), {
          ...{ namespace: home, program },
          variables: { DMS_OPERATOR_LOG_LEVEL: 'debug' },
        });
        const running = replicas.flatMap((each) => each.processes);
        expect(running).toHaveLength(processes);

        const samples = await Promise.all(
          Object.entries(served).map(([namespace, labels]) => applySample(cluster(), namespace, labels)),
        );
        const other = leftAlone === undefined ? undefined : await applySample(cluster(), leftAlone);
        for (const sample of samples) await sample.ready();

        const servedBy = new Set(await Promise.all(samples.map((sample) => sample.servedBy())));
        expect(servedBy.size).toBe(Math.max(leases, 1));
        expect(await leasesIn(home)).toHaveLength(leases);
        expect(other?.served.service.log.requests() ?? []).toEqual([]);
        for (const { served: service } of samples)
          expect(service.service.log.requests('patch')).toHaveLength(1);

        // DmsRightMissing expects refusals of nothing but reads.
        expect(await refusedMethods(running)).toEqual(other === undefined ? [] : ['GET']);
        expect(await Promise.all(running.map((process) => process.stop()))).toEqual(running.map(() => 0));
        const refused = running.flatMap(({ lines }) => lines).filter((line) => /forbidden/i.test(line));
        const dispensable = other === undefined ? [] : refused.filter((line) => DISPENSABLE.test(line));
        expect(refused.filter((line) => !dispensable.includes(line))).toEqual([]);
      },
      LIMIT_MS,
    );

    async function leasesIn(namespace: string): Promise<readonly string[]> {
      const { stdout } = await cluster().kubectl(['get', 'leases', '-n', namespace, '-o', 'name']);
      return stdout.split('\n').filter((line) => line !== '');
    }
  },
);
