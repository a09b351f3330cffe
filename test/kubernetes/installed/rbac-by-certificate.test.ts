import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { isApiError } from '../../../src/kubernetes/client/api-error.ts';
import type { Method, Transport } from '../../../src/kubernetes/client/exchange.ts';
import { loadClusterConfig } from '../../../src/kubernetes/client/load-cluster-config.ts';
import { createTransport } from '../../../src/kubernetes/client/create-transport.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { aggregateRoles } from '../../support/rbac/aggregation.ts';
import { useOwnControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const INSTALL = join(import.meta.dirname, '..', '..', '..', 'manifests', 'install');
const HOME = 'dms-operator';

/**
 * People with a role in the namespace team-a, each with a separate certificate. The onlooker and the writer have the
 * roles alone that the first three have as parts of cluster roles.
 */
const PEOPLE = {
  viewer: 'view',
  editor: 'edit',
  'namespace admin': 'admin',
  onlooker: 'dms-operator-view',
  writer: 'dms-operator-edit',
  'connection admin': 'dms-operator-connection-admin',
  nobody: undefined,
} as const;
type Who = keyof typeof PEOPLE | 'controller';

const EDITORS_OF_ALL: readonly Who[] = ['editor', 'namespace admin'];
const EDITORS: readonly Who[] = [...EDITORS_OF_ALL, 'writer'];
const READERS: readonly Who[] = ['viewer', 'onlooker', ...EDITORS];

/** A request to the API server, which decides on it without writing (`dryRun`). */
type Request = readonly [method: Method, path: string, body?: JsonObject];

const ours = (plural: string, rest = '', namespace = 'team-a'): string =>
  `/apis/${API_VERSION}${namespace && `/namespaces/${namespace}`}/${plural}${rest}`;
const core = (plural: string, rest = '', namespace = 'team-a'): string =>
  `/api/v1/namespaces/${namespace}/${plural}${rest}`;
const lease = (rest = '', namespace = HOME): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${rest}`;

const made = { metadata: { name: 'made' } };
const deployment: JsonObject = {
  ...made,
  apiVersion: API_VERSION,
  kind: 'Deployment',
  spec: { source: 'codehost' },
};
const address = { spec: { baseURL: 'https://service.example.com' } };
const connection: JsonObject = { ...made, ...address, apiVersion: API_VERSION, kind: 'Connection' };
const clusterConnection: JsonObject = { ...connection, kind: 'ClusterConnection' };
const label: JsonObject = { metadata: { labels: { changed: 'yes' } } };
const status: JsonObject = { status: { observedGeneration: 1 } };

const TABLE: readonly (readonly [what: string, request: Request, who: readonly Who[]])[] = [
  ['lists Deployments', ['GET', ours('deployments')], [...READERS, 'controller']],
  ['reads a Deployment', ['GET', ours('deployments', '/there')], [...READERS, 'controller']],
  ['makes a Deployment', ['POST', ours('deployments'), deployment], EDITORS],
  ['edits a Deployment', ['PATCH', ours('deployments', '/there'), label], [...EDITORS, 'controller']],
  ['deletes a Deployment', ['DELETE', ours('deployments', '/there')], EDITORS],
  ['deletes all Deployments', ['DELETE', ours('deployments')], EDITORS],
  ['says how a Deployment is', ['PATCH', ours('deployments', '/there/status'), status], ['controller']],
  ['makes a Deployment elsewhere', ['POST', ours('deployments', '', 'team-b'), deployment], []],
  ['lists Deployments elsewhere', ['GET', ours('deployments', '', 'team-b')], ['controller']],
  ['lists Deployments everywhere', ['GET', ours('deployments', '', '')], ['controller']],
  ['lists Connections', ['GET', ours('connections')], [...READERS, 'connection admin', 'controller']],
  ['reads a Connection', ['GET', ours('connections', '/there')], [...READERS, 'connection admin']],
  ['makes a Connection', ['POST', ours('connections'), connection], ['connection admin']],
  ['edits a Connection', ['PATCH', ours('connections', '/there'), label], ['connection admin', 'controller']],
  ['deletes a Connection', ['DELETE', ours('connections', '/there')], ['connection admin']],
  ['says how a Connection is', ['PATCH', ours('connections', '/there/status'), status], ['controller']],
  ['makes a Connection elsewhere', ['POST', ours('connections', '', 'team-b'), connection], []],
  ['lists ClusterConnections', ['GET', ours('clusterconnections', '', '')], ['controller']],
  ['makes a ClusterConnection', ['POST', ours('clusterconnections', '', ''), clusterConnection], []],
  ['edits a ClusterConnection', ['PATCH', ours('clusterconnections', '/there', ''), label], ['controller']],
  ['says how one is', ['PATCH', ours('clusterconnections', '/there/status', ''), status], ['controller']],
  ['reads a Secret', ['GET', core('secrets', '/there')], [...EDITORS_OF_ALL, 'controller']],
  ['makes a Secret', ['POST', core('secrets'), made], EDITORS_OF_ALL],
  ['edits a Secret', ['PATCH', core('secrets', '/there'), label], EDITORS_OF_ALL],
  ['reads the digest key', ['GET', core('secrets', '/dms-operator-digest-key', HOME)], ['controller']],
  ['makes a Secret of the operator', ['POST', core('secrets', '', HOME), made], ['controller']],
  ['edits the digest key', ['PATCH', core('secrets', '/dms-operator-digest-key', HOME), label], []],
  ['labels its namespace', ['PATCH', '/api/v1/namespaces/team-a', label], []],
  ['lists namespaces', ['GET', '/api/v1/namespaces'], ['controller']],
  ['takes the Lease', ['PATCH', lease('/dms-operator'), label], ['controller']],
  ['takes another Lease there', ['PATCH', lease('/other'), label], []],
  ['gives itself rights', ['POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', made], []],
  ['changes a CRD', ['PATCH', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x', label], []],
  [
    'asks which fields the API server knows',
    ['GET', `/openapi/v3/apis/${API_VERSION}`],
    [...people(), 'controller'],
  ],
];

function people(): readonly (keyof typeof PEOPLE)[] {
  return Object.keys(PEOPLE) as (keyof typeof PEOPLE)[];
}

const cluster = useOwnControlPlane();
const users = new Map<Who, Transport>();

beforeAll(async () => {
  await kubectl('apply', '--server-side', '-k', INSTALL);
  for (const namespace of ['team-a', 'team-b']) await kubectl('create', 'namespace', namespace);
  await aggregateRoles(cluster());
  for (const who of people()) {
    const user = who.replace(' ', '-');
    const role = PEOPLE[who];
    if (role !== undefined)
      await kubectl('create', 'rolebinding', user, `--clusterrole=${role}`, `--user=${user}`, '-n', 'team-a');
    users.set(who, await transportOf(await cluster().userKubeconfig(user)));
  }
  users.set('controller', await transportOf(await cluster().serviceAccountKubeconfig(HOME, HOME)));
  // A new role takes effect in the API server a moment later.
  await vi.waitFor(
    async () => expect(await whoMay(['POST', ours('deployments'), deployment])).toEqual(EDITORS),
    { timeout: 20_000, interval: 100 },
  );
});
afterAll(async () => {
  for (const user of users.values()) await user.close();
});

async function kubectl(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await cluster().kubectl(args);
  expect(code, stderr).toBe(0);
}

async function transportOf(kubeconfig: string): Promise<Transport> {
  const config = await loadClusterConfig({ kubeconfig }, systemClock);
  return createTransport(config, { clock: systemClock, userAgent: 'test' });
}

/** Returns who passes authorization, whatever the API server answers then. */
async function whoMay([method, path, body]: Request): Promise<readonly Who[]> {
  const may: Who[] = [];
  for (const [who, user] of users) {
    const how = {
      ...(body === undefined ? {} : { body }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
      ...(method === 'GET' ? {} : { query: { dryRun: 'All' } }),
    };
    try {
      await user.request(method, path, how);
      may.push(who);
    } catch (error) {
      if (!isApiError(error, 'forbidden')) may.push(who);
      else expect(error.message).toMatch(/cannot (get|list|create|patch|delete|deletecollection) /);
    }
  }
  return may;
}

describe('with the certificate, or the token, of each', () => {
  it.each(TABLE.map(([what, request, who]) => ({ what, request, who })))(
    '$what: $who',
    async ({ request, who }) => {
      expect((await whoMay(request)).toSorted()).toEqual(who.toSorted());
    },
  );

  it('is not for the admin of a namespace to give away what decides where Secrets go', async () => {
    const roleRef = {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'dms-operator-connection-admin',
    };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'namespace-admin' }];
    const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/team-a/rolebindings';
    const asked = users
      .get('namespace admin')
      ?.request('POST', bindings, { body: { ...made, roleRef, subjects } });
    await expect(asked).rejects.toThrow('attempting to grant RBAC permissions not currently held');
  });
});
