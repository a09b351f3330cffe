import { describe, expect, it } from 'vitest';
import type { ApiResponse } from '../support/control-plane/control-plane.ts';
import type { KubernetesDocument } from '../gitops/support/kustomize.ts';
import { useHelm } from '../support/programs/helm.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import type { Rendered } from './support/rendered.ts';
import { RENDERS } from './support/renders.ts';

interface PodSpec {
  readonly containers: readonly Readonly<Record<string, unknown>>[];
  readonly [member: string]: unknown;
}

const cluster = useControlPlane();
const helm = useHelm();

/** Returns the pods of all workloads: from a workload's template, from a job's template, or direct. */
function podOf({
  kind,
  metadata: { name },
  spec,
}: KubernetesDocument): { name: string; spec: PodSpec } | undefined {
  const parts = spec as Partial<Record<'template' | 'jobTemplate', { spec: unknown }>> | undefined;
  const job = parts?.jobTemplate?.spec as typeof parts;
  const found = kind === 'Pod' ? parts : (job?.template?.spec ?? parts?.template?.spec);
  return found === undefined ? undefined : { name: `${kind}-${name}`.toLowerCase(), spec: found as PodSpec };
}

/** Creates it in a namespace that enforces the level. The service account of the pod must exist. */
async function admitted(name: string, spec: PodSpec): Promise<ApiResponse> {
  const namespace = await cluster().createNamespace('restricted', {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/enforce-version': 'latest',
  });
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await cluster().request('POST', accounts, { metadata: { name: spec['serviceAccountName'] ?? 'default' } });
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  return await cluster().request('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
}

const BREAKS: readonly (readonly [what: string, of: (spec: PodSpec) => PodSpec])[] = [
  ['the host network', (spec) => ({ ...spec, hostNetwork: true })],
  ['a path of the host', (spec) => ({ ...spec, volumes: [{ name: 'host', hostPath: { path: '/' } }] })],
  ['root', (spec) => withSecurity(spec, { runAsNonRoot: false })],
  ['more privileges than its parent', (spec) => withSecurity(spec, { allowPrivilegeEscalation: true })],
  ['a capability', (spec) => withSecurity(spec, { capabilities: { drop: ['ALL'], add: ['NET_RAW'] } })],
  ['no profile of system calls', (spec) => withSecurity(spec, { seccompProfile: { type: 'Unconfined' } })],
];

function withSecurity(spec: PodSpec, change: object): PodSpec {
  const containers = spec.containers.map((container) => ({
    ...container,
    securityContext: { ...(container['securityContext'] as object), ...change },
  }));
  return { ...spec, containers };
}

describe.each(RENDERS)('every pod of $what', ({ objects }) => {
  let rendered: Promise<Rendered> | undefined;
  const pods = async () => {
    rendered ??= objects({ plane: cluster(), helm });
    return [...(await rendered).values()].map(podOf).filter((pod) => pod !== undefined);
  };

  it('is admitted where the restricted level is enforced', async () => {
    const all = await pods();
    expect(all).not.toEqual([]);
    for (const { name, spec } of all) {
      const { status, text } = await admitted(name, spec);
      expect({ name, status }, text).toEqual({ name, status: 201 });
    }
  });

  it.each(BREAKS)('would be refused with %s', async (_what, broken) => {
    for (const { name, spec } of await pods()) {
      const { status, text } = await admitted(name, broken(spec));
      expect({ name, status }, text).toEqual({ name, status: 403 });
      expect(text).toContain('violates PodSecurity \\"restricted');
    }
  });
});
