import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, NAMESPACE, type World } from '../support/world.ts';

const KEY = { kind: 'Deployment', namespace: NAMESPACE, name: AGENT };
const SECRET = { name: 'TOKEN', value: 'a-new-token' };

/** Moves the announcement to a machine whose clock is off by this much. */
function announcedBy(world: World, clockOffMs: number): void {
  const status = world.status();
  const pendingWrite = status.pendingWrite;
  if (pendingWrite === undefined) throw new Error('nothing is announced');
  const time = new Date(world.clock.now() + clockOffMs).toISOString();
  world.store.overwriteStatus(KEY, { ...status, pendingWrite: { ...pendingWrite, time } });
}

describe.each([
  ['an hour behind', -3_600_000],
  ['an hour ahead', 3_600_000],
])('an announcement of another process whose clock is %s', (_, clockOffMs) => {
  scenario(
    'is decided after a whole window of our own clock',
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
      announcedBy(world, clockOffMs);

      world.moments.leaving = undefined;
      world.start();
      // The request timeout and the consistency window are 30 s each.
      await world.pass(59);
      expect(world.patches()).toEqual([]);
      expect(world.state()).toContain('OutcomeUnknown');
      await world.pass(60);
      expect(world.patches()).toHaveLength(1);
    },
  );

  scenario('is proven by the first read that shows the requested values', {}, async (world) => {
    world.moments.arriving = ({ method }) => {
      if (method === 'PATCH') world.kill();
    };
    world.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } });
    await world.pass(60);
    expect(world.patches()).toHaveLength(1);
    announcedBy(world, clockOffMs);

    world.moments.arriving = undefined;
    world.start();
    await world.pass(10);
    expect(world.status().pendingWrite).toBeUndefined();
    expect(world.state()).toContain('True/InSync');
    expect(world.patches()).toHaveLength(1);
  });
});
