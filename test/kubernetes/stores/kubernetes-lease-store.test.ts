import { describe, expect, it } from 'vitest';
import { KubernetesLeaseStore } from '../../../src/kubernetes/stores/kubernetes-lease-store.ts';
import { A_RECORD, leaseStoreContract } from '../../contracts/lease-store.ts';
import { useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();
const open = useClusterWorlds(plane);
const path = (namespace: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/the-lease`;

async function aLease() {
  const { namespace, adapter, api } = await open();
  const store = new KubernetesLeaseStore(adapter.transport, { namespace, name: 'the-lease' });
  return { store, namespace, api };
}

leaseStoreContract('the API server', async () => {
  const { store, namespace, api } = await aLease();
  return { store, remove: async () => void (await api('DELETE', path(namespace))) };
});

describe('a Lease', () => {
  it('has the same fields as that of any other controller', async () => {
    const { store, namespace, api } = await aLease();
    await store.write(A_RECORD, undefined, new AbortController().signal);
    expect(await api('GET', path(namespace))).toMatchObject({
      spec: {
        holderIdentity: 'first',
        leaseDurationSeconds: 15,
        acquireTime: '2026-11-20T00:00:00.123000Z',
        renewTime: '2026-11-20T00:00:02.045000Z',
        leaseTransitions: 3,
      },
    });
  });

  it('that was created by hand and is empty has no holder', async () => {
    const { store, namespace, api } = await aLease();
    await api('POST', path(namespace).replace('/the-lease', ''), {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'the-lease', labels: { owner: 'somebody' } },
    });
    const signal = new AbortController().signal;
    const found = await store.read(signal);
    expect(found?.record).toMatchObject({ holder: '', durationMs: 15_000, transitions: 0 });
    await store.write(A_RECORD, found?.version, signal);
    expect(await api('GET', path(namespace))).toMatchObject({
      metadata: { labels: { owner: 'somebody' } },
      spec: { holderIdentity: 'first' },
    });
  });
});
