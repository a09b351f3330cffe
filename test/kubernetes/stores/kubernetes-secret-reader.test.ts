import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/model/connection/failure.ts';
import type { DataObjectName } from '../../../src/ports/stores/secret-reader.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();
const start = useClusterWorlds(plane);
const named = (world: ClusterWorld, kind: DataObjectName['kind'], name: string): DataObjectName => ({
  kind,
  namespace: world.namespace,
  name,
});

describe('the secret reader', () => {
  it('returns decoded values that do not print, with their version', async () => {
    const world = await start();
    const created = await world.api('POST', world.core('secrets'), {
      metadata: { name: 'keys' },
      stringData: { token: 'hunter2 ü' },
    });
    const found = await world.adapter.secretReader.read(named(world, 'Secret', 'keys'));
    expect(found).toMatchObject({ name: { name: 'keys' } });
    expect(created['metadata']).toMatchObject({ uid: found?.uid, resourceVersion: found?.resourceVersion });
    const entry = found?.data.get('token');
    expect(entry?.value.reveal()).toBe('hunter2 ü');
    expect(entry?.utf8).toBe(true);
    expect(String(entry?.value)).toBe('[redacted]');
  });

  it('returns bytes that are not text unchanged, and says so', async () => {
    const world = await start();
    const bytes = Buffer.from([0xff, 0x00, 0x80]);
    await world.api('POST', world.core('secrets'), {
      metadata: { name: 'raw' },
      data: { blob: bytes.toString('base64') },
    });
    await world.api('POST', world.core('configmaps'), {
      metadata: { name: 'raw' },
      binaryData: { blob: bytes.toString('base64') },
      data: { text: 'plain' },
    });
    for (const kind of ['Secret', 'ConfigMap'] as const) {
      const found = await world.adapter.secretReader.read(named(world, kind, 'raw'));
      expect(found?.data.get('blob')).toMatchObject({ utf8: false });
      expect(Buffer.from(found?.data.get('blob')?.bytes ?? [])).toEqual(bytes);
      if (kind === 'ConfigMap') expect(found?.data.get('text')?.value.reveal()).toBe('plain');
    }
  });

  it('reports that it may not read an object', async () => {
    const admin = await start();
    const { namespace } = admin;
    await admin.api('POST', admin.core('secrets'), {
      metadata: { name: 'keys' },
      stringData: { a: 'hunter22' },
    });
    const kubeconfig = await plane().userKubeconfig(`nobody-${namespace}`);
    const { adapter } = await start({ kubeconfig, namespace });
    const error: unknown = await adapter.secretReader
      .read({ kind: 'Secret', namespace, name: 'keys' })
      .catch((caught: unknown) => caught);
    expect(classify(error)).toEqual({ kind: 'transient', reason: 'SecretMissing', sent: 'no' });
    expect(String(error)).toContain(`Secret ${namespace}/keys may not be read by the controller`);
    expect(String(error)).toContain('403');
  });

  it('reads again on each call', async () => {
    const world = await start();
    await world.api('POST', world.core('configmaps'), { metadata: { name: 'settings' }, data: { a: '1' } });
    const read = async (): Promise<string | undefined> => {
      const found = await world.adapter.secretReader.read(named(world, 'ConfigMap', 'settings'));
      return found?.data.get('a')?.value.reveal();
    };
    expect(await read()).toBe('1');
    await world.api('PATCH', world.core('configmaps', 'settings'), { data: { a: '2' } });
    expect(await read()).toBe('2');
  });

  it.each(['none', '', '..', '../configmaps/settings', 'a/b', 'a?b', 'UPPER'])(
    'finds nothing under the name %j, and makes no other request',
    async (name) => {
      const world = await start();
      expect(await world.adapter.secretReader.read(named(world, 'Secret', name))).toBeUndefined();
      expect(world.counted.requests).toEqual(name === 'none' ? ['GET 404'] : []);
    },
  );
});
