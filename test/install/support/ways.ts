import { join } from 'node:path';
import { expect } from 'vitest';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import type { Helm } from '../../support/programs/helm.ts';
import { CHART, INSTALL, OVERLAYS } from './rendered.ts';

/** A way to install, and its result. */
export interface Way {
  readonly name: string;
  /** The namespaces whose Deployments are reconciled, with the labels of their connections. */
  readonly served: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A namespace outside the scope of a controller that may read only its own namespaces. */
  readonly leftAlone?: string;
  /** The total number of processes in the pod templates. */
  readonly processes: number;
  /** The number of Leases. */
  readonly leases: number;
  /** The namespace of the controller. Default: dms-operator. */
  readonly home?: string;
  install(plane: ControlPlane, helm: Helm): Promise<void>;
  /** Removes the installation, except for the CRDs. */
  uninstall(plane: ControlPlane, helm: Helm): Promise<void>;
}

const ONE = { 'team-a': {} };
const SHARDS = { 'team-a': { shard: 'a' }, 'team-b': { shard: 'b' }, 'team-c': {} };

/** Applies a folder as docs/guides/installing.md says. */
export async function applyFolder(plane: ControlPlane, folder: string): Promise<void> {
  const { code, stderr } = await plane.kubectl(['apply', '--server-side', '-k', folder]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

/** Installs the chart, or another one, with these values. */
export async function helmInstall(
  { helm, plane }: { readonly helm: Helm; readonly plane: ControlPlane },
  release: string,
  {
    values = {},
    namespace = 'dms-operator',
    chart = CHART,
  }: { values?: object; namespace?: string; chart?: string } = {},
): Promise<void> {
  const words = ['install', release, chart, '--namespace', namespace, '--create-namespace'];
  await helm.output([...words, '--set-json', JSON.stringify(values)], plane.kubeconfigFile);
}

/** Installs with kustomize, where the namespaces of the teams exist before. */
function applied(folder: string): Pick<Way, 'install' | 'uninstall'> {
  return {
    async install(plane) {
      await plane.kubectl(['create', 'namespace', 'team-a']);
      await applyFolder(plane, folder);
    },
    async uninstall(plane) {
      const args = ['delete', '-k', folder, '-l', 'app.kubernetes.io/instance', '--timeout=45s'];
      const { code, stderr } = await plane.kubectl(args);
      expect(code, stderr).toBe(0);
    },
  };
}

function uninstalled(namespace: string, ...releases: readonly string[]): Way['uninstall'] {
  return async (plane, helm) => {
    const words = ['uninstall', ...releases, '--namespace', namespace];
    await helm.output(words, plane.kubeconfigFile);
  };
}

/** Every documented way to install. */
export const WAYS: readonly Way[] = [
  {
    name: 'apply -k install',
    ...{ served: ONE, processes: 2, leases: 1 },
    ...applied(INSTALL),
  },
  {
    name: 'apply -k overlays/single-namespace',
    ...{ served: ONE, leftAlone: 'team-b', processes: 2, leases: 1 },
    ...applied(join(OVERLAYS, 'single-namespace')),
  },
  {
    name: 'apply -k overlays/sharded',
    ...{ served: SHARDS, processes: 6, leases: 3 },
    ...applied(join(OVERLAYS, 'sharded')),
  },
  {
    name: 'apply -k overlays/single-replica',
    ...{ served: ONE, processes: 1, leases: 0 },
    ...applied(join(OVERLAYS, 'single-replica')),
  },
  {
    name: 'helm install',
    ...{ served: ONE, processes: 2, leases: 1 },
    install: (plane, helm) => helmInstall({ helm, plane }, 'dms-operator'),
    uninstall: uninstalled('dms-operator', 'dms-operator'),
  },
  {
    name: 'helm install for two namespaces',
    ...{ served: { 'team-a': {}, 'team-b': {} }, leftAlone: 'team-c', processes: 2, leases: 1 },
    home: 'platform',
    async install(plane, helm) {
      for (const namespace of ['team-a', 'team-b']) await plane.kubectl(['create', 'namespace', namespace]);
      const values = { watchNamespaces: ['team-b', 'team-a'] };
      await helmInstall({ helm, plane }, 'agents', { values, namespace: 'platform' });
    },
    uninstall: uninstalled('platform', 'agents'),
  },
  {
    name: 'helm install for each shard',
    ...{ served: { 'team-a': { shard: 'a' }, 'team-c': {} }, processes: 2, leases: 2 },
    async install(plane, helm) {
      const rest = { replicas: 1, shardSelector: 'shard notin (a)' };
      await helmInstall({ helm, plane }, 'dms-operator', { values: rest });
      const shared = { crds: { install: false }, userRoles: { create: false } };
      const values = { ...shared, replicas: 1, shardSelector: 'shard=a' };
      await helmInstall({ helm, plane }, 'shard-a', { values });
    },
    uninstall: uninstalled('dms-operator', 'shard-a', 'dms-operator'),
  },
];
