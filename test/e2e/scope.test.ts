import { afterEach, describe, expect, test } from 'vitest';
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
});
