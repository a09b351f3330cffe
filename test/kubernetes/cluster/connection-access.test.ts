import { describe, expect, it, onTestFinished } from 'vitest';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();
const start = useClusterWorlds(plane);
const never = new AbortController().signal;
const TENANTS = { matchLabels: { 'dms.example.com/tenant': 'yes' } };
const NOT_BARRED = { matchExpressions: [{ key: 'dms.example.com/barred', operator: 'DoesNotExist' }] };

/** Creates a ClusterConnection for the duration of a test and returns its name. */
async function share(world: ClusterWorld, what: string, spec: object): Promise<string> {
  const name = `${what}-${world.namespace}`;
  await world.api('POST', `/apis/${API_VERSION}/clusterconnections`, {
    apiVersion: API_VERSION,
    kind: 'ClusterConnection',
    metadata: { name },
    spec: { baseURL: 'https://deploy.example.com', suspend: true, ...spec },
  });
  onTestFinished(async () => {
    await world.api('DELETE', `/apis/${API_VERSION}/clusterconnections/${name}`);
  });
  return name;
}

describe('access to a ClusterConnection', () => {
  it('follows the current labels of the namespace and the current selector', async () => {
    const world = await start();
    const { namespace } = world;
    const tenants = await share(world, 'tenants', { namespaceSelector: TENANTS });
    const named = await share(world, 'named', {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    });
    const everybody = await share(world, 'everybody', { namespaceSelector: {} });
    const nobody = await share(world, 'nobody', {});
    await world.adapter.start(never);
    const allowed = (): readonly boolean[] =>
      [tenants, named, everybody, nobody, 'absent'].map((name) =>
        world.adapter.connectionAccess.selects(name, namespace),
      );
    expect(allowed()).toEqual([false, true, true, false, false]);
    await world.api('PATCH', `/api/v1/namespaces/${namespace}`, {
      metadata: { labels: TENANTS.matchLabels },
    });
    await expect.poll(allowed).toEqual([true, true, true, false, false]);
    await world.api('PATCH', `/apis/${API_VERSION}/clusterconnections/${nobody}`, {
      spec: { namespaceSelector: TENANTS },
    });
    await expect.poll(allowed).toEqual([true, true, true, true, false]);
  });

  it('follows names alone if namespaces are not readable, and treats unknown labels as barred', async () => {
    const admin = await start();
    const { namespace } = admin;
    await admin.api('PATCH', `/api/v1/namespaces/${namespace}`, {
      metadata: { labels: TENANTS.matchLabels },
    });
    const byLabel = await share(admin, 'tenants', { namespaceSelector: TENANTS });
    const byAbsence = await share(admin, 'unbarred', { namespaceSelector: NOT_BARRED });
    const byName = await share(admin, 'named', {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    });
    const user = `without-namespaces-${namespace}`;
    const rules = [
      { apiGroups: ['dms-operator.dev'], resources: ['*'], verbs: ['list', 'watch'] },
      { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['list', 'watch'] },
    ];
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    await admin.api('POST', `${rbac}/clusterroles`, { metadata: { name: user }, rules });
    await admin.api('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: user },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
    const kubeconfig = await plane().userKubeconfig(user);
    const { adapter } = await start({ kubeconfig, namespace });
    await adapter.start(never);
    const { selects } = adapter.connectionAccess;
    expect([byLabel, byAbsence, byName].map((name) => selects(name, namespace))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
