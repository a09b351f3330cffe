import { describe, expect, it } from 'vitest';
import { API_VERSION } from '../../src/api/metadata.ts';
import type { ConnectionResource } from '../../src/api/connection.ts';
import type { DataObjectName } from '../../src/ports/stores/secret-reader.ts';
import { MemoryConnectionStore } from '../support/doubles/memory-connections.ts';
import { MemoryEvents } from '../support/doubles/memory-events.ts';
import { MemorySecrets } from '../support/doubles/memory-secrets.ts';
import { VirtualClock } from '../support/doubles/virtual-clock.ts';
import { manifestNamed } from '../contracts/desired-store.ts';

describe('connections in memory', () => {
  const connection: ConnectionResource = {
    apiVersion: API_VERSION,
    kind: 'ClusterConnection',
    metadata: { name: 'default' },
    spec: { baseURL: 'https://deploy.example.com' },
  };
  const key = { kind: 'ClusterConnection', namespace: '', name: 'default' };

  it('are found by their key, cluster-scoped ones without a namespace', async () => {
    const store = new MemoryConnectionStore(new VirtualClock());
    store.apply(connection);
    expect((await store.get(key))?.metadata.generation).toBe(1);
    store.remove(key);
    expect(await store.get(key)).toBeUndefined();
  });

  it('take a status on the version it was computed from, and answer stale on an older one', async () => {
    const store = new MemoryConnectionStore(new VirtualClock());
    const old = store.apply(connection);
    expect(await store.saveStatus(old, { observedGeneration: 1 })).toMatchObject({
      status: { observedGeneration: 1 },
    });
    expect(await store.saveStatus(old, { observedGeneration: 2 })).toBe('stale');
    expect(store.statusWrites).toBe(1);
  });

  it('tell what exists and what changes', async () => {
    const store = new MemoryConnectionStore(new VirtualClock());
    store.apply(connection);
    const told: string[] = [];
    await store.start(({ name }) => told.push(name), new AbortController().signal);
    store.remove(key);
    expect(told).toEqual(['default', 'default']);
  });
});

describe('secrets in memory', () => {
  const name: DataObjectName = { kind: 'Secret', namespace: 'team-a', name: 'agent' };

  it('give values with a version that moves with every change and a uid that stays', async () => {
    const secrets = new MemorySecrets();
    secrets.put(name, { token: 'one' });
    const first = await secrets.read(name);
    secrets.put(name, { token: 'two' });
    const second = await secrets.read(name);
    expect(first?.data.get('token')?.value.reveal()).toBe('one');
    expect(second?.data.get('token')?.value.reveal()).toBe('two');
    expect(second?.uid).toBe(first?.uid);
    expect(second?.resourceVersion).not.toBe(first?.resourceVersion);
    expect(secrets.reads).toBe(2);
  });

  it('say which values are not UTF-8, and keep a byte order mark', async () => {
    const secrets = new MemorySecrets();
    secrets.put(name, { broken: Uint8Array.of(0xff, 0xfe), marked: '\uFEFFx' });
    const data = (await secrets.read(name))?.data;
    expect(data?.get('broken')?.utf8).toBe(false);
    expect(data?.get('marked')?.utf8).toBe(true);
  });

  it('have another uid after they were deleted and made again', async () => {
    const secrets = new MemorySecrets();
    secrets.put(name, {});
    const before = await secrets.read(name);
    secrets.remove(name);
    expect(await secrets.read(name)).toBeUndefined();
    secrets.put(name, {});
    expect((await secrets.read(name))?.uid).not.toBe(before?.uid);
  });

  it('fail to be read when asked to', async () => {
    const secrets = new MemorySecrets();
    secrets.failure = () => new Error('the API server is away');
    await expect(secrets.read(name)).rejects.toThrow('away');
  });
});

describe('events in memory', () => {
  it('are kept in order, and can be asked for by resource', () => {
    const events = new MemoryEvents();
    const event = { type: 'Normal', action: 'Patch', message: '' } as const;
    events.record(manifestNamed('a'), { ...event, reason: 'Bound' });
    events.record(manifestNamed('b'), { ...event, reason: 'PatchSent' });
    expect(events.reasons()).toEqual(['Bound', 'PatchSent']);
    expect(events.reasons({ kind: 'Deployment', namespace: 'team-a', name: 'b' })).toEqual(['PatchSent']);
    events.forget();
    expect(events.all).toEqual([]);
  });
});
