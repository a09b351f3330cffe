import { describe, expect, test, type TestContext } from 'vitest';
import type { LoggedRequest } from '../../src/simulator/api/request-log.ts';
import { inAWorld, type World } from '../support/worlds/e2e-world.ts';
import type { OperatorProcess } from '../support/worlds/operator-process.ts';
import { useControlPlane } from '../support/control-plane/shared-control-plane.ts';
import { startFaultProxy } from '../support/fault-proxy/fault-proxy.ts';

const plane = useControlPlane();

/** A lease of 15 s, the turn of the next candidate, and the delay of a machine that runs tests. */
const TAKE_OVER_MS = 30_000;

const imageOf = (version: number): string => `registry.example.com/agent:${version}`;

/**
 * Defines a scenario with a resource that needs version 2. Most of it is waiting for a Lease, so all run at the same
 * time.
 */
function story(tell: (world: World, context: TestContext) => Promise<void>) {
  const options = {
    ...{ start: false, leaderElect: true, rolloutSeconds: 0 },
    deployments: [{ name: 'agent', revisionConfig: { image_uri: imageOf(1) } }],
  };
  return (context: TestContext): Promise<void> =>
    inAWorld(plane(), options, async (world) => {
      await declare(world, 2);
      await tell(world, context);
    });
}

async function declare(world: World, version: number): Promise<void> {
  const spec = { source: 'external_container', sourceRevisionConfig: { imageURI: imageOf(version) } };
  const head = { apiVersion: 'dms-operator.dev/v1alpha1', kind: 'Deployment', metadata: { name: 'agent' } };
  await world.apply(JSON.stringify({ ...head, spec }));
}

async function arrived(world: World, version: number, limitMs?: number): Promise<void> {
  const shown = (): unknown => world.service.deployment('agent')?.content.revisionConfig['image_uri'];
  await world.until(`version ${version} is at the service`, () => shown() === imageOf(version), limitMs);
}

/** Returns the name of a replica at the service. */
async function identityOf(replica: OperatorProcess): Promise<string> {
  return (JSON.parse(await replica.said('"leading"')) as { identity: string }).identity;
}

function requestsOf(world: World, identity: string): readonly LoggedRequest[] {
  return world.service.log.requests().filter(({ userAgent }) => userAgent?.includes(identity));
}

async function aLeaderAndAnother(world: World): Promise<[OperatorProcess, OperatorProcess]> {
  const leader = world.run();
  await leader.said('"leading"');
  const other = world.run();
  await other.said('"standing by"');
  return [leader, other];
}

async function ready(replica: OperatorProcess): Promise<string> {
  const { port } = JSON.parse(await replica.said('metrics and health are served')) as { port: number };
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  return `${answer.status} ${(await answer.text()).trim()}`;
}

describe.concurrent('replicas', () => {
  test(
    'of two one works; stopped past its lease it sends nothing, the other has taken over (H60)',
    story(async (world) => {
      const [first, second] = await aLeaderAndAnother(world);
      await arrived(world, 2);
      const identity = await identityOf(first);
      expect(world.service.log.requests()).toEqual(requestsOf(world, identity));
      await world.until('the other waits', async () => (await ready(second)) === '200 standing by');

      first.pause();
      await declare(world, 3);
      await arrived(world, 3, TAKE_OVER_MS);
      expect(world.patches().at(-1)?.userAgent).toContain(await identityOf(second));
      const before = requestsOf(world, identity).length;
      first.resume();
      expect(await first.ended).toBe(1);
      expect(first.lines.at(-1)).toContain('leadership is lost');
      await world.sweeps(3);
      expect(requestsOf(world, identity)).toHaveLength(before);
      expect(world.service.log.maxInFlight()).toBe(1);
    }),
  );

  test(
    'kill -9: the other takes over',
    story(async (world) => {
      const [first, second] = await aLeaderAndAnother(world);
      await arrived(world, 2);
      // If the leader dies before it records the answer, the other waits for the window of the write, as crash tests show.
      await world.untilReason('agent', 'InSync');
      await first.kill();
      await declare(world, 3);
      await arrived(world, 3, TAKE_OVER_MS);
      expect(world.patches().at(-1)?.userAgent).toContain(await identityOf(second));
      expect(world.patches()).toHaveLength(2);
    }),
  );

  test(
    'SIGTERM: the Lease is released, and the other takes over at once',
    story(async (world) => {
      const [first, second] = await aLeaderAndAnother(world);
      await arrived(world, 2);
      expect(await first.stop()).toBe(0);
      expect(first.lines.some((line) => line.includes('the Lease was given back'))).toBe(true);
      await declare(world, 3);
      // Well below the lease, which is the time needed without a release.
      await arrived(world, 3, 10_000);
      expect(world.patches().at(-1)?.userAgent).toContain(await identityOf(second));
    }),
  );

  test(
    'a leader without the API server ends by itself within the renew deadline, without a cleanup (H60)',
    story(async (world, { onTestFinished }) => {
      const proxy = await startFaultProxy(plane());
      onTestFinished(() => proxy.stop());
      const only = world.run(proxy.kubeconfigFile);
      await arrived(world, 2);
      const identity = await identityOf(only);
      const untilGone = world.until(
        'it has ended',
        () => only.lines.some((l) => l.includes('leadership is lost')),
        14_000,
      );
      await proxy.stop();
      await untilGone;
      expect(await only.ended).toBe(1);
      const last = requestsOf(world, identity).length;
      expect(only.lines.filter((line) => line.includes('leadership is lost'))).toHaveLength(1);
      expect(await world.kubectl('get', 'lease', '-o', 'jsonpath={.items[*].spec.holderIdentity}')).toBe(
        identity,
      );
      expect(requestsOf(world, identity)).toHaveLength(last);
    }),
  );
});
