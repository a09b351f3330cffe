import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { dispatch } from '../../../src/cli/dispatch.ts';
import type { DeploymentScreen } from '../../../src/views/screens/deployment-screen.ts';
import type { FleetScreen } from '../../../src/views/screens/fleet-screen.ts';
import type { Overview } from '../../../src/views/screens/overview.ts';
import { clusterSource } from '../../../src/compose/console/cluster-source.ts';
import { DIRECT } from '../../../src/model/connection/egress.ts';
import { systemClock } from '../../../src/runtime/process/system-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { aPlan, statusOf } from '../../support/console/fleet-of-states.ts';
import { type Signed, signIn } from '../../support/console/served-console.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';
import { deploymentYaml } from '../../directory/support/manifests.ts';
import { MemoryTerminal } from '../support/terminal.ts';

const plane = useControlPlane();
const PATH = '/apis/dms-operator.dev/v1alpha1/namespaces';
const [HASH, OTHER] = ['5c1e0b7a90d2f1c44e07', '00000b7a90d2f1c44e07'];

/** Runs a console in this process until the test ends. */
async function consoleOf(...words: readonly string[]): Promise<Signed> {
  const terminal = new MemoryTerminal();
  const kubeconfig = plane().kubeconfigFile;
  const all = ['console', '--no-open', '--kubeconfig', kubeconfig, ...words];
  const ended = dispatch(all, 'dms-operator', terminal);
  onTestFinished(async () => {
    terminal.stop('SIGINT');
    await ended;
  });
  await expect
    .poll(() => terminal.outText + terminal.errText, { timeout: 20_000 })
    .toMatch(/^console at .*\n/);
  return signIn(/^console at (\S+)/.exec(terminal.outText)?.[1] ?? '');
}

async function request(method: string, path: string, body: object, type?: string): Promise<void> {
  const answer = await plane().request(method, path, body, type);
  if (answer.status >= 400) throw new Error(answer.text);
}

/** Creates a namespace with one resource that waits for approval. */
async function aNamespace(): Promise<string> {
  await plane().installCRDs();
  const namespace = await plane().createNamespace('console');
  const text = deploymentYaml('agent', { namespace, spec: '  approval: Manual\n' });
  await request('POST', `${PATH}/${namespace}/deployments`, parse(text) as object);
  await waiting(namespace, HASH);
  return namespace;
}

/** Sets the status so that a plan with this hash waits. */
async function waiting(namespace: string, hash: string): Promise<void> {
  const status = { ...statusOf('AwaitingApproval'), plan: aPlan(`agent:${hash.slice(0, 3)}`, hash) };
  await request(
    'PATCH',
    `${PATH}/${namespace}/deployments/agent/status`,
    { status },
    'application/merge-patch+json',
  );
}

const screenIn = async ({ get }: Signed, namespace: string): Promise<DeploymentScreen> =>
  (await get(`/api/deployment?namespace=${namespace}&name=agent`)).json as DeploymentScreen;
const overviewIn = async ({ get }: Signed): Promise<Overview> =>
  (await get('/api/overview')).json as Overview;

/** Gives a separate user the right to read the deployment resources of a namespace, and no other right. */
async function mayLook(namespace: string): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces';
  const rules = [
    { apiGroups: ['dms-operator.dev'], resources: ['deployments'], verbs: ['get', 'list', 'watch'] },
  ];
  await request('POST', `${rbac}/${namespace}/roles`, { metadata: { name: 'looker' }, rules });
  await request('POST', `${rbac}/${namespace}/rolebindings`, {
    metadata: { name: 'looker' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'looker' },
    subjects: [{ kind: 'User', name: `looker-${namespace}`, apiGroup: 'rbac.authorization.k8s.io' }],
  });
}

/** Creates a relay to the API server that the test can cut. */
async function cuttableWay() {
  const to = new URL(plane().server);
  const open = new Set<Socket>();
  let silent = false;
  const serve = async (port: number): Promise<Server> => {
    const server = createServer((socket) => {
      const behind = connect(Number(to.port), to.hostname);
      for (const one of [socket, behind]) {
        open.add(one);
        one.on('error', () => undefined);
        one.on('close', () => {
          open.delete(one);
          socket.destroy();
          behind.destroy();
        });
      }
      if (!silent) socket.pipe(behind).pipe(socket);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let server = await serve(0);
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  onTestFinished(cut);
  return {
    url: `https://127.0.0.1:${port}`,
    cut,
    /** From now on the relay passes nothing on, and closes no connection. */
    silence: () => {
      silent = true;
      for (const socket of open) socket.unpipe().resume();
    },
    mend: async () => {
      server = await serve(port);
    },
  };
}

describe('console on a cluster', () => {
  it('shows a change within a second, and the events of a resource when its screen is open', async () => {
    const namespace = await aNamespace();
    const signed = await consoleOf('-n', namespace);
    expect(await overviewIn(signed)).toMatchObject({
      ...{ mode: 'cluster', allowActions: false, waiting: 1, namespaces: [{ name: namespace, count: 1 }] },
      freshness: { missingRights: [], problems: [] },
    });
    const { metadata } = (await plane().request('GET', `${PATH}/${namespace}/deployments/agent`)).json as {
      metadata: { uid: string };
    };
    await request('POST', `/api/v1/namespaces/${namespace}/events`, {
      metadata: { name: 'agent.1', namespace },
      involvedObject: { kind: 'Deployment', namespace, name: 'agent', uid: metadata.uid },
      ...{ type: 'Warning', reason: 'ApprovalNeeded', message: '<b>look</b>', count: 3 },
      lastTimestamp: '2026-11-25T10:00:00Z',
    });
    expect((await screenIn(signed, namespace)).events).toEqual([
      {
        time: '2026-11-25T10:00:00Z',
        type: 'Warning',
        reason: 'ApprovalNeeded',
        message: '<b>look</b>',
        count: 3,
      },
    ]);
    await waiting(namespace, OTHER);
    await expect
      .poll(async () => (await screenIn(signed, namespace)).plan?.hash, { timeout: 1_000 })
      .toBe(OTHER);
  });

  it('approves the plan that was seen, and refuses where the plan changes underneath', async () => {
    const namespace = await aNamespace();
    const signed = await consoleOf('-n', namespace, '--allow-actions');
    const { resourceVersion } = await screenIn(signed, namespace);
    const about = { action: 'approve', namespace, name: 'agent' };
    await waiting(namespace, OTHER);
    const refused = await signed.post('/api/actions', { ...about, resourceVersion, hash: HASH });
    expect(refused).toMatchObject({ status: 409, json: { screen: { plan: { hash: OTHER } } } });
    const approvedIn = async () =>
      (
        (await plane().request('GET', `${PATH}/${namespace}/deployments/agent`)).json as {
          metadata: { annotations?: Record<string, string> };
        }
      ).metadata.annotations;
    expect(await approvedIn()).toBeUndefined();
    const { screen } = refused.json as { screen: DeploymentScreen };
    const done = await signed.post('/api/actions', {
      ...about,
      resourceVersion: screen.resourceVersion,
      hash: OTHER,
    });
    expect(done).toMatchObject({ status: 200, json: { done: `${namespace}/agent approved` } });
    expect(await approvedIn()).toEqual({ 'dms-operator.dev/approve': OTHER });
  });

  it('names the rights that are missing, and shows the rest', async () => {
    const namespace = await aNamespace();
    await mayLook(namespace);
    const signed = await consoleOf('--as', `looker-${namespace}`, '-n', namespace, '--allow-actions');
    const { freshness } = await overviewIn(signed);
    expect(freshness.missingRights).toEqual([
      `list connections.dms-operator.dev in namespace ${namespace}`,
      'list clusterconnections.dms-operator.dev',
    ]);
    expect(((await signed.get('/api/fleet')).json as FleetScreen).total).toBe(1);
    const { resourceVersion, eventsError } = await screenIn(signed, namespace);
    expect(eventsError).toBe(`you lack the right to list events in namespace ${namespace}`);
    const pause = { action: 'pause', namespace, name: 'agent', resourceVersion };
    const missingRight = `patch deployments.dms-operator.dev in namespace ${namespace}`;
    expect(await signed.post('/api/actions', pause)).toMatchObject({ status: 403, json: { missingRight } });
    const { actions } = await screenIn(signed, namespace);
    expect(actions.filter(({ allowed }) => allowed)).toEqual([]);
  });

  it('shows the namespace of the context if it may not read all namespaces, and says so', async () => {
    const namespace = await aNamespace();
    await mayLook(namespace);
    const config = parse(readFileSync(plane().kubeconfigFile, 'utf8')) as {
      readonly contexts: readonly { readonly context: { namespace?: string } }[];
    };
    for (const { context } of config.contexts) context.namespace = namespace;
    const kubeconfig = temporaryFolder({ config: JSON.stringify(config) }).at('config');
    const signed = await consoleOf('--kubeconfig', kubeconfig, '--as', `looker-${namespace}`);
    expect(((await signed.get('/api/fleet')).json as FleetScreen).total).toBe(1);
    const { freshness } = await overviewIn(signed);
    expect(freshness.missingRights[0]).toBe('list deployments.dms-operator.dev in all namespaces');
  });

  it('changes nothing if the version changed between the read and the change', async () => {
    const namespace = await aNamespace();
    const cluster = { kubeconfig: plane().kubeconfigFile, namespaces: [namespace] };
    const parts = { clock: systemClock, logger: new MemoryLogger(), onChange: () => undefined };
    const { signal } = new AbortController();
    const source = await clusterSource({ paths: [], egress: DIRECT, cluster }, parts, signal);
    onTestFinished(() => source.close());
    const seen = await source.now({ namespace, name: 'agent' }, signal);
    await waiting(namespace, OTHER);
    const change = { name: 'dms-operator.dev/approve', value: HASH };
    expect(await source.annotate(seen!, change, signal)).toEqual({ kind: 'changed' });
    const now = await source.now({ namespace, name: 'agent' }, signal);
    expect(now?.metadata.annotations).toBeUndefined();
    expect(await source.annotate(now!, change, signal)).toEqual({ kind: 'done' });
  });

  it('shows the age of its data while the API server is away, and resumes by itself', async () => {
    const namespace = await aNamespace();
    const way = await cuttableWay();
    const signed = await consoleOf('-n', namespace, '--server', way.url);
    expect((await overviewIn(signed)).freshness.stale).toBeUndefined();
    way.cut();
    const freshness = async () => (await overviewIn(signed)).freshness;
    await expect
      .poll(freshness, { timeout: 15_000 })
      .toMatchObject({ stale: expect.stringContaining('does not answer') });
    const { asOf } = await freshness();
    expect(Date.parse(asOf)).toBeLessThanOrEqual(Date.now());
    expect(((await signed.get('/api/fleet')).json as FleetScreen).total).toBe(1);
    await waiting(namespace, OTHER);
    await way.mend();
    await expect
      .poll(async () => (await screenIn(signed, namespace)).plan?.hash, { timeout: 20_000 })
      .toBe(OTHER);
    expect((await freshness()).stale).toBeUndefined();
    expect(Date.parse((await freshness()).asOf)).toBeGreaterThan(Date.parse(asOf));
  });

  it('shows a resource without its events if the API server does not answer', async () => {
    const namespace = await aNamespace();
    const way = await cuttableWay();
    const signed = await consoleOf('-n', namespace, '--server', way.url);
    way.silence();
    const { row, eventsError } = await screenIn(signed, namespace);
    expect([row.name, eventsError]).toEqual(['agent', 'the API server does not list them in time']);
  }, 10_000);

  it('reports in one line that the cluster is not reachable', async () => {
    const way = await cuttableWay();
    way.cut();
    const terminal = new MemoryTerminal();
    const words = ['console', '--no-open', '--kubeconfig', plane().kubeconfigFile, '--server', way.url];
    expect(await dispatch(words, 'dms-operator', terminal)).toBe(1);
    expect(terminal.errText).toMatch(/^.*the API server https:\S+ .*cannot be reached: .*\n$/);
  });
});
