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
 * With room to spare V8 collects late, and memory that grows says nothing. With little of it memory is flat, and whoever
 * leaks ends by itself, which is noticed.
 */
const HEAP = ['--max-old-space-size=64', '--max-semi-space-size=2'] as const;

/** Controllers of a harness, none started yet. */
export interface Controllers {
  readonly replicas: readonly Replica[];
  /** Where they keep their Lease. */
  readonly leaseNamespace: string;
}

/** Makes the controllers that work on a cluster, and installs what they need there. */
export type MakeControllers = (cluster: Cluster) => Promise<Controllers>;

/** So many controllers for one namespace, as the administrator; one alone waits for nobody's Lease. */
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

/** What the chart installs with its own values: for the whole cluster, by the service account's token and nothing else. */
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
