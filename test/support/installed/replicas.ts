import type { ControlPlane } from '../control-plane/control-plane.ts';
import { imageVariables, imageWords } from '../bundle/image-words.ts';
import { type OperatorProcess, startOperator } from '../worlds/operator-process.ts';
import { controllerOf, installedWorkloads, variablesOf, type Workload } from './workloads.ts';

/** The machine on which the installed workloads start. */
export interface InstalledHost {
  readonly namespace: string;
  /** The bundle that replaces the image. */
  readonly program: string;
  /**
   * Returns a kubeconfig file made from that of the service account, for example one with a proxy. Default: the same
   * file.
   */
  readonly through?: (kubeconfigFile: string) => Promise<string>;
  /** Variables beside those of the pod template. The template takes precedence. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** An installed workload and its processes. */
export interface InstalledReplicas {
  readonly workload: Workload;
  /** The replicas of the workload, in the order of their starts. */
  readonly processes: readonly OperatorProcess[];
  /** Starts one more replica, for example to replace a killed one. */
  readonly start: () => OperatorProcess;
}

/**
 * Starts all replicas of each workload in a namespace, each as its pod template says and with only a token of its
 * service account, which lasts an hour. The caller must end them.
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
 * Starts one replica with the arguments and variables of the container, the command of the image, and no variables
 * except the given ones. Instead of a kubelet, a kubeconfig file contains the account's token, a variable the namespace
 * of the pod, and metrics use any free port, since all replicas share this machine.
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
