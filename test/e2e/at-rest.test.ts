import { afterEach, describe, expect, test } from 'vitest';
import type { ControlPlane } from '../support/control-plane/control-plane.ts';
import { aWorld, type World } from '../support/worlds/e2e-world.ts';
import { useOwnControlPlane } from '../support/control-plane/shared-control-plane.ts';

// No other test may write at the same time.
const plane = useOwnControlPlane();

const COUNT = 250;
const NAMES = Array.from({ length: COUNT }, (_, index) => `agent-${String(index).padStart(3, '0')}`);

/** Writes to our kinds and events, as counted by the API server itself. */
async function writes(cluster: ControlPlane): Promise<number> {
  const metrics = await cluster.metrics();
  const ours = ['PATCH', 'APPLY', 'PUT', 'POST', 'DELETE'].map(
    (verb) =>
      metrics.requests({ verb, group: 'dms-operator.dev' }) +
      metrics.requests({ verb, group: 'events.k8s.io' }),
  );
  return ours.reduce((total, count) => total + count, 0);
}

describe('250 Deployments on one Connection', () => {
  let world: World;
  afterEach(() => world.end());

  test(
    'cost three list calls an interval and nothing else at rest, and nothing at a restart',
    { timeout: 180_000 },
    async () => {
      world = await aWorld(plane(), {
        rolloutSeconds: 0,
        // Applied last, so that its status counts them all. The next check comes only after ten minutes.
        connection: false,
        deployments: NAMES.map((name) => ({
          name,
          revisionConfig: { image_uri: 'registry.example.com/agent:1' },
        })),
      });
      const items = NAMES.map((name) => ({
        apiVersion: 'dms-operator.dev/v1alpha1',
        kind: 'Deployment',
        metadata: { name },
        spec: {
          source: 'external_container',
          sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
        },
      }));
      await world.apply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      await world.applyConnection();
      await world.kubectl('wait', '--for=condition=Ready', 'dmsd', '--all', '--timeout=60s');
      // Events are written in the background.
      await world.until('nothing is written any more', async () => {
        const before = await writes(plane());
        await world.sweeps(6);
        return (await writes(plane())) === before;
      });

      const before = await writes(plane());
      const from = world.service.log.requests().at(-1)?.number ?? 0;
      const sweepsBegun = () =>
        world.service.log
          .since(from)
          .filter(({ operation, query }) => operation === 'list' && /offset=0(&|$)/.test(query));
      await world.until('ten sweeps', () => sweepsBegun().length > 10, 60_000);
      const last = sweepsBegun().at(-1)?.number ?? 0;
      const first = sweepsBegun()[0]?.number ?? 0;
      const lists = world.service.log
        .since(from)
        .filter(({ operation, number }) => operation === 'list' && number >= first && number < last);
      // Every tenth sweep continues to the end of the list.
      expect(lists).toHaveLength(3 * 10 + 1);
      expect(world.patches()).toEqual([]);
      expect(await writes(plane())).toBe(before);

      expect(await world.operator.stop()).toBe(0);
      const atRestart = await writes(plane());
      world.run();
      await world.until('every resource was looked at', async () => (await world.passes()) >= COUNT, 30_000);
      await world.sweeps(6);
      expect(world.patches()).toEqual([]);
      expect(await writes(plane())).toBe(atRestart);
    },
  );
});
