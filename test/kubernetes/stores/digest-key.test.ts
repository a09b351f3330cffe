import { describe, expect, it } from 'vitest';
import { loadOrCreateDigestKey } from '../../../src/kubernetes/stores/digest-key.ts';
import { DIGEST_KEY_SECRET } from '../../../src/model/connection/connection.ts';
import { useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const start = useClusterWorlds(useControlPlane());
const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

describe('the digest key', () => {
  it('is created once, immutable, and found again', async () => {
    const { adapter, api, core, namespace } = await start();
    const made = await loadOrCreateDigestKey(adapter.transport, namespace, bytes(1));
    expect(made).toEqual(Buffer.from(bytes(1)));
    expect(await loadOrCreateDigestKey(adapter.transport, namespace, bytes(2))).toEqual(made);
    expect(await api('GET', core('secrets', DIGEST_KEY_SECRET))).toMatchObject({ immutable: true });
  });

  it('is the same for concurrent creators', async () => {
    const { adapter, namespace } = await start();
    const keys = await Promise.all(
      Array.from({ length: 8 }, (_, turn) =>
        loadOrCreateDigestKey(adapter.transport, namespace, bytes(turn)),
      ),
    );
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
  });

  it('is refused where the Secret holds something else, without repeating it', async () => {
    const { adapter, api, core, namespace } = await start();
    await api('POST', core('secrets'), {
      metadata: { name: DIGEST_KEY_SECRET },
      stringData: { key: 'hunter2' },
    });
    const error = await loadOrCreateDigestKey(adapter.transport, namespace, bytes(1)).catch(String);
    expect(error).toMatch(/does not hold a digest key/);
    expect(error).not.toContain('hunter2');
  });
});
