import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { textOf } from '../../docs/support.ts';
import type { ControlPlane } from '../../support/control-plane/control-plane.ts';
import { noteSecret } from '../../support/leaks/told.ts';
import { secretsOf } from '../../support/leaks/secrets-of.ts';
import type { OperatorProcess } from '../../support/worlds/operator-process.ts';
import { servedService } from '../../support/worlds/served-service.ts';

const NAMESPACE = 'dms-operator';
const TOKENS = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/dms-operator/token`;
const SERVICE_ACCOUNT = 'var/run/secrets/kubernetes.io/serviceaccount';

/** The sample: a Connection and a Deployment, each with its Secret. */
const SAMPLE = ['connection.yaml', 'support-agent.yaml'].map((file) => `manifests/examples/demo/${file}`);

/** Installs what is shipped; of the pod nothing comes of it, since the cluster has no node. */
export async function installShipped(cluster: ControlPlane): Promise<void> {
  await succeeded(cluster, ['apply', '--server-side', '-k', 'manifests/install']);
  await cluster.installCRDs();
}

/**
 * Gives a root folder what a kubelet mounts into the pod, with a real token of the shipped service account, and answers
 * the variables by which a container finds the API server. The service is on this machine, so loopback is permitted.
 */
export async function joinCluster(root: string, cluster: ControlPlane): Promise<NodeJS.ProcessEnv> {
  const { json } = await cluster.request('POST', TOKENS, { spec: { expirationSeconds: 3600 } });
  const { token } = (json as { readonly status: { readonly token: string } }).status;
  noteSecret(token);
  const folder = join(root, SERVICE_ACCOUNT);
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries({ token, 'ca.crt': cluster.ca, namespace: NAMESPACE })) {
    await writeFile(join(folder, name), text, { mode: 0o644 });
  }
  const { hostname, port } = new URL(cluster.server);
  return {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    DMS_OPERATOR_ALLOW_HOSTS: '127.0.0.1',
    DMS_OPERATOR_METRICS_ADDRESS: '127.0.0.1:0',
  };
}

/** Waits until the controller answers its probes, and answers the milliseconds since `startedAt`. */
export async function untilReady(operator: OperatorProcess, startedAt: number): Promise<number> {
  const { port } = JSON.parse(await operator.said('metrics and health are served')) as { port: number };
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status, {
      timeout: 20_000,
      interval: 10,
    })
    .toBe(200);
  const readyMs = performance.now() - startedAt;
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  return readyMs;
}

/** Applies the sample in a namespace of its own, and expects the one change that it asks of the service. */
export async function expectSampleReconciled(cluster: ControlPlane): Promise<void> {
  const { service, url } = await servedService([
    {
      name: 'support-agent',
      source: 'external_container',
      revisionConfig: { image_uri: 'registry.example.com/support-agent:1.3.0' },
    },
  ]);
  const namespace = await cluster.createNamespace('sample');
  for (const file of SAMPLE) {
    const manifest = textOf(file).replace('http://127.0.0.1:7070', url);
    for (const secret of secretsOf(manifest)) noteSecret(secret);
    await succeeded(cluster, ['apply', '-n', namespace, '-f', '-'], manifest);
  }
  await succeeded(cluster, [
    ...['wait', '-n', namespace, '--for=condition=Ready', 'dmsd/support-agent', '--timeout=40s'],
  ]);
  expect(service.log.requests('patch').map(({ body }) => body)).toMatchObject([
    {
      source_revision_config: { image_uri: 'registry.example.com/support-agent:1.4.0' },
      secrets: [{ name: 'API_TOKEN', value: 'demo-token' }],
    },
  ]);
}

async function succeeded(cluster: ControlPlane, words: readonly string[], stdin = ''): Promise<void> {
  const { code, stderr } = await cluster.kubectl(words, { stdin });
  expect(code, stderr).toBe(0);
}
