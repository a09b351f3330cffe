import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type DeploymentResource, FINALIZER } from '../../../src/api/deployment.ts';
import { desiredStoreContract } from '../../contracts/desired-store.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();
const start = useClusterWorlds(plane);

async function watched(world: ClusterWorld, name: string): Promise<DeploymentResource> {
  await world.caughtUp();
  const found = await world.adapter.deploymentStore.get(world.key(name));
  if (found === undefined) throw new Error(`${name} should be there`);
  return found;
}

describe('against a real API server', () => {
  const namespace = `contract-${randomUUID().slice(0, 8)}`;

  desiredStoreContract(
    'the Kubernetes store',
    async () => {
      await emptied(namespace);
      const world = await start({ namespace });
      await world.adapter.start(new AbortController().signal);
      return {
        store: world.adapter.deploymentStore,
        apply: (manifest) => apply(world, manifest),
        remove: async ({ name }) => void (await world.api('DELETE', world.deployments(name))),
        overwriteStatus: async ({ name }, status) =>
          void (await world.api('PATCH', `${world.deployments(name)}/status`, { status })),
        caughtUp: () => world.caughtUp(),
        stop: () => world.adapter.stop(),
      };
    },
    { namespace },
  );

  /** Removes what one test left behind, so that no other test finds it. */
  async function emptied(name: string): Promise<void> {
    await plane().installCRDs();
    await plane().request('POST', '/api/v1/namespaces', { metadata: { name } });
    const path = `/apis/dms-operator.dev/v1alpha1/namespaces/${name}/deployments/agent`;
    await plane().request('PATCH', path, { metadata: { finalizers: [] } }, 'application/merge-patch+json');
    await plane().request('DELETE', path);
  }

  /** Applies a manifest like `kubectl replace`, and keeps the finalizers. */
  async function apply(world: ClusterWorld, manifest: DeploymentResource): Promise<void> {
    const { name } = manifest.metadata;
    const path = world.deployments(name);
    const found = await world.plane.request('GET', path);
    if (found.status === 404) return void (await world.api('POST', world.deployments(), manifest));
    const { metadata } = found.json as unknown as DeploymentResource;
    const { finalizers = [], resourceVersion = '' } = metadata;
    await world.api('PUT', path, {
      ...manifest,
      metadata: { ...manifest.metadata, finalizers, resourceVersion },
    });
  }
});

describe('the Kubernetes store', () => {
  it('decides on its own newer copy until the watch has caught up', async () => {
    const world = await start();
    const ending = new AbortController();
    await world.create('agent');
    await world.adapter.start(ending.signal);
    const { deploymentStore: store, informers } = world.adapter;
    const before = await watched(world, 'agent');
    // The watch ends, so that the cache no longer changes.
    ending.abort();
    await store.saveStatus(before, { observedGeneration: 1, name: 'ours' }, { mustLand: true });
    expect(informers.deployments.get(world.namespace, 'agent')?.status?.name).toBeUndefined();
    expect((await store.get(world.key('agent')))?.status?.name).toBe('ours');
  });

  it('sends nothing for an unchanged status, and returns the same resource', async () => {
    const world = await start();
    await world.create('agent');
    await world.adapter.start(new AbortController().signal);
    const store = world.adapter.deploymentStore;
    const status = { observedGeneration: 1, name: 'ours', conditions: [] };
    const saved = await store.saveStatus(await watched(world, 'agent'), status, { mustLand: false });
    if (saved === 'stale') throw new Error('the status should land');
    const sent = world.counted.requests.length;
    expect(await store.saveStatus(saved, { ...status }, { mustLand: true })).toBe(saved);
    expect(await store.announce(saved, { ...status })).toBe(saved);
    expect(world.counted.requests.length).toBe(sent);
  });

  it('writes only the changed fields of a status, so that other fields are kept', async () => {
    const world = await start();
    await world.create('agent');
    await world.adapter.start(new AbortController().signal);
    const store = world.adapter.deploymentStore;
    await store.saveStatus(
      await watched(world, 'agent'),
      { observedGeneration: 1, name: 'ours' },
      { mustLand: true },
    );
    const raw = await world.api('GET', world.deployments('agent'));
    const managers = (raw['metadata'] as { managedFields: { manager: string; subresource?: string }[] })
      .managedFields;
    expect(managers).toContainEqual(
      expect.objectContaining({ manager: 'dms-operator', subresource: 'status' }),
    );
  });

  it('keeps the finalizers of others when it claims and releases', async () => {
    const world = await start();
    await world.create('agent', { metadata: { finalizers: ['example.com/other'] } });
    await world.adapter.start(new AbortController().signal);
    const store = world.adapter.deploymentStore;
    const claimed = await store.claim(await watched(world, 'agent'));
    expect(claimed.metadata.finalizers).toEqual(['example.com/other', FINALIZER]);
    await store.release(claimed);
    await world.caughtUp();
    expect((await store.get(world.key('agent')))?.metadata.finalizers).toEqual(['example.com/other']);
  });

  it('claims the fresh version if somebody edited the resource in between', async () => {
    const world = await start();
    await world.create('agent');
    await world.adapter.start(new AbortController().signal);
    const old = await watched(world, 'agent');
    await world.api('PATCH', world.deployments('agent'), {
      metadata: { labels: { team: 'support' }, finalizers: ['example.com/other'] },
    });
    const claimed = await world.adapter.deploymentStore.claim(old);
    expect(claimed.metadata).toMatchObject({
      labels: { team: 'support' },
      finalizers: ['example.com/other', FINALIZER],
    });
  });

  it('refuses to claim a resource that is being deleted', async () => {
    const world = await start();
    await world.create('agent', { metadata: { finalizers: ['example.com/other'] } });
    await world.adapter.start(new AbortController().signal);
    await world.api('DELETE', world.deployments('agent'));
    const deleting = await watched(world, 'agent');
    await expect(world.adapter.deploymentStore.claim(deleting)).rejects.toThrow('is being deleted');
  });

  it('does not write the status of one resource into another with its name', async () => {
    const world = await start();
    await world.create('agent');
    await world.adapter.start(new AbortController().signal);
    const store = world.adapter.deploymentStore;
    const old = await watched(world, 'agent');
    await world.api('DELETE', world.deployments('agent'));
    await world.create('agent');
    const status = { observedGeneration: 1, name: 'of the old one' };
    expect(await store.saveStatus(old, status, { mustLand: true })).toBe('stale');
    expect(await store.announce(old, status)).toBe('stale');
    await store.release(old);
    expect((await watched(world, 'agent')).status?.name).toBeUndefined();
  });

  it('succeeds against steady edits of metadata if it must land', async () => {
    const world = await start();
    await world.create('agent');
    await world.adapter.start(new AbortController().signal);
    const old = await watched(world, 'agent');
    let editing = true;
    const edits = (async () => {
      for (let turn = 0; editing; turn += 1) {
        await world.api('PATCH', world.deployments('agent'), {
          metadata: { labels: { turn: String(turn) } },
        });
      }
    })();
    const saved = await world.adapter.deploymentStore.saveStatus(
      old,
      { observedGeneration: 1, name: 'landed' },
      { mustLand: true },
    );
    editing = false;
    await edits;
    expect(saved).toMatchObject({ status: { name: 'landed' } });
  });
});
