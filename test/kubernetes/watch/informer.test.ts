import { describe, expect, it } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import type { Key } from '../../../src/api/metadata.ts';
import type { Transport } from '../../../src/kubernetes/client/exchange.ts';
import { listWatch } from '../../../src/kubernetes/watch/list-watch.ts';
import { REFLECTOR_TUNING } from '../../../src/kubernetes/watch/reflector-state.ts';
import { Reflector } from '../../../src/kubernetes/watch/reflector.ts';
import { DEPLOYMENTS } from '../../../src/kubernetes/objects/resource-type.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const start = useClusterWorlds(useControlPlane());
const never = new AbortController().signal;

const names = (resources: readonly DeploymentResource[]): readonly string[] =>
  resources.map(({ metadata }) => metadata.name).toSorted();

function heard(world: ClusterWorld): string[] {
  const keys: string[] = [];
  world.adapter.informers.deployments.subscribe({ onChange: ({ name }: Key) => keys.push(name) });
  return keys;
}

describe('an informer over a real API server', () => {
  it.each([
    { how: 'as a stream', refuses: false, pages: [] },
    {
      how: 'in pages, where the server refuses streams',
      refuses: true,
      pages: ['first', 'next', 'next'],
    },
  ])('reads a list $how', async ({ refuses, pages }) => {
    const world = await start();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await world.create(name);
    const { transport } = world.adapter;
    const asked: string[] = [];
    const watched: Transport = {
      request: async (method, path, options) => {
        asked.push(options?.query?.['continue'] === undefined ? 'first' : 'next');
        return await transport.request(method, path, options);
      },
      watch(path, query, signal) {
        const bad = refuses && query['sendInitialEvents'] === true;
        return transport.watch(path, bad ? { ...query, resourceVersionMatch: 'Exact' } : query, signal);
      },
      close: () => transport.close(),
    };
    const ending = new AbortController();
    const listed = Promise.withResolvers<readonly string[]>();
    const running = new Reflector({
      kind: 'Deployment',
      namespace: world.namespace,
      source: listWatch(watched, { type: DEPLOYMENTS, namespace: world.namespace }),
      sink: {
        prepared: (object) => object,
        replaced: (items) => listed.resolve(items.map(({ metadata }) => metadata.name)),
        changed: () => undefined,
        failed: (error) => listed.reject(error),
      },
      clock: systemClock,
      logger: world.logger,
      tuning: { ...REFLECTOR_TUNING, pageLimit: 2 },
    }).run(ending.signal);
    expect(await listed.promise).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(asked).toEqual(pages);
    ending.abort();
    await running;
  });

  it('follows creation, change and deletion', async () => {
    const world = await start();
    await world.adapter.start(never);
    const keys = heard(world);
    await world.create('a');
    await world.caughtUp();
    await world.api('PATCH', world.deployments('a'), {
      spec: { sourceConfig: { customURL: 'https://a.example.com' } },
    });
    await world.caughtUp();
    await world.api('DELETE', world.deployments('a'));
    await world.caughtUp();
    expect(keys).toEqual(['a', 'a', 'a']);
    expect(world.adapter.informers.deployments.list()).toEqual([]);
  });

  it('keeps objects without managedFields, and hands out what nobody can change', async () => {
    const world = await start();
    await world.create('a');
    await world.adapter.start(never);
    const found = world.adapter.informers.deployments.get(world.namespace, 'a');
    expect(found?.metadata).not.toHaveProperty('managedFields');
    expect(Object.isFrozen(found?.spec)).toBe(true);
    expect(found?.kind).toBe('Deployment');
  });

  it('is not harmed by a subscriber that throws', async () => {
    const world = await start();
    await world.adapter.start(never);
    world.adapter.informers.deployments.subscribe({
      onChange: () => {
        throw new Error('a bug');
      },
    });
    const keys = heard(world);
    await world.create('a');
    await world.create('b');
    await world.caughtUp();
    expect(keys).toEqual(['a', 'b']);
    expect(world.logger.messages('error')).toContain('a subscriber to changes failed');
  });

  it('starts once, however often it is asked to', async () => {
    const world = await start();
    const ending = new AbortController();
    const { deployments } = world.adapter.informers;
    const { signal } = ending;
    await Promise.all([deployments.start(signal), deployments.start(signal)]);
    await deployments.start(signal);
    expect(world.counted.relists).toBe(1);
    ending.abort();
    await deployments.ended();
  });

  it('reports nothing after it was stopped', async () => {
    const world = await start();
    const ending = new AbortController();
    await world.adapter.start(ending.signal);
    const keys = heard(world);
    ending.abort();
    await world.adapter.informers.deployments.ended();
    await world.create('a');
    expect(keys).toEqual([]);
    expect(world.adapter.informers.deployments.list()).toEqual([]);
  });

  it('rejects a start that is aborted before it is complete, and nothing else', async () => {
    const world = await start();
    const ending = new AbortController();
    const starting = world.adapter.start(ending.signal);
    ending.abort(new Error('changed my mind'));
    await expect(starting).rejects.toThrow('changed my mind');
  });

  it('watches several namespaces as one, and no others', async () => {
    const [one, other] = [await start(), await start()];
    const world = await start({ namespaces: [one.namespace, one.namespace, other.namespace] });
    await one.create('a');
    await other.create('b');
    await world.create('not-watched');
    await world.adapter.start(never);
    expect(names(world.adapter.informers.deployments.list())).toEqual(['a', 'b']);
  });

  it('finds objects by id, by name at the service, by connection and by Secret', async () => {
    const world = await start();
    const id = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';
    await world.create('by-id', { spec: { deploymentRef: { id } } });
    await world.create('by-name', { spec: { deploymentRef: { name: 'agent' } } });
    await world.create('plain', {
      spec: {
        connectionRef: { name: 'staging' },
        secrets: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } }],
      },
    });
    await world.adapter.start(never);
    const { deployments } = world.adapter.informers;
    expect(names(deployments.byIndex('deploymentID', id))).toEqual(['by-id']);
    expect(names(deployments.byIndex('name', 'agent'))).toEqual(['by-name']);
    expect(names(deployments.byIndex('name', 'plain'))).toEqual(['plain']);
    expect(names(deployments.byIndex('connection', 'ClusterConnection//default'))).toEqual([
      'by-id',
      'by-name',
    ]);
    expect(names(deployments.byIndex('connection', `Connection/${world.namespace}/staging`))).toEqual([
      'plain',
    ]);
    expect(names(deployments.byIndex('dataObject', `Secret/${world.namespace}/keys`))).toEqual(['plain']);
  });

  it('treats cluster connections as absent if it may only read its own namespace', async () => {
    const admin = await start();
    const { namespace, plane } = admin;
    await admin.api('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`, {
      metadata: { name: 'reader' },
      rules: [
        {
          apiGroups: ['dms-operator.dev'],
          resources: ['deployments', 'connections'],
          verbs: ['list', 'watch'],
        },
        { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['list', 'watch'] },
      ],
    });
    await admin.api('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `reader-${namespace}` }],
    });
    const kubeconfig = await plane.userKubeconfig(`reader-${namespace}`);
    const world = await start({ kubeconfig, namespaces: [namespace], operatorNamespace: 'kube-system' });
    await admin.create('a');
    await world.adapter.start(never);
    expect(names(world.adapter.informers.deployments.list())).toEqual(['a']);
    expect(world.adapter.informers.clusterConnections.hasSynced).toBe(true);
    expect(world.adapter.informers.namespaces.hasSynced).toBe(true);
  });
});

describe('informers over Secrets and ConfigMaps', () => {
  it('keep names and versions, and no value, wherever the object holds it', async () => {
    const world = await start();
    const value = 'hunter2-hunter2';
    const encoded = Buffer.from(value).toString('base64');
    await world.api('POST', world.core('secrets'), {
      metadata: {
        name: 'keys',
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data: { token: encoded } }),
        },
      },
      data: { token: encoded },
    });
    await world.api('POST', world.core('configmaps'), {
      metadata: { name: 'settings' },
      data: { token: value },
    });
    await world.adapter.start(never);
    const { secrets, configMaps } = world.adapter.informers;
    await world.api('PATCH', world.core('secrets', 'keys'), { stringData: { other: value } });
    await expect
      .poll(() => secrets.get(world.namespace, 'keys')?.metadata.resourceVersion)
      .toBeTypeOf('string');
    const cached = JSON.stringify([secrets.list(), configMaps.list()]);
    expect(cached).toContain('keys');
    expect(cached).toContain('settings');
    expect(cached).not.toContain(value);
    expect(cached).not.toContain(encoded);
    expect(cached).not.toContain('token');
  });
});
