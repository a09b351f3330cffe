import { afterEach, expect, test } from 'vitest';
import { aWorld, type World } from '../support/worlds/e2e-world.ts';
import type { OperatorProcess } from '../support/worlds/operator-process.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';

const plane = useControlPlane();
const imageOf = (version: number): string => `registry.example.com/agent:${version}`;

let world: World;
afterEach(() => world.end());

async function declare(version: number): Promise<void> {
  const spec = { source: 'external_container', sourceRevisionConfig: { imageURI: imageOf(version) } };
  const head = { apiVersion: 'dms-operator.dev/v1alpha1', kind: 'Deployment', metadata: { name: 'agent' } };
  await world.apply(JSON.stringify({ ...head, spec }));
}

async function arrived(version: number): Promise<void> {
  const shown = (): unknown => world.service.deployment('agent')?.content.revisionConfig['image_uri'];
  await world.until(`version ${version} is at the service`, () => shown() === imageOf(version));
}

const label = (tier: string): Promise<string> =>
  world.kubectl('label', '--overwrite', 'dmsc/default', `tier=${tier}`);

async function aShard(tier: string): Promise<{ shard: OperatorProcess; identity: string }> {
  const shard = world.run(undefined, '--shard-selector', `tier=${tier}`);
  const { identity } = JSON.parse(await shard.said('"leading"')) as { identity: string };
  return { shard, identity };
}

test(
  'a connection that moves between two shards is served by one at a time, while edits continue',
  { timeout: 120_000 },
  async () => {
    world = await aWorld(plane(), {
      ...{ start: false, leaderElect: true, rolloutSeconds: 0 },
      deployments: [{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }],
    });
    await label('gold');
    const [gold, blue] = [await aShard('gold'), await aShard('blue')];
    await declare(2);
    await arrived(2);
    const moves = ['blue', 'gold', 'blue'];
    for (const [at, tier] of moves.entries()) {
      await Promise.all([declare(at + 3), label(tier)]);
      await arrived(at + 3);
      await world.until(`${tier} serves`, async () => {
        const servedBy = await world.kubectl('get', 'dmsc', '-o', 'jsonpath={.items[*].status.servedBy}');
        const holder = await world
          .kubectl('get', 'lease', servedBy.split('/')[1] ?? '', '-o', 'jsonpath={.spec.holderIdentity}')
          .catch(() => '');
        return holder === (tier === 'gold' ? gold : blue).identity;
      });
      await world.sweeps(2);
    }
    const senders = world.service.log
      .requests()
      .map(({ userAgent = '' }) => (userAgent.includes(gold.identity) ? 'gold' : 'blue'));
    const turns = senders.filter((sender, at) => sender !== senders[at - 1]);
    expect(turns).toEqual(['gold', ...moves]);
    expect(world.service.log.maxInFlight()).toBe(1);
    expect(world.patches()).toHaveLength(4);
    expect([await gold.shard.stop(), await blue.shard.stop()]).toEqual([0, 0]);
  },
);
