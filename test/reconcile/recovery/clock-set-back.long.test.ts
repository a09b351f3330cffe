import { describe, expect } from 'vitest';
import { judgedScenario, scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const COMMAND = 'source_config.build_command';
const MINUTES = 60;
const HOURS = 60 * MINUTES;

/** The clock of the machine is wrong for a while: it is set by this much, in seconds. */
const STEPS = [
  ['back 10 minutes', -10 * MINUTES],
  ['back 1 hour', -HOURS],
  ['back 2 hours', -2 * HOURS],
  ['forward 1 hour', HOURS],
] as const;

/** What the operator was doing when the clock was set. */
const MOMENTS: Readonly<Record<string, (w: World) => Promise<void>>> = {
  'at rest': async (w) => w.pass(300),
  'right after a write': async (w) => {
    declare(w, 'b');
    await w.pass(5);
  },
  'during a write whose answer is lost': async (w) => {
    w.fault({ kind: 'apply-then-fail', how: 'reset' });
    declare(w, 'b');
    await w.pass(5);
  },
  'after refusals': async (w) => {
    w.fault({ kind: 'status', status: 409 }, { times: 5 });
    declare(w, 'b');
    await w.pass(60);
  },
};

function declare(w: World, buildCommand: string): void {
  w.apply({
    sourceConfig: { buildCommand },
    sourceRevisionConfig: { imageURI: `r.example.com/agent:${buildCommand}` },
  });
}

describe.each(STEPS)('a clock that is set %s', (_, seconds) => {
  for (const [moment, reach] of Object.entries(MOMENTS)) {
    for (const restarts of [false, true]) {
      judgedScenario(
        `${moment}${restarts ? ', before a restart,' : ''} delays the correction of a hand edit by minutes at most`,
        {
          deployments: [
            {
              name: AGENT,
              sourceConfig: { build_command: 'a', custom_url: 'https://theirs.example.com' },
              revisionConfig: { image_uri: 'r.example.com/agent:a' },
            },
          ],
        },
        async (w) => {
          declare(w, 'a');
          await w.pass(300);
          await reach(w);
          const wanted = w.kept().content.sourceConfig['build_command'];
          w.shiftClock(seconds);
          if (restarts) w.restart();
          await w.pass(100);
          const [lists, patches] = [w.service.log.count('list'), w.patches().length];
          w.editAtService(COMMAND, 'hand');
          await w.pass(5 * MINUTES);
          expect(w.state(), w.message()).toBe('True/InSync True/Active');
          expect(
            w.kept().content.sourceConfig,
            'the edit is corrected, and nothing of others is lost',
          ).toEqual({
            build_command: moment === 'at rest' ? wanted : 'b',
            custom_url: 'https://theirs.example.com',
          });
          expect(w.patches().length - patches, 'the correction, and an edit that was refused').toBeLessThan(
            4,
          );
          expect(w.service.log.count('list') - lists, 'reads in five minutes').toBeLessThan(40);
        },
      );
    }
  }
});

describe.each([false, true])('a clock that is set back 2 hours (with a restart: %s)', (restarts) => {
  const setBack = (w: World): void => {
    w.shiftClock(-2 * HOURS);
    if (restarts) w.restart();
  };

  judgedScenario(
    'lets a creation and a deletion whose answers are lost end',
    { deployments: [] },
    async (w) => {
      w.fault({ kind: 'apply-then-fail', how: 'reset' });
      w.apply({ source: 'internal_container', creation: { policy: 'IfMissing' }, deletionPolicy: 'Delete' });
      await w.pass(5);
      setBack(w);
      await w.pass(5 * MINUTES);
      expect(w.state(), w.message()).toBe('True/InSync True/Active');
      expect(w.service.log.count('create')).toBe(1);
      w.fault({ kind: 'fail-then-apply-late', how: 504, afterMs: 20_000 });
      w.store.remove(keyOf(AGENT));
      await w.pass(5);
      setBack(w);
      await w.pass(5 * MINUTES);
      expect(w.store.peek(keyOf(AGENT)), 'the resource is gone').toBeUndefined();
      expect(w.service.log.count('delete')).toBeLessThan(3);
    },
  );

  scenario(
    'does not delay the report of a rollout that does not end',
    {
      deployments: [{ name: AGENT, revisionConfig: { image_uri: 'r.example.com/agent:a' } }],
      semantics: { rollout: { kind: 'never-active' } },
    },
    async (w) => {
      declare(w, 'b');
      await w.pass(5 * MINUTES);
      setBack(w);
      await w.pass(35 * MINUTES);
      expect(w.condition('Ready')).toBe('False/DeadlineExceeded');
    },
  );
});
