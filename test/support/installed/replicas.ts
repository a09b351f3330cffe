import type { ControlPlane } from '../control-plane/control-plane.ts';
import { imageVariables, imageWords } from '../bundle/image-words.ts';
import { type OperatorProcess, startOperator } from '../worlds/operator-process.ts';
import { controllerOf, installedWorkloads, variablesOf, type Workload } from './workloads.ts';

/** Where to start what is installed. */
export interface InstalledHost {
  readonly namespace: string;
  /** The bundle, in place of the image. */
  readonly program: string;
  /** A kubeconfig file made of that of the service account, such as one that leads through a proxy. Default: the same. */
  readonly through?: (kubeconfigFile: string) => Promise<string>;
  /** Variables beside those of the pod template, which win. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A workload that is installed, and its processes. */
export interface InstalledReplicas {
  readonly workload: Workload;
  /** Those that the workload asks for, from the beginning. */
  readonly processes: readonly OperatorProcess[];
  /** Starts one more, such as in the place of one that was killed. */
  readonly start: () => OperatorProcess;
}

/**
 * Starts as many replicas as each workload asks for that is installed in a namespace, each as its pod template says and
 * with nothing but a token of its service account, which lasts an hour. Whoever starts them ends them.
 */
export async function startInstalled(
  plane: ControlPlane,
  { namespace, program, variables = {}, through = async (file) => file }: InstalledHost,
): Promise<readonly InstalledReplicas[]> {
  const workloads = await installedWorkloads(plane, namespace);
  return await Promise.all(
    workloads.map(async (workload) => {
      const { serviceAccountName } = workload.spec.template.spec;
      const own = await plane.serviceAccountKubeconfig(namespace, serviceAccountName);
      const given = { ...variables, KUBECONFIG: await through(own) };
      const start = (): OperatorProcess => startReplica(workload, program, given);
      return { workload, start, processes: Array.from({ length: workload.spec.replicas }, start) };
    }),
  );
}

/**
 * One replica with the arguments and variables of the container, the words of the image, and no other variable but those
 * given. Instead of what a kubelet does, the account's token comes in a kubeconfig file, the namespace of the pod in a
 * variable, and metrics are at any free port, since all replicas share this machine.
 */
export function startReplica(
  workload: Workload,
  program: string,
  given: Readonly<Record<string, string>>,
): OperatorProcess {
  const { name, namespace } = workload.metadata;
  const env = {
    ...imageVariables(),
    DMS_OPERATOR_OPERATOR_NAMESPACE: namespace,
    DMS_OPERATOR_METRICS_ADDRESS: '127.0.0.1:0',
    ...given,
    ...variablesOf(workload, name),
  };
  return startOperator(controllerOf(workload).args, program, imageWords(), { env });
}
