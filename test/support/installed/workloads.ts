import type { ControlPlane } from '../control-plane/control-plane.ts';

/** A variable of a container. Ours are set by value or from the pod itself. */
interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
}

/** A container of ours, with the parts that a process needs to start like it. */
interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: readonly EnvVar[];
}

/** The apps/v1 Deployment of a controller, as the API server stores it or a tool renders it. */
export interface Workload {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: { readonly serviceAccountName: string; readonly containers: readonly Container[] };
    };
  };
}

/** Returns every controller that is installed in a namespace, by name. */
export async function installedWorkloads(
  plane: ControlPlane,
  namespace: string,
): Promise<readonly Workload[]> {
  const query = 'labelSelector=app.kubernetes.io/name%3Ddms-operator';
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments?${query}`;
  const { status, text, json } = await plane.request('GET', path);
  if (status !== 200) throw new Error(`the API server answered ${status}: ${text}`);
  const { items } = json as { readonly items: readonly Workload[] };
  return items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
}

/** Returns the container of the controller. */
export function controllerOf({ metadata, spec }: Workload): Container {
  const found = spec.template.spec.containers.find(({ name }) => name === 'controller');
  if (found === undefined) throw new Error(`${metadata.name} has no container named controller`);
  return found;
}

/** Returns the variables of a container in a pod of this name. Throws for a source that no pod of ours has. */
export function variablesOf(workload: Workload, podName: string): Readonly<Record<string, string>> {
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': podName,
    'metadata.namespace': workload.metadata.namespace,
  };
  const valueOf = ({ name, value, valueFrom }: EnvVar): string => {
    if (valueFrom === undefined) return value ?? '';
    const field = fields[valueFrom.fieldRef?.fieldPath ?? ''];
    if (field === undefined) throw new Error(`${name}: only values and the pod's own fields are known here`);
    return field;
  };
  return Object.fromEntries((controllerOf(workload).env ?? []).map((each) => [each.name, valueOf(each)]));
}
