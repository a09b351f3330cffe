import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aWorld, type World } from '../../support/worlds/e2e-world.ts';
import { type OperatorProcess, startOperator } from '../../support/worlds/operator-process.ts';
import { BUILD_LIMIT_MS, sharedBundle } from '../../support/bundle/shared-bundle.ts';
import { useOwnControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const INSTALL = join(import.meta.dirname, '..', '..', '..', 'manifests', 'install');
const HOME = 'dms-operator';
const CONTROLLER = { user: `system:serviceaccount:${HOME}:dms-operator`, groups: [] };

/** verb, group/resource[/subresource] with '' for the core group, namespace ('' for all), name */
type Right = readonly [verb: string, resource: string, namespace: string, name?: string];

const cluster = useOwnControlPlane();

beforeAll(async () => {
  await sharedBundle();
  const { code, stderr } = await cluster().kubectl(['apply', '--server-side', '-k', INSTALL]);
  expect(code, stderr).toBe(0);
}, BUILD_LIMIT_MS);

describe('the service account of the controller', () => {
  it.each(
    rights([
      ['list', 'dms-operator.dev/deployments', ''],
      ['watch', 'dms-operator.dev/deployments', ''],
      ['get', 'dms-operator.dev/deployments', 'team-a'],
      ['patch', 'dms-operator.dev/deployments', 'team-a'],
      ['patch', 'dms-operator.dev/deployments/status', 'team-a'],
      ['watch', 'dms-operator.dev/connections', ''],
      ['patch', 'dms-operator.dev/connections', 'team-a'],
      ['patch', 'dms-operator.dev/connections/status', 'team-a'],
      ['watch', 'dms-operator.dev/clusterconnections', ''],
      ['patch', 'dms-operator.dev/clusterconnections', ''],
      ['patch', 'dms-operator.dev/clusterconnections/status', ''],
      ['get', '/secrets', 'team-a'],
      ['watch', '/secrets', ''],
      ['get', '/configmaps', 'team-a'],
      ['watch', '/namespaces', ''],
      ['create', 'events.k8s.io/events', 'team-a'],
      ['patch', 'events.k8s.io/events', 'team-a'],
      ['create', '/secrets', HOME],
      ['get', '/secrets', HOME, 'dms-operator-digest-key'],
      ['create', 'coordination.k8s.io/leases', HOME],
      ['get', 'coordination.k8s.io/leases', HOME],
      ['patch', 'coordination.k8s.io/leases', HOME, 'dms-operator'],
    ]),
  )('may $verb $resource in "$namespace"', async ({ right }) => {
    expect(await allowed(CONTROLLER, right)).toBe(true);
  });

  it.each(
    rights([
      ['create', 'dms-operator.dev/deployments', 'team-a'],
      ['update', 'dms-operator.dev/deployments', 'team-a'],
      ['delete', 'dms-operator.dev/deployments', 'team-a'],
      ['update', 'dms-operator.dev/connections', 'team-a'],
      ['delete', 'dms-operator.dev/connections', 'team-a'],
      ['update', 'dms-operator.dev/clusterconnections', ''],
      ['create', '/secrets', 'team-a'],
      ['update', '/secrets', 'team-a'],
      ['patch', '/secrets', HOME],
      ['delete', '/secrets', HOME, 'dms-operator-digest-key'],
      ['update', '/configmaps', 'team-a'],
      ['patch', '/namespaces', ''],
      ['get', 'dms-operator.dev/connections', 'team-a'],
      ['get', 'dms-operator.dev/clusterconnections', ''],
      ['get', 'coordination.k8s.io/leases', 'team-a'],
      ['patch', 'coordination.k8s.io/leases', HOME, 'another'],
      ['update', 'coordination.k8s.io/leases', HOME, 'dms-operator'],
      ['delete', 'coordination.k8s.io/leases', HOME, 'dms-operator'],
      ['create', 'coordination.k8s.io/leases', 'team-a'],
      ['get', '/pods', HOME],
      ['create', '/pods', HOME],
      ['create', '/serviceaccounts/token', HOME],
      ['get', 'apps/deployments', HOME],
      ['update', 'rbac.authorization.k8s.io/clusterroles', ''],
      ['impersonate', '/users', ''],
    ]),
  )('may not $verb $resource in "$namespace"', async ({ right }) => {
    expect(await allowed(CONTROLLER, right)).toBe(false);
  });
});

describe('the controller with the token of its service account', () => {
  let world: World;
  let operator: OperatorProcess;
  afterAll(async () => {
    await operator?.kill();
    await world?.end();
  });

  it('does all of its work and is refused nothing', async () => {
    world = await aWorld(cluster(), {
      start: false,
      deployments: [
        {
          name: 'agent',
          revisionConfig: { image_uri: 'registry.example.com/agent:1' },
          secrets: [{ name: 'TOKEN', value: 'by-hand' }],
        },
      ],
    });
    await world.apply(`
apiVersion: v1
kind: Secret
metadata: {name: agent-secrets}
stringData: {token: from-the-cluster}
---
apiVersion: dms-operator.dev/v1alpha1
kind: Deployment
metadata: {name: agent}
spec:
  source: external_container
  deletionPolicy: Delete
  sourceRevisionConfig: {imageURI: 'registry.example.com/agent:2'}
  secrets:
  - name: TOKEN
    valueFrom: {secretKeyRef: {name: agent-secrets, key: token}}
`);
    const kubeconfigFile = await cluster().serviceAccountKubeconfig(HOME, 'dms-operator');
    operator = startOperator([
      ...['run', '--kubeconfig', kubeconfigFile, '--operator-namespace', HOME],
      ...['--metrics-address', '127.0.0.1:0', '--log-format', 'json', '--log-level', 'debug'],
    ]);

    await world.kubectl('wait', '--for=condition=Ready', 'dmsd/agent', '--timeout=30s');
    expect(world.patches()).toHaveLength(1);
    expect((await world.get('agent')).metadata.finalizers).toHaveLength(1);
    const connection = await world.kubectl(
      'get',
      'dmsc/default',
      '-o',
      'jsonpath={.status.conditions[0].status}',
    );
    expect(connection).toBe('True');
    const key = await cluster().kubectl([
      'get',
      'secret',
      'dms-operator-digest-key',
      '-n',
      HOME,
      '-o',
      'name',
    ]);
    expect(key.stdout.trim()).toBe('secret/dms-operator-digest-key');

    await world.kubectl('delete', 'dmsd/agent', '--wait', '--timeout=30s');
    expect(world.service.shown('agent')).toBeUndefined();
    expect(await operator.stop()).toBe(0);
    const reasons = await world.kubectl('get', 'events.events.k8s.io', '-o', 'jsonpath={.items[*].reason}');
    expect(reasons.split(' ')).toEqual(expect.arrayContaining(['PatchSent', 'Deleted']));
    expect(operator.lines.filter((line) => /forbidden/i.test(line))).toEqual([]);
  });
});

describe('the roles for people', () => {
  beforeAll(async () => {
    await cluster().kubectl(['create', 'namespace', 'people']);
    for (const role of ['dms-operator-view', 'dms-operator-edit', 'dms-operator-connection-admin']) {
      const binding = [role, `--clusterrole=${role}`, `--group=holders-of-${role}`, '-n', 'people'];
      const { code, stderr } = await cluster().kubectl(['create', 'rolebinding', ...binding]);
      expect(code, stderr).toBe(0);
    }
  });

  it.each([
    ['dms-operator-view', { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }],
    ['dms-operator-edit', { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' }],
    ['dms-operator-connection-admin', {}],
  ])('%s is part of a role of the cluster exactly where it should be', async (role, wanted) => {
    const { json } = await cluster().request(
      'GET',
      `/apis/rbac.authorization.k8s.io/v1/clusterroles/${role}`,
    );
    const { labels } = (json as { metadata: { labels: Record<string, string> } }).metadata;
    const aggregation = Object.entries(labels).filter(([label]) => label.includes('/aggregate-to-'));
    expect(Object.fromEntries(aggregation)).toEqual(wanted);
  });

  it.each<[role: string, right: Right, is: boolean]>([
    ['dms-operator-view', ['list', 'dms-operator.dev/deployments', 'people'], true],
    ['dms-operator-view', ['get', 'dms-operator.dev/connections', 'people'], true],
    ['dms-operator-view', ['patch', 'dms-operator.dev/deployments', 'people'], false],
    ['dms-operator-edit', ['create', 'dms-operator.dev/deployments', 'people'], true],
    ['dms-operator-edit', ['patch', 'dms-operator.dev/deployments/status', 'people'], false],
    ['dms-operator-edit', ['create', 'dms-operator.dev/connections', 'people'], false],
    ['dms-operator-connection-admin', ['create', 'dms-operator.dev/connections', 'people'], true],
    ['dms-operator-connection-admin', ['create', 'dms-operator.dev/clusterconnections', ''], false],
    ['dms-operator-connection-admin', ['get', '/secrets', 'people'], false],
  ])('%s: %j is %j', async (role, right, is) => {
    expect(await allowed({ user: 'somebody', groups: [`holders-of-${role}`] }, right)).toBe(is);
  });
});

/** Returns rows of a table with names for the title. */
function rights(rows: readonly Right[]) {
  return rows.map((right) => ({ right, verb: right[0], resource: right[1], namespace: right[2] }));
}

/** Asks the API server for its decision on a request. */
async function allowed(
  who: { readonly user: string; readonly groups: readonly string[] },
  [verb, path, namespace, name]: Right,
): Promise<boolean> {
  const [group, resource, subresource] = path.split('/');
  const resourceAttributes = { verb, group, resource, subresource, namespace, name };
  const { status, text, json } = await cluster().request(
    'POST',
    '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: who.user, groups: who.groups, resourceAttributes },
    },
  );
  expect(status, text).toBe(201);
  return (json as { status: { allowed: boolean } }).status.allowed;
}
