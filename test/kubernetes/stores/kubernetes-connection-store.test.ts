import { describe, expect, it, onTestFinished } from 'vitest';
import { API_VERSION, type Key } from '../../../src/api/metadata.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const start = useClusterWorlds(useControlPlane());
const never = new AbortController().signal;

async function createBoth(world: ClusterWorld): Promise<readonly Key[]> {
  const { namespace } = world;
  const spec = { baseURL: 'https://deploy.example.com' };
  const cluster = `shared-${namespace}`;
  const body = { apiVersion: API_VERSION, spec };
  await world.api('POST', `/apis/${API_VERSION}/namespaces/${namespace}/connections`, {
    ...body,
    kind: 'Connection',
    metadata: { name: 'default' },
  });
  await world.api('POST', `/apis/${API_VERSION}/clusterconnections`, {
    ...body,
    kind: 'ClusterConnection',
    metadata: { name: cluster },
  });
  // Removes it, because every other test that watches the cluster would see it.
  onTestFinished(async () => {
    await world.api('DELETE', `/apis/${API_VERSION}/clusterconnections/${cluster}`);
  });
  return [
    { kind: 'Connection', namespace, name: 'default' },
    { kind: 'ClusterConnection', namespace: '', name: cluster },
  ];
}

describe('the connection store', () => {
  it('finds connections of both kinds, each under its own kind only', async () => {
    const world = await start();
    const keys = await createBoth(world);
    await world.adapter.start(never);
    const store = world.adapter.connectionStore;
    for (const key of keys) {
      expect(await store.get(key)).toMatchObject({ kind: key.kind, metadata: { name: key.name } });
      const kind = key.kind === 'Connection' ? 'ClusterConnection' : 'Connection';
      expect(await store.get({ ...key, kind })).toBeUndefined();
    }
  });

  it('writes the status of both kinds, sees it at once, and does not write the same status twice', async () => {
    const world = await start();
    const keys = await createBoth(world);
    await world.adapter.start(never);
    const store = world.adapter.connectionStore;
    for (const key of keys) {
      const before = await store.get(key);
      if (before === undefined) throw new Error('the connection should be there');
      const status = { observedGeneration: 1, deployments: { total: 3, managed: 1 } };
      const saved = await store.saveStatus(before, status);
      expect(saved).toMatchObject({ status });
      expect(await store.get(key)).toMatchObject({ status });
      if (saved === 'stale') throw new Error('the status should land');
      const sent = world.counted.requests.length;
      expect(await store.saveStatus(saved, status)).toBe(saved);
      expect(world.counted.requests.length).toBe(sent);
    }
  });

  it('returns stale if somebody else wrote first, or the connection is gone', async () => {
    const world = await start();
    const [key] = await createBoth(world);
    await world.adapter.start(never);
    const store = world.adapter.connectionStore;
    const before = key === undefined ? undefined : await store.get(key);
    if (before === undefined) throw new Error('the connection should be there');
    const path = `/apis/${API_VERSION}/namespaces/${world.namespace}/connections/default`;
    await world.api('PATCH', path, { spec: { suspend: true } });
    expect(await store.saveStatus(before, { observedGeneration: 1 })).toBe('stale');
    await world.api('DELETE', path);
    expect(await store.saveStatus(before, { observedGeneration: 1 })).toBe('stale');
  });

  it('reports whether a copy of either kind is current, without a write', async () => {
    const world = await start();
    const keys = await createBoth(world);
    await world.adapter.start(never);
    const store = world.adapter.connectionStore;
    for (const key of keys) {
      const made = await store.get(key);
      const before = made && (await store.saveStatus(made, { servedBy: 'ns/lease' }));
      if (before === undefined || before === 'stale') throw new Error('the status should land');
      expect(await store.isCurrent(before)).toBe(true);
      expect((await store.get(key))?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
      const base = `/apis/${API_VERSION}${key.namespace === '' ? '' : `/namespaces/${key.namespace}`}`;
      const path = `${base}/${key.kind.toLowerCase()}s/${key.name}`;
      const stored = (await world.api('GET', path)) as { metadata: { resourceVersion: string } };
      expect(stored.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
      await world.api('PATCH', path, { metadata: { labels: { tier: 'gold' } } });
      expect(await store.isCurrent(before)).toBe(false);
    }
  });
});
