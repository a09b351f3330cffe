import { describe, expect, it } from 'vitest';
import type { DeploymentResource } from '../../../src/api/deployment.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { asDeployment } from '../../../src/kubernetes/objects/decoders.ts';
import type { Transport } from '../../../src/kubernetes/client/exchange.ts';
import { MOST_PARTS } from '../../../src/kubernetes/objects/object-text.ts';
import { ObjectWriter } from '../../../src/kubernetes/stores/object-writer.ts';
import { OwnCopies } from '../../../src/kubernetes/stores/own-copies.ts';
import { DEPLOYMENTS } from '../../../src/kubernetes/objects/resource-type.ts';
import { KubernetesSecretReader } from '../../../src/kubernetes/stores/kubernetes-secret-reader.ts';

/** Returns a transport that gives this answer to every request, read as the request asks. */
function answering(object: unknown): Transport {
  return {
    request: async (_method, _path, { read = JSON.parse } = {}) => ({
      ...{ status: 200, headers: {} },
      json: read(JSON.stringify(object)) as unknown,
    }),
    watch: () => {
      throw new Error('nothing is watched here');
    },
    close: async () => undefined,
  };
}

const RESOURCE: DeploymentResource = {
  apiVersion: API_VERSION,
  kind: 'Deployment',
  metadata: { name: 'agent', namespace: 'team-a', uid: 'u', resourceVersion: '1', generation: 1 },
  spec: { source: 'external_container' },
};

function written(cached: DeploymentResource, answer: object): Promise<DeploymentResource> {
  const writer = new ObjectWriter<DeploymentResource>({
    ...{ transport: answering(answer), type: DEPLOYMENTS, decode: asDeployment, copies: new OwnCopies() },
    cached: () => cached,
  });
  return writer.setStatus(cached, { name: 'landed' });
}

describe('the answer to a write', () => {
  const newer = { ...RESOURCE.metadata, resourceVersion: '2' };

  it('about a resource that is too large is read as its identity', async () => {
    const a = Array.from({ length: MOST_PARTS }, () => ({}));
    const large = { ...RESOURCE, metadata: newer, spec: { ...RESOURCE.spec, creation: { extra: { a } } } };
    expect(await written(RESOURCE, large)).toEqual({
      ...RESOURCE,
      metadata: newer,
      tooLarge: expect.stringContaining('fields and entries') as string,
    });
  });

  it('does not restore a spec that did not fit into memory', async () => {
    const spec = { ...RESOURCE.spec, sourceRevisionConfig: { imageURI: 'a:1' } };
    const known = { ...RESOURCE, tooLarge: 'no room' };
    expect(await written(known, { ...RESOURCE, metadata: newer, spec })).toEqual({
      ...known,
      metadata: newer,
    });
  });
});

describe('a Secret with too many keys', () => {
  it('is not read, and the reason names it and no key', async () => {
    const data = Object.fromEntries(Array.from({ length: MOST_PARTS + 1 }, (_, n) => [`hunter${n}`, '']));
    const reader = new KubernetesSecretReader(answering({ metadata: { name: 'keys' }, data }));
    const name = { kind: 'Secret', namespace: 'team-a', name: 'keys' } as const;
    await expect(reader.read(name)).rejects.toThrow(
      /^Secret team-a\/keys has more than 20,000 keys and is not read$/,
    );
  });
});
