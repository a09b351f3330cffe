import { describe, expect } from 'vitest';
import { scenario } from './support/scenario.ts';
import { AGENT, NAMESPACE, type World } from './support/world.ts';

const KEY = { kind: 'Deployment', namespace: NAMESPACE, name: AGENT };
const SECRET = { name: 'TOKEN', value: 'a-new-token' };

/** The machine that announced has a clock that is an hour behind. */
function announcedLongAgo(world: World): void {
  const status = world.status();
  const pendingWrite = status.pendingWrite;
  if (pendingWrite === undefined) throw new Error('nothing is announced');
  const time = new Date(world.clock.now() - 3_600_000).toISOString();
  world.store.overwriteStatus(KEY, { ...status, pendingWrite: { ...pendingWrite, time } });
}

describe('an announcement of another process', () => {
  scenario(
    'is judged after a whole window by our own clock, whatever its time says',
    {
      deployments: [{ name: AGENT, secrets: [{ name: 'TOKEN', value: 'the-first-token' }] }],
      semantics: { secretsEcho: 'stars' },
    },
    async (world) => {
      world.moments.leaving = ({ method }) => {
        if (method === 'PATCH') world.kill();
      };
      world.apply({ secrets: [SECRET] });
      await world.pass(60);
      expect(world.patches()).toEqual([]);
      announcedLongAgo(world);

      world.moments.leaving = undefined;
      world.start();
      // Request timeout and consistency window are 30 s each.
      await world.pass(59);
      expect(world.patches()).toEqual([]);
      expect(world.state()).toContain('OutcomeUnknown');
      await world.pass(60);
      expect(world.patches()).toHaveLength(1);
    },
  );
});
