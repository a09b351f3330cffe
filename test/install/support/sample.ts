import { expect } from 'vitest';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import { connectionTo, type ServedService, servedService } from '../../support/worlds/served-service.ts';

const IMAGE = 'registry.example.com/agent';
const OFTEN = '  poll: {intervalSeconds: 1, rolloutSeconds: 1}\n';

/**
 * A namespace with a Connection to a simulated service and two Deployments: `agent` declares an image, and its deletion
 * also deletes the deployment at the service. `kept` declares nothing, and its deployment stays.
 */
export interface Sample {
  readonly namespace: string;
  readonly served: ServedService;
  /** Resolves when the Deployments are Ready. Throws their conditions otherwise. */
  ready(): Promise<void>;
  /** Returns the Lease of the shard that serves the connection. */
  servedBy(): Promise<string>;
}

/**
 * Applies a sample. The Connection has these labels from the start: a label that is added later would let another shard
 * serve it first. The service listens until the end of the test.
 */
export async function applySample(
  plane: ControlPlane,
  namespace: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<Sample> {
  const revisionConfig = { image_uri: `${IMAGE}:1` };
  const seeds = ['agent', 'kept'].map((name) => ({ name, revisionConfig }));
  const served = await servedService(seeds, { semantics: { rollout: { kind: 'after', seconds: 0 } } });
  const kubectl = async (args: readonly string[], stdin = ''): Promise<string> => {
    const { code, stdout, stderr } = await plane.kubectl(args, { stdin });
    expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  };
  await plane.kubectl(['create', 'namespace', namespace]);
  await kubectl(['apply', '-f', '-'], manifestsOf(namespace, served.url, labels));
  return {
    namespace,
    served,
    async ready() {
      const args = ['wait', '-n', namespace, '--for=condition=Ready', 'dmsd', '--all', '--timeout=45s'];
      const { code } = await plane.kubectl(args);
      if (code !== 0) throw new Error(await kubectl(['describe', '-n', namespace, 'dmsd,dmsc']));
      expect(served.service.deployment('agent')?.content.revisionConfig['image_uri']).toBe(`${IMAGE}:2`);
    },
    servedBy: () => kubectl(['get', '-n', namespace, 'dmsc/default', '-o', 'jsonpath={.status.servedBy}']),
  };
}

function manifestsOf(namespace: string, url: string, labels: Readonly<Record<string, string>>): string {
  const deployment = (name: string, spec: object): string =>
    JSON.stringify({
      apiVersion: 'dms-operator.dev/v1alpha1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: { source: 'external_container', ...spec },
    });
  return [
    connectionTo(url, { namespace, labels, spec: OFTEN }),
    deployment('agent', { deletionPolicy: 'Delete', sourceRevisionConfig: { imageURI: `${IMAGE}:2` } }),
    deployment('kept', { deletionPolicy: 'Orphan' }),
  ].join('\n---\n');
}
