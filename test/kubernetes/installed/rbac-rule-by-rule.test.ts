import { subscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { setTimeout as realTime } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCluster } from '../../../src/kubernetes/cluster/cluster-adapter.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import {
  CLUSTER_SCOPED_PROBES,
  HOME_PROBES,
  NAMESPACED_PROBES,
  type Probe,
} from '../../support/rbac/probes.ts';
import {
  allows,
  neededFor,
  type Right,
  rightText,
  rulesFor,
  type ShippedRole,
  shippedRoles,
} from '../../support/rbac/rights.ts';
import { useOwnControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const INSTALL = join(import.meta.dirname, '..', '..', '..', 'manifests', 'install');
const HOME = 'dms-operator';
/** A probe needs a right if it was refused and has not worked after this time. */
const PATIENCE_MS = 700;

/**
 * The roles of the controller and what needs each of them. The test fails on a rule that no probe needs, and on a probe
 * without a rule.
 */
const ROLES: readonly { readonly file: string; readonly probes: readonly Probe[] }[] = [
  { file: 'controller-role.yaml', probes: NAMESPACED_PROBES },
  { file: 'cluster-scoped-role.yaml', probes: CLUSTER_SCOPED_PROBES },
  { file: 'operator-namespace-role.yaml', probes: HOME_PROBES },
];

interface Outcome {
  /** Undefined if the probe worked. */
  readonly failure: string | undefined;
  readonly asked: readonly Right[];
  readonly refused: readonly Right[];
}

/** Every request of this process and the status of its answer, by the name of the client. */
const requests = new Map<string, { readonly needed: Right; readonly status: number }[]>();
subscribe('undici:request:headers', (message) => {
  const { request, response } = message as {
    request: { method: string; path: string; headers: readonly string[] | string };
    response: { statusCode: number };
  };
  const needed = neededFor(request.method, request.path);
  const agent = /probe-\d+/.exec(String(request.headers))?.[0];
  if (needed === undefined || agent === undefined) return;
  requests.set(agent, [...(requests.get(agent) ?? []), { needed, status: response.statusCode }]);
});

const cluster = useOwnControlPlane();
let namespace: string;
let probed = 0;

beforeAll(async () => {
  const { code, stderr } = await cluster().kubectl(['apply', '--server-side', '-k', INSTALL]);
  expect(code, stderr).toBe(0);
  namespace = await cluster().createNamespace('probed');
});

async function api(method: string, path: string, body?: object): Promise<object> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const { status, text, json } = await cluster().request(method, path, body, type);
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
  return json ?? {};
}

/** Creates a service account with a role of this kind and these rights only. Returns its kubeconfig file. */
async function holderOf(kind: ShippedRole['kind'], rights: readonly Right[]): Promise<string> {
  const name = `holder-${(probed += 1)}`;
  await api('POST', `/api/v1/namespaces/${HOME}/serviceaccounts`, { metadata: { name } });
  const scope = kind === 'Role' ? `namespaces/${HOME}/` : '';
  const at = (plural: string): string => `/apis/rbac.authorization.k8s.io/v1/${scope}${plural}`;
  const plural = kind === 'Role' ? 'roles' : 'clusterroles';
  await api('POST', at(plural), { metadata: { name }, rules: rulesFor(rights) });
  await api('POST', at(kind === 'Role' ? 'rolebindings' : 'clusterrolebindings'), {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: HOME }],
  });
  if (rights[0] !== undefined) await untilAllowed(`system:serviceaccount:${HOME}:${name}`, rights[0]);
  return await cluster().serviceAccountKubeconfig(HOME, name);
}

/** Waits until the API server applies a new role. */
async function untilAllowed(user: string, { verb, group, resource: path, name }: Right): Promise<void> {
  const [resource, subresource] = path.split('/');
  const resourceAttributes = { verb, group, resource, subresource, name, namespace: HOME };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, resourceAttributes },
  };
  await expect
    .poll(() => api('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review))
    .toMatchObject({ status: { allowed: true } });
}

async function outcomeOf(probe: Probe, kubeconfig: string): Promise<Outcome> {
  const name = `probe-${(probed += 1)}`;
  const ending = new AbortController();
  const cluster = await openCluster(
    {
      ...{ kubeconfig, operatorNamespace: HOME, instance: name, userAgent: `dms-operator/${name}` },
      tuning: { backoffBaseMs: 50, backoffCapMs: 200 },
    },
    { clock: systemClock, logger: new MemoryLogger() },
  );
  const adapter = cluster.adapter();
  const seen = (): readonly { needed: Right; status: number }[] => requests.get(name) ?? [];
  const refused = (): readonly Right[] =>
    seen()
      .filter(({ status }) => status === 403)
      .map(({ needed }) => needed);
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await holds())) await realTime(20, undefined, { signal: ending.signal });
  };
  const { leaseStore } = cluster;
  const world = { adapter, leaseStore, namespace, name, home: HOME, api, until, signal: ending.signal };
  const working = probe.run(world).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const giveUp = async (): Promise<string> => {
    await until(() => refused().length > 0).catch(() => undefined);
    await realTime(PATIENCE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    return 'it was refused something and did not get on';
  };
  const failure = await Promise.race([working, giveUp()]);
  ending.abort(new Error('the probe is over'));
  await working;
  await adapter.stop();
  return { failure, asked: seen().map(({ needed }) => needed), refused: refused() };
}

describe.each(ROLES)('the rules of $file', ({ file, probes }) => {
  const [role, ...others] = shippedRoles(file);
  if (role === undefined || others.length > 0) throw new Error(`${file} should hold one role`);
  const users = new Map<Right, Probe>();

  it('are enough for everything, and all of them are needed', async () => {
    const kubeconfig = await holderOf(role.kind, role.rights);
    for (const probe of probes) {
      const { failure, asked, refused } = await outcomeOf(probe, kubeconfig);
      const { does } = probe;
      expect({ does, failure, refused }).toEqual({ does, failure: undefined, refused: [] });
      for (const right of role.rights) {
        if (!users.has(right) && asked.some((needed) => allows(right, needed))) users.set(right, probe);
      }
    }
    const idle = role.rights.filter((right) => !users.has(right));
    expect(idle.map(rightText), 'a probe is missing, or the rule is not needed').toEqual([]);
  });

  it.each(role.rights.map((right) => ({ right, text: rightText(right) })))(
    'do not work without: $text',
    async ({ right }) => {
      const probe = users.get(right);
      if (probe === undefined) throw new Error('no probe needs it');
      const kubeconfig = await holderOf(
        role.kind,
        role.rights.filter((other) => other !== right),
      );
      const { failure, refused } = await outcomeOf(probe, kubeconfig);
      expect(failure, `${probe.does} works without it`).toBeDefined();
      expect(refused.some((needed) => allows(right, needed))).toBe(true);
    },
  );
});

describe('the roles for people', () => {
  it('grant exactly this', () => {
    const rights = shippedRoles('user-roles.yaml').map(({ name, rights: given }) => [
      name,
      given.map(rightText).toSorted(),
    ]);
    const ofOurs = (plural: string, verbs: readonly string[]): readonly string[] =>
      verbs.map((verb) => `${verb} ${plural}.dms-operator.dev`);
    const read = ['get', 'list', 'watch'];
    const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];
    const look = ['deployments', 'connections', 'clusterconnections'].flatMap((plural) =>
      ofOurs(plural, read),
    );
    expect(rights).toEqual([
      ['dms-operator-view', look.toSorted()],
      ['dms-operator-edit', [...look, ...ofOurs('deployments', write)].toSorted()],
      ['dms-operator-connection-admin', ofOurs('connections', [...read, ...write]).toSorted()],
    ]);
  });
});
