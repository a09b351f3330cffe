import { describe, expect, it, onTestFinished } from 'vitest';
import { CONNECTION_FINALIZER } from '../../../src/api/connection.ts';
import { ANNOTATIONS } from '../../../src/api/deployment.ts';
import { API_VERSION, keyText } from '../../../src/api/metadata.ts';
import type { ChangeSource } from '../../../src/ports/stores/change-source.ts';
import { type ClusterWorld, useClusterWorlds } from '../../support/worlds/cluster-world.ts';
import { useControlPlane } from '../../support/control-plane/shared-control-plane.ts';

const start = useClusterWorlds(useControlPlane());

/** The keys that a source reported since the last call, and a way to wait for them. */
class Heard {
  readonly #keys: string[] = [];
  readonly #world: ClusterWorld;

  constructor(world: ClusterWorld) {
    this.#world = world;
  }

  async listen(source: ChangeSource): Promise<void> {
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    await source.start((key) => this.#keys.push(keyText(key)), ending.signal);
  }

  /** Returns the keys reported since the last call, sorted, as soon as there are `count` or more. */
  async next(count: number): Promise<readonly string[]> {
    await expect.poll(() => this.#keys.length).toBeGreaterThanOrEqual(count);
    return this.#keys.splice(0).toSorted();
  }

  /** Returns the keys reported before a change that is certain to be reported. */
  async untilMarked(mark: () => Promise<void>): Promise<readonly string[]> {
    await mark();
    await expect.poll(() => this.#keys.some((key) => key.endsWith('/mark'))).toBe(true);
    return this.#keys.splice(0).filter((key) => !key.endsWith('/mark'));
  }

  deployment(name: string): string {
    return `Deployment/${this.#world.namespace}/${name}`;
  }

  connection(name: string): string {
    return `Connection/${this.#world.namespace}/${name}`;
  }
}

async function worldWith(
  change: (world: ClusterWorld) => Promise<void>,
): Promise<{ world: ClusterWorld; heard: Heard }> {
  const world = await start();
  await change(world);
  await world.adapter.start(new AbortController().signal);
  return { world, heard: new Heard(world) };
}

const connections = (world: ClusterWorld, name?: string): string =>
  `/apis/${API_VERSION}/namespaces/${world.namespace}/connections${name === undefined ? '' : `/${name}`}`;

async function connect(world: ClusterWorld, name: string, spec: object = {}): Promise<void> {
  await world.api('POST', connections(world), {
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name },
    spec: { baseURL: 'https://deploy.example.com', ...spec },
  });
}

describe('the source of deployment keys', () => {
  it('reports existing resources once, to each caller that starts it', async () => {
    const { world, heard } = await worldWith(async (world) => {
      await world.create('a');
      await world.create('b');
    });
    await heard.listen(world.adapter.sources.deployments);
    expect(await heard.next(2)).toEqual([heard.deployment('a'), heard.deployment('b')]);
    const second = new Heard(world);
    await second.listen(world.adapter.sources.deployments);
    expect(await second.next(2)).toHaveLength(2);
  });

  it('reports changes that people make, and not our own writes', async () => {
    const { world, heard } = await worldWith((world) => world.create('a'));
    await heard.listen(world.adapter.sources.deployments);
    await heard.next(1);
    const store = world.adapter.deploymentStore;
    const before = await store.get(world.key('a'));
    if (before === undefined) throw new Error('a should be there');
    const claimed = await store.claim(before);
    await store.saveStatus(claimed, { observedGeneration: 1, name: 'a' }, { mustLand: true });
    expect(await heard.untilMarked(() => world.create('mark'))).toEqual([]);

    await world.api('PATCH', world.deployments('a'), {
      metadata: { annotations: { [ANNOTATIONS.paused]: 'true' } },
    });
    expect(await heard.next(1)).toEqual([heard.deployment('a')]);
    await world.api('PATCH', world.deployments('a'), { spec: { driftPolicy: 'Report' } });
    expect(await heard.next(1)).toEqual([heard.deployment('a')]);
    await world.api('DELETE', world.deployments('a'));
    expect(await heard.next(1)).toEqual([heard.deployment('a')]);
  });

  it('reports resources that take values from a Secret or ConfigMap that is created, changed or deleted', async () => {
    const { world, heard } = await worldWith(async (world) => {
      const secretKeyRef = { name: 'keys', key: 'token' };
      const configMapKeyRef = { name: 'settings', key: 'token' };
      await world.create('one-key', { spec: { secrets: [{ name: 'A', valueFrom: { secretKeyRef } }] } });
      await world.create('setting', { spec: { secrets: [{ name: 'A', valueFrom: { configMapKeyRef } }] } });
      await world.create('all-keys', { spec: { secretsFrom: [{ secretRef: { name: 'keys' } }] } });
      await world.create('neither');
    });
    await heard.listen(world.adapter.sources.deployments);
    await heard.next(4);
    const users = [heard.deployment('all-keys'), heard.deployment('one-key')];
    await world.api('POST', world.core('secrets'), {
      metadata: { name: 'keys' },
      stringData: { token: '1' },
    });
    expect(await heard.next(2)).toEqual(users);
    await world.api('PATCH', world.core('secrets', 'keys'), { stringData: { token: '2' } });
    expect(await heard.next(2)).toEqual(users);
    await world.api('DELETE', world.core('secrets', 'keys'));
    expect(await heard.next(2)).toEqual(users);
    await world.api('POST', world.core('configmaps'), {
      metadata: { name: 'settings' },
      data: { token: '1' },
    });
    expect(await heard.next(1)).toEqual([heard.deployment('setting')]);
  });

  it('reports resources whose connection is created, changed or becomes ready, and not when it only counts', async () => {
    const { world, heard } = await worldWith(async (world) => {
      await world.create('by-default');
      await world.create('by-name', { spec: { connectionRef: { name: 'default' } } });
      await world.create('elsewhere', { spec: { connectionRef: { name: 'staging' } } });
    });
    await heard.listen(world.adapter.sources.deployments);
    await heard.next(3);
    const users = [heard.deployment('by-default'), heard.deployment('by-name')];
    await connect(world, 'default');
    expect(await heard.next(2)).toEqual(users);
    await world.api('PATCH', connections(world, 'default'), { spec: { suspend: true } });
    expect(await heard.next(2)).toEqual(users);

    const status = (ready: 'True' | 'False', total: number): object => ({
      status: {
        deployments: { total, managed: 0 },
        conditions: [
          {
            type: 'Ready',
            status: ready,
            reason: ready === 'True' ? 'Ok' : 'Unreachable',
            message: '',
            observedGeneration: 1,
            lastTransitionTime: '2026-11-20T00:00:00Z',
          },
        ],
      },
    });
    const path = `${connections(world, 'default')}/status`;
    await world.api('PATCH', path, status('False', 1));
    expect(await heard.next(2)).toEqual(users);
    await world.api('PATCH', path, status('False', 2));
    expect(await heard.untilMarked(() => world.create('mark'))).toEqual([]);
    await world.api('PATCH', path, status('True', 2));
    expect(await heard.next(2)).toContain(users[0]);
  });

  it('reports resources that may need a ClusterConnection when the labels of their namespace change', async () => {
    const { world, heard } = await worldWith(async (world) => {
      await world.create('by-default');
      await world.create('by-name', {
        spec: { connectionRef: { kind: 'ClusterConnection', name: 'shared' } },
      });
      await world.create('beside', { spec: { connectionRef: { kind: 'Connection', name: 'default' } } });
    });
    await heard.listen(world.adapter.sources.deployments);
    await heard.next(3);
    const path = `/api/v1/namespaces/${world.namespace}`;
    await world.api('PATCH', path, { metadata: { annotations: { note: 'of no interest' } } });
    await world.api('PATCH', path, { metadata: { labels: { tenant: 'yes' } } });
    expect(await heard.next(2)).toEqual([heard.deployment('by-default'), heard.deployment('by-name')]);
    expect(await heard.untilMarked(() => world.create('mark'))).toEqual([]);
  });

  it('reports nothing after its signal aborted', async () => {
    const { world } = await worldWith((world) => world.create('a'));
    const ending = new AbortController();
    const keys: string[] = [];
    await world.adapter.sources.deployments.start((key) => keys.push(key.name), ending.signal);
    ending.abort();
    await world.create('b');
    await world.caughtUp();
    expect(keys).toEqual(['a']);
  });
});

describe('the source of connection keys', () => {
  it('reports connections, and connections whose credentials changed', async () => {
    const headers = [{ name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'credentials', key: 'key' } } }];
    const tls = {
      caBundle: { configMapKeyRef: { name: 'authorities', key: 'ca.crt' } },
      clientCertificate: { secretRef: { name: 'identity' } },
    };
    const { world, heard } = await worldWith(async (world) => {
      await connect(world, 'plain');
      await connect(world, 'default', { headers, tls });
    });
    await heard.listen(world.adapter.sources.connections);
    expect(await heard.next(2)).toEqual([heard.connection('default'), heard.connection('plain')]);
    for (const [plural, name] of [
      ['secrets', 'credentials'],
      ['secrets', 'identity'],
      ['configmaps', 'authorities'],
    ] as const) {
      await world.api('POST', world.core(plural), { metadata: { name } });
      expect(await heard.next(1)).toEqual([heard.connection('default')]);
    }
    await world.api('PATCH', connections(world, 'plain'), { spec: { suspend: true } });
    expect(await heard.next(1)).toEqual([heard.connection('plain')]);
  });

  it('reports ClusterConnections when the labels of a watched namespace change, or the finalizer is gone', async () => {
    const { world, heard } = await worldWith((world) => connect(world, 'default'));
    const name = `shared-${world.namespace}`;
    const path = `/apis/${API_VERSION}/clusterconnections`;
    await world.api('POST', path, {
      ...{ apiVersion: API_VERSION, kind: 'ClusterConnection' },
      metadata: { name, finalizers: [CONNECTION_FINALIZER] },
      spec: { baseURL: 'https://deploy.example.com' },
    });
    onTestFinished(async () => {
      await world.api('DELETE', `${path}/${name}`);
    });
    await world.caughtUp();
    await heard.listen(world.adapter.sources.connections);
    const shared = keyText({ kind: 'ClusterConnection', namespace: '', name });
    expect(await heard.next(2)).toContain(shared);
    await world.api('PATCH', `/api/v1/namespaces/${world.namespace}`, {
      metadata: { labels: { tenant: 'yes' } },
    });
    expect(await heard.next(1)).toEqual([shared]);
    await world.api('PATCH', `${path}/${name}`, { metadata: { finalizers: null } });
    expect(await heard.next(1)).toEqual([shared]);
  });
});
