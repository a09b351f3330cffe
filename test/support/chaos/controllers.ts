import { join } from 'node:path';
import { startFaultProxy } from '../fault-proxy/fault-proxy.ts';
import type { Helm } from '../programs/helm.ts';
import { startReplica } from '../installed/replicas.ts';
import { controllerOf, installedWorkloads } from '../installed/workloads.ts';
import { controllerArgs, startOperator } from '../worlds/operator-process.ts';
import type { Cluster } from './cluster.ts';
import { Replica } from './replica.ts';

const CHART = join(import.meta.dirname, '..', '..', '..', 'manifests', 'chart');
const RELEASE = 'dms-operator';

/**
 * With a large heap V8 collects late, and growing memory proves nothing. With a small heap memory is level, and a
 * leaking process ends by itself, which the run notices.
 */
const HEAP = ['--max-old-space-size=64', '--max-semi-space-size=2'] as const;

/** The controllers of a harness, before their start. */
export interface Controllers {
  readonly replicas: readonly Replica[];
  /** The namespace of their Lease. */
  readonly leaseNamespace: string;
}

/** Creates the controllers of a cluster, and installs what they need there. */
export type MakeControllers = (cluster: Cluster) => Promise<Controllers>;

/**
 * Returns a function that creates controllers for one namespace that act as the administrator. A single one waits for
 * no Lease.
 */
export function plainControllers(program: string, count: number): MakeControllers {
  return async (cluster) => {
    await cluster.plane.installCRDs();
    const { namespace } = cluster;
    const replicas = Array.from({ length: count }, async (_, at) => {
      const proxy = await startFaultProxy(cluster.plane);
      const args = controllerArgs({
        kubeconfigFile: proxy.kubeconfigFile,
        watched: [namespace],
        operatorNamespace: namespace,
        logLevel: 'info',
        leaderElect: count > 1,
      });
      return new Replica(`replica-${at}`, proxy, () => startOperator(args, program, HEAP));
    });
    return { replicas: await Promise.all(replicas), leaseNamespace: namespace };
  };
}

/**
 * Returns a function that creates the controllers of the chart with its default values: for the whole cluster, with
 * only the token of the service account.
 */
export function installedControllers(program: string, helm: Pick<Helm, 'output'>): MakeControllers {
  return async ({ plane }) => {
    const where = ['--namespace', RELEASE, '--create-namespace'];
    await helm.output(['install', RELEASE, CHART, ...where], plane.kubeconfigFile);
    await plane.kubectl(['wait', '--for=condition=Established', '--all', 'crd']);
    const [workload] = await installedWorkloads(plane, RELEASE);
    if (workload === undefined) throw new Error('the chart installed no controller');
    const { replicas: count, template } = workload.spec;
    const account = await plane.serviceAccountKubeconfig(RELEASE, template.spec.serviceAccountName);
    const replicas = Array.from({ length: count }, async (_, at) => {
      const proxy = await startFaultProxy(plane);
      const kubeconfigFile = await proxy.kubeconfigFor(account);
      const name = `${controllerOf(workload).name}-${at}`;
      return new Replica(name, proxy, () => startReplica(workload, program, { KUBECONFIG: kubeconfigFile }));
    });
    return { replicas: await Promise.all(replicas), leaseNamespace: RELEASE };
  };
}
