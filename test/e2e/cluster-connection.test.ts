import { afterEach, describe, expect, test } from 'vitest';
import type { DeploymentResource } from '../../src/api/deployment.ts';
import { aWorld, type World } from '../support/worlds/e2e-world.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();

const HEADER = 'X-Api-Key';
const API_KEY = 'key-of-the-operator';
const WANTED = 'registry.example.com/agent:2';

function secret(apiKey: string): string {
  const metadata = { name: 'service-credentials' };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: { 'api-key': apiKey } });
}

/** One service, one ClusterConnection for namespaces with its label, and two tenants, one of them with the label. */
class Tenants {
  readonly world: World;
  readonly connection: string;
  readonly selected: string;
  readonly unselected: string;

  private constructor(world: World, selected: string, unselected: string) {
    this.world = world;
    this.connection = `shared-${world.namespace}`;
    this.selected = selected;
    this.unselected = unselected;
  }

  static async start(): Promise<Tenants> {
    const selected = await plane().createNamespace('tenant', { 'dms.example.com/tenant': 'yes' });
    const unselected = await plane().createNamespace('tenant');
    const names = [selected, unselected].map((namespace) => `${namespace}-agent`);
    const world = await aWorld(plane(), {
      connection: false,
      watched: [selected, unselected],
      rolloutSeconds: 0,
      semantics: { auth: { kind: 'header', name: HEADER, value: API_KEY } },
      deployments: names.map((name) => ({
        name,
        revisionConfig: { image_uri: 'registry.example.com/agent:1' },
      })),
    });
    return new Tenants(world, selected, unselected);
  }

  async connect(): Promise<void> {
    await this.world.apply(
      JSON.stringify({
        apiVersion: 'dms-operator.dev/v1alpha1',
        kind: 'ClusterConnection',
        metadata: { name: this.connection },
        spec: {
          baseURL: this.world.server.url,
          headers: [
            { name: HEADER, valueFrom: { secretKeyRef: { name: 'service-credentials', key: 'api-key' } } },
          ],
          rateLimit: { requestsPerSecond: 100, burst: 200, concurrency: 20 },
          poll: { intervalSeconds: 1, rolloutSeconds: 1 },
          namespaceSelector: { matchLabels: { 'dms.example.com/tenant': 'yes' } },
          allowedNames: ['{namespace}-*'],
        },
      }),
    );
  }

  /** Changes members of the spec. Null removes a member. */
  async change(spec: object): Promise<void> {
    const patch = ['--type', 'merge', '-p', JSON.stringify({ spec })];
    await this.world.kubectl('patch', 'clusterconnection', this.connection, ...patch);
  }

  /** Creates a resource `agent` in a namespace, for the deployment of this name. */
  async deploy(namespace: string, name: string): Promise<void> {
    const manifest = JSON.stringify({
      apiVersion: 'dms-operator.dev/v1alpha1',
      kind: 'Deployment',
      metadata: { name: 'agent', namespace },
      spec: {
        connectionRef: { kind: 'ClusterConnection', name: this.connection },
        deploymentRef: { name },
        source: 'external_container',
        sourceRevisionConfig: { imageURI: WANTED },
      },
    });
    await this.applyIn(namespace, manifest);
  }

  async applyIn(namespace: string, manifest: string): Promise<void> {
    const { code, stderr } = await plane().kubectl(['-n', namespace, 'apply', '-f', '-'], {
      stdin: manifest,
    });
    if (code !== 0) throw new Error(stderr);
  }

  /** Returns the reason and message of Synced on the resource in a namespace. */
  async synced(namespace: string): Promise<string> {
    const text = await this.world.kubectl('-n', namespace, 'get', 'dmsd', 'agent', '-o', 'json');
    const { status } = JSON.parse(text) as DeploymentResource;
    const condition = status?.conditions?.find(({ type }) => type === 'Synced');
    return `${condition?.reason}: ${condition?.message}`;
  }

  async untilSynced(namespace: string, beginning: string, limitMs?: number): Promise<void> {
    await this.world.until(
      `${namespace}/agent says ${beginning}`,
      async () => (await this.synced(namespace)).startsWith(beginning),
      limitMs,
    );
  }

  image(namespace: string): unknown {
    return this.world.service.deployment(`${namespace}-agent`)?.content.revisionConfig['image_uri'];
  }

  async end(): Promise<void> {
    await plane().kubectl(['delete', 'clusterconnection', this.connection, '--ignore-not-found']);
    await this.world.end();
  }
}

describe('a ClusterConnection', () => {
  let tenants: Tenants;
  afterEach(() => tenants.end());

  test('reads its credentials from the operator’s namespace and serves the namespaces that it selects', async () => {
    tenants = await Tenants.start();
    const { world, selected, unselected, connection } = tenants;
    await tenants.applyIn(selected, secret('key-of-a-tenant'));
    await tenants.connect();
    await tenants.deploy(selected, `${selected}-agent`);
    await tenants.deploy(unselected, `${unselected}-agent`);

    // The ClusterConnection must ignore the Secret of this name in a tenant's namespace.
    await tenants.untilSynced(selected, 'ConnectionNotReady');
    expect(await tenants.synced(selected)).toContain('SecretMissing; its status says more');
    await world.apply(secret(API_KEY));
    await tenants.untilSynced(selected, 'InSync', 5_000);
    expect(tenants.image(selected)).toBe(WANTED);
    expect(world.service.log.requests().filter(({ status }) => status === 401)).toEqual([]);

    expect(await tenants.synced(unselected)).toBe(
      `ConnectionNotFound: ClusterConnection ${connection} does not select namespace ${unselected}`,
    );
    await world.kubectl('label', 'namespace', unselected, 'dms.example.com/tenant=yes');
    await tenants.untilSynced(unselected, 'InSync', 5_000);
    expect(tenants.image(unselected)).toBe(WANTED);

    await world.kubectl('label', 'namespace', unselected, 'dms.example.com/tenant=no', '--overwrite');
    await tenants.untilSynced(unselected, 'ConnectionNotFound', 5_000);
    await tenants.change({ namespaceSelector: { matchLabels: null } });
    await tenants.untilSynced(unselected, 'InSync', 5_000);
  });

  test('lets a namespace bind the allowed names, and follows their changes', async () => {
    tenants = await Tenants.start();
    const { world, selected, unselected } = tenants;
    await world.apply(secret(API_KEY));
    await tenants.connect();
    await tenants.deploy(selected, `${unselected}-agent`);
    await tenants.untilSynced(selected, 'NameNotAllowed');
    expect(tenants.image(unselected)).toBe('registry.example.com/agent:1');

    await tenants.change({ allowedNames: ['*-agent'] });
    await tenants.untilSynced(selected, 'InSync', 5_000);
    expect(tenants.image(unselected)).toBe(WANTED);
  });
});
