import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { aWorld, type World } from '../support/worlds/e2e-world.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();
const imageOf = (version: number): string => `registry.example.com/agent:${version}`;

let world: World;
afterEach(() => world.end());

async function aWorldOf(...deployments: readonly string[]): Promise<void> {
  world = await aWorld(plane(), {
    ...{ start: false, leaderElect: true, rolloutSeconds: 0 },
    deployments: deployments.map((name) => ({ name, revisionConfig: { image_uri: imageOf(1) } })),
  });
}

const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'dms-operator.dev/v1alpha1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      source: 'external_container',
      sourceRevisionConfig: { imageURI: imageOf(2) },
      deletionPolicy: 'Delete',
      ...more,
    },
  });

describe('--dry-run', () => {
  test('plans, prints the plan and sends no write; without it the plan is carried out', async () => {
    await aWorldOf('agent', 'kept');
    await world.apply(manifest('agent'));
    await world.apply(manifest('new', { creation: { policy: 'IfMissing' } }));
    const dry = world.run(undefined, '--dry-run');
    await world.untilReason('agent', 'Differs');
    await world.untilReason('new', 'Differs');
    const { status, metadata } = await world.get('agent');
    expect(status?.plan?.changes).toMatchObject([{ path: 'sourceRevisionConfig.imageURI', to: imageOf(2) }]);
    expect([status?.pendingWrite, metadata.finalizers]).toEqual([undefined, undefined]);
    await world.sweeps(2);
    const asked = new Set(world.service.log.requests().map(({ method }) => method));
    expect(asked).toEqual(new Set(['GET']));
    expect(dry.lines.some((line) => line.includes('would send a change'))).toBe(true);
    expect(await dry.stop()).toBe(0);

    world.run();
    await world.untilReason('agent', 'InSync');
    await world.untilReason('new', 'InSync');
    expect(world.patches()).toHaveLength(1);
  });
});

describe('--namespace', () => {
  test('ignores resources in other namespaces', async () => {
    await aWorldOf('agent', 'elsewhere');
    const elsewhere = await plane().createNamespace('elsewhere');
    const connection = JSON.parse(await world.kubectl('get', 'dmsc/default', '-o', 'json')) as {
      spec: object;
    };
    const head = {
      apiVersion: 'dms-operator.dev/v1alpha1',
      kind: 'Connection',
      metadata: { name: 'default' },
    };
    for (const text of [JSON.stringify({ ...head, spec: connection.spec }), manifest('elsewhere')]) {
      const { code, stderr } = await plane().kubectl(['apply', '-n', elsewhere, '-f', '-'], { stdin: text });
      expect(code, stderr).toBe(0);
    }
    await world.apply(manifest('agent'));
    world.run();
    await world.untilReason('agent', 'InSync');
    await world.sweeps(2);
    const { stdout } = await plane().kubectl([
      ...['get', 'dmsd,dmsc', '-n', elsewhere],
      ...['-o', 'jsonpath={.items[*].status.conditions}{.items[*].metadata.finalizers}'],
    ]);
    expect(stdout.trim()).toBe('');
    expect(world.service.deployment('elsewhere')?.content.revisionConfig['image_uri']).toBe(imageOf(1));
    const leases = await world.kubectl('get', 'lease', '-o', 'jsonpath={.items[*].metadata.name}');
    expect(leases).toMatch(/^dms-operator-[0-9a-f]{10}$/);
  });

  test('leaves ClusterConnections for other namespaces to their controllers, also when a label moves', async () => {
    await aWorldOf('agent', 'elsewhere');
    const elsewhere = await plane().createNamespace('elsewhere');
    const [mine, other] = [`mine-${world.namespace}`, `other-${world.namespace}`];
    onTestFinished(async () => {
      await plane().kubectl(['delete', 'dmscc', mine, other, '--wait=false']);
    });
    const shared = { baseURL: world.server.url, poll: { intervalSeconds: 1, rolloutSeconds: 1 } };
    for (const name of [mine, other])
      await world.apply(
        JSON.stringify({
          apiVersion: 'dms-operator.dev/v1alpha1',
          kind: 'ClusterConnection',
          metadata: { name },
          spec: { ...shared, namespaceSelector: { matchLabels: { shared: name } } },
        }),
      );
    const give = (namespace: string, name: string): Promise<string> =>
      world.kubectl('label', '--overwrite', 'namespace', namespace, `shared=${name}`);
    await give(world.namespace, mine);
    await give(elsewhere, other);
    const using = (name: string): object => ({ connectionRef: { kind: 'ClusterConnection', name } });
    await world.apply(manifest('agent', using(mine)));
    const inElsewhere = await plane().kubectl(['apply', '-n', elsewhere, '-f', '-'], {
      stdin: manifest('elsewhere', using(other)),
    });
    expect(inElsewhere.code, inElsewhere.stderr).toBe(0);

    // Both see both ClusterConnections at the same moment, and none of them waits for the Lease of the other one.
    world.run();
    world.run(undefined, '--namespace', elsewhere);
    const synced = (namespace: string, name: string): Promise<string> =>
      world.kubectl(
        ...['-n', namespace, 'get', 'dmsd', name],
        ...['-o', 'jsonpath={.status.conditions[?(@.type=="Synced")].reason}'],
      );
    await world.untilReason('agent', 'InSync', 10_000);
    await world.until(
      'elsewhere is in sync',
      async () => (await synced(elsewhere, 'elsewhere')) === 'InSync',
      10_000,
    );
    const holders = await servedBy(mine, other);
    expect(new Set(holders).size).toBe(2);

    await give(world.namespace, other);
    await world.untilReason('agent', 'ConnectionNotFound', 10_000);
    await world.until('the connection has no holder', async () => (await servedBy(mine))[0] === '', 10_000);
    await give(elsewhere, mine);
    await world.until(
      'the other controller serves it',
      async () => (await servedBy(mine))[0] === holders[1],
      10_000,
    );
  });
});

/** Returns the Leases whose controllers serve these ClusterConnections. */
async function servedBy(...names: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    names.map((name) => world.kubectl('get', 'dmscc', name, '-o', 'jsonpath={.status.servedBy}')),
  );
}
