import { describe, expect, it } from 'vitest';
import { FINALIZER, type DeploymentStatus } from '../../src/api/deployment.ts';
import { type Key, keyOf } from '../../src/api/metadata.ts';
import { MemoryStore } from '../support/doubles/memory-store.ts';
import { VirtualClock } from '../support/doubles/virtual-clock.ts';
import { desiredStoreContract, manifestNamed } from '../contracts/desired-store.ts';

desiredStoreContract('the memory store', async () => {
  const store = new MemoryStore(new VirtualClock());
  return {
    store,
    apply: async (manifest) => void store.apply(manifest),
    remove: async (key) => store.remove(key),
    overwriteStatus: async (key: Key, status: DeploymentStatus) => store.overwriteStatus(key, status),
    caughtUp: async () => {},
    stop: async () => {},
  };
});

describe('the memory store', () => {
  const key: Key = { kind: 'Deployment', namespace: 'team-a', name: 'agent' };
  const stored = (): MemoryStore => {
    const store = new MemoryStore(new VirtualClock());
    store.apply(manifestNamed('agent'));
    return store;
  };

  it('counts the writes that landed, and no others', async () => {
    const store = stored();
    const old = store.peek(key)!;
    await store.announce(old, { observedGeneration: 1 });
    await store.saveStatus(old, { observedGeneration: 1 }, { mustLand: false });
    expect(store.count('announce')).toBe(1);
    expect(store.count('saveStatus')).toBe(0);
    store.forgetWrites();
    expect(store.writes).toEqual([]);
  });

  it('stops the process before a write takes effect', async () => {
    const store = stored();
    store.beforeWrite = () => {
      throw new Error('killed');
    };
    await expect(store.announce(store.peek(key)!, { observedGeneration: 1 })).rejects.toThrow('killed');
    expect(store.peek(key)?.status).toBeUndefined();
  });

  it('stops the process after a write took effect', async () => {
    const store = stored();
    store.afterWrite = ({ operation }) => {
      if (operation === 'announce') throw new Error('killed');
    };
    await expect(store.announce(store.peek(key)!, { observedGeneration: 1 })).rejects.toThrow('killed');
    expect(store.peek(key)?.status).toEqual({ observedGeneration: 1 });
  });

  it('gives a resource that is deleted and made again another uid, and treats the old one as gone', async () => {
    const store = stored();
    const old = await store.claim(store.peek(key)!);
    await store.release(old);
    store.remove(key);
    store.apply(manifestNamed('agent'));
    expect(store.peek(key)?.metadata.uid).not.toBe(old.metadata.uid);
    expect(await store.saveStatus(old, { observedGeneration: 1 }, { mustLand: true })).toBe('stale');
    await expect(store.claim(old)).rejects.toThrow('is gone');
  });

  it('does not claim what is being deleted', async () => {
    const store = stored();
    store.edit(key, (resource) => ({
      ...resource,
      metadata: { ...resource.metadata, finalizers: ['example.com/other'] },
    }));
    store.remove(key);
    await expect(store.claim(store.peek(key)!)).rejects.toThrow('is being deleted');
  });

  it('keeps finalizers of others when it takes away its own', async () => {
    const store = stored();
    store.edit(key, (resource) => ({
      ...resource,
      metadata: { ...resource.metadata, finalizers: ['example.com/other'] },
    }));
    const claimed = await store.claim(store.peek(key)!);
    expect(claimed.metadata.finalizers).toEqual(['example.com/other', FINALIZER]);
    await store.release(claimed);
    expect(store.peek(key)?.metadata.finalizers).toEqual(['example.com/other']);
  });

  it('hands out frozen resources, so that a caller who changes one is found out', () => {
    const resource = stored().peek(key)!;
    expect(Object.isFrozen(resource.spec)).toBe(true);
    expect(Object.isFrozen(resource.metadata)).toBe(true);
  });

  it('reports what exists and every later change, until it is stopped', async () => {
    const store = stored();
    const told: Key[] = [];
    const stop = new AbortController();
    await store.start((changed) => told.push(changed), stop.signal);
    store.apply(manifestNamed('other'));
    store.remove(key);
    stop.abort();
    store.apply(manifestNamed('unseen'));
    expect(told.map(({ name }) => name)).toEqual(['agent', 'other', 'agent']);
  });

  it('moves the generation when a deletion has to wait, as an API server does', async () => {
    const store = stored();
    await store.claim(store.peek(key)!);
    store.remove(key);
    expect(store.peek(key)?.metadata.generation).toBe(2);
    expect(keyOf(store.peek(key)!)).toEqual(key);
  });
});
