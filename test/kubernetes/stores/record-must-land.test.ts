import { describe, expect, it } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { asDeployment } from '../../../src/kubernetes/objects/decoders.ts';
import { KubernetesDeploymentStore } from '../../../src/kubernetes/stores/kubernetes-deployment-store.ts';
import { errorFromStatus } from '../../../src/kubernetes/client/api-error.ts';
import type { Transport } from '../../../src/kubernetes/client/exchange.ts';
import { ObjectWriter } from '../../../src/kubernetes/stores/object-writer.ts';
import { OwnCopies } from '../../../src/kubernetes/stores/own-copies.ts';
import { DEPLOYMENTS } from '../../../src/kubernetes/objects/resource-type.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

const RESOURCE: DeploymentResource = {
  apiVersion: API_VERSION,
  kind: 'Deployment',
  metadata: { name: 'agent', namespace: 'team-a', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: { source: 'external_container' },
};

/** Creates a store behind an API server that refuses the first writes with these statuses, and then accepts them. */
function storeRefusedWith(statuses: readonly number[]) {
  const clock = new VirtualClock();
  const left = [...statuses];
  const writes: number[] = [];
  const transport: Transport = {
    async request(method, path, options) {
      if (method === 'GET') return { status: 200, headers: {}, json: RESOURCE };
      const status = left.shift() ?? 200;
      writes.push(status);
      if (status !== 200) throw errorFromStatus(`${method} ${path}`, { status, body: {} });
      const metadata = { ...RESOURCE.metadata, resourceVersion: '2' };
      const { status: written } = (options?.body ?? {}) as { status?: unknown };
      return { status, headers: {}, json: { ...RESOURCE, metadata, status: written } };
    },
    watch: () => {
      throw new Error('nothing is watched here');
    },
    close: async () => undefined,
  };
  const writer = new ObjectWriter<DeploymentResource>({
    ...{ transport, type: DEPLOYMENTS, decode: asDeployment, copies: new OwnCopies() },
    cached: () => undefined,
  });
  const schemas = { requireFields: async () => undefined, doubt: () => undefined };
  const store = new KubernetesDeploymentStore({
    writer,
    schemas,
    clock,
    ended: new AbortController().signal,
  });
  const save = (mustLand: boolean) =>
    clock.runUntil(store.saveStatus(RESOURCE, { name: 'landed' }, { mustLand }));
  return { save, writes };
}

describe('the record of a write', () => {
  it('is repeated until the operator has the right to write it', async () => {
    const { save, writes } = storeRefusedWith([403, 403, 403]);
    expect(await save(true)).toMatchObject({ status: { name: 'landed' } });
    expect(writes).toEqual([403, 403, 403, 200]);
  });

  it('is given up if the API server finds it invalid, which no wait can fix', async () => {
    const { save, writes } = storeRefusedWith([422]);
    await expect(save(true)).rejects.toMatchObject({ kind: 'invalid' });
    expect(writes).toEqual([422]);
  });

  it('is not repeated if no write was announced', async () => {
    const { save, writes } = storeRefusedWith([403]);
    await expect(save(false)).rejects.toMatchObject({ kind: 'forbidden' });
    expect(writes).toEqual([403]);
  });
});
