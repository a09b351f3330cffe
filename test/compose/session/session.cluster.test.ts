import { describe, expect, it, onTestFinished } from 'vitest';
import { DIRECT } from '../../../src/model/connection/egress.ts';
import { openSession, type Session, type SessionOptions } from '../../../src/compose/session/session.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { deploymentYaml, secretYaml, together } from '../../directory/support/manifests.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { connectionTo, servedService } from '../../support/worlds/served-service.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();
const ID = '3f0c1f5e-8f57-4f0e-9d57-1a2b3c4d5e6f';
const NEVER = new AbortController().signal;

async function aSession(options: Partial<SessionOptions>, stdin = ''): Promise<Session> {
  const environment = {
    clock: systemClock,
    logger: new MemoryLogger(),
    readStdin: async () => Buffer.from(stdin),
    onPause: () => undefined,
  };
  const session = await openSession({ paths: [], egress: DIRECT, ...options }, environment, NEVER);
  onTestFinished(() => session.close());
  return session;
}

/** Creates a namespace with a connection, its Secret, and a resource with a status and a pause. */
async function aNamespace(url: string): Promise<string> {
  await plane().installCRDs();
  const namespace = await plane().createNamespace('session');
  const header =
    '  headers: [{name: X-Api-Key, valueFrom: {secretKeyRef: {name: credentials, key: api-key}}}]\n';
  const annotations = '{dms-operator.dev/paused: "true"}';
  const stdin = together(
    deploymentYaml('agent', { namespace, annotations }),
    connectionTo(url, { namespace, spec: header }),
    secretYaml('credentials', { 'api-key': 'right-key' }, namespace),
  );
  const status = JSON.stringify({ status: { deploymentID: ID } });
  for (const args of [
    ['apply', '-f', '-'],
    ['patch', 'dmsd', 'agent', '-n', namespace, '--subresource=status', '--type=merge', '-p', status],
  ]) {
    const { code, stderr } = await plane().kubectl(args, { stdin });
    expect(code, stderr).toBe(0);
  }
  return namespace;
}

describe('a session over a cluster', () => {
  it('reads resources and services, and writes nothing', async () => {
    const auth = { kind: 'header', name: 'X-Api-Key', value: 'right-key' } as const;
    const { url } = await servedService([{ name: 'agent' }], { semantics: { auth } });
    const namespace = await aNamespace(url);
    const versions = async (): Promise<string> => {
      const what = ['get', 'dmsd,dmsc,secrets,events,leases', '-n', namespace];
      const { stdout } = await plane().kubectl([
        ...what,
        '-o',
        'jsonpath={.items[*].metadata.resourceVersion}',
      ]);
      return stdout;
    };
    const before = await versions();
    const { kubeconfigFile: kubeconfig } = plane();
    const session = await aSession({ cluster: { kubeconfig, namespaces: [namespace] } });
    expect(session.memory).toBe('paths only');
    const [resource] = session.deployments;
    if (resource === undefined) throw new Error('the cluster has one');
    const client = await session.serviceFor(resource, NEVER);
    expect(client.settings.baseURL).toBe(url);
    expect(session.connections[0]?.status?.conditions?.[0]).toMatchObject({ reason: 'Ok' });
    expect(await versions()).toBe(before);
  });

  it('puts manifests over the resources of the cluster: status and pause stay, the generation rises', async () => {
    const namespace = await aNamespace('http://127.0.0.1:1');
    const { kubeconfigFile: kubeconfig } = plane();
    const cluster = { kubeconfig, namespaces: [] };
    const same = deploymentYaml('agent', { namespace });
    const edited = deploymentYaml('agent', { namespace, image: 'registry.example.com/agent:2' });
    const generations = [];
    for (const manifest of [same, edited]) {
      const { deployments } = await aSession({ paths: ['-'], cluster }, manifest);
      expect(deployments).toMatchObject([
        {
          status: { deploymentID: ID },
          metadata: { annotations: { 'dms-operator.dev/paused': 'true' } },
        },
      ]);
      generations.push(deployments[0]?.metadata.generation);
    }
    expect(generations).toEqual([1, 2]);
  });

  it('puts manifests without a namespace into the requested one', async () => {
    const namespace = await aNamespace('http://127.0.0.1:1');
    const { kubeconfigFile: kubeconfig } = plane();
    const manifest = deploymentYaml('agent').replace(/^ {2}namespace: .*\n/m, '');
    const { deployments } = await aSession(
      { paths: ['-'], cluster: { kubeconfig, namespaces: [namespace] } },
      manifest,
    );
    expect(deployments).toMatchObject([{ metadata: { namespace }, status: { deploymentID: ID } }]);
  });

  it('uses only the namespaces of the manifests for a user who may not see others', async () => {
    const namespace = await aNamespace('http://127.0.0.1:1');
    const user = `reader-${namespace}`;
    const kubeconfig = await plane().userKubeconfig(user);
    const stdin = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'reader', namespace },
          rules: [{ apiGroups: ['dms-operator.dev'], resources: ['*'], verbs: ['list'] }],
        },
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: 'reader', namespace },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
          subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
        },
      ],
    });
    expect((await plane().kubectl(['apply', '-f', '-'], { stdin })).code).toBe(0);
    const cluster = { kubeconfig, namespaces: [] };
    const session = await aSession({ paths: ['-'], cluster }, deploymentYaml('agent', { namespace }));
    expect(session.deployments[0]?.status?.deploymentID).toBeDefined();
    await expect(aSession({ cluster })).rejects.toThrow(/403 Forbidden/);
  });
});
