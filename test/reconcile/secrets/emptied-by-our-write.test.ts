import { describe, expect } from 'vitest';
import { judgedScenario, scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const SERVICE_ACCOUNT = { sourceConfig: { resourceSpec: { serviceAccountName: 'ours' } } } as const;
const OURS = { secrets: [{ name: 'OURS', value: 'ours-number-one' }] } as const;
const EXCLUSIVE = { ...OURS, secretsOwnership: 'Exclusive' } as const;

const namesIn = (w: World): readonly string[] => w.kept().content.secrets.map(({ name }) => name);

/** Sends our secrets, so that no list shows them yet when the next edit leaves them out. */
async function sent(w: World): Promise<void> {
  w.apply({ secretsOwnership: 'Exclusive' });
  await w.pass(200);
  w.apply(EXCLUSIVE);
  await w.pass(10);
  expect(namesIn(w)).toEqual(['OURS']);
}

describe('a declared secret that our next write empties before any list shows it', () => {
  for (const [who, restarts] of Object.entries({ 'the same process': false, 'the next process': true }))
    judgedScenario(
      `is sent again by ${who}`,
      {
        deployments: [{ name: AGENT }],
        semantics: { topLevelOmit: 'cleared', listLag: { seconds: 15 } },
      },
      async (w) => {
        await sent(w);
        w.apply({ ...EXCLUSIVE, ...SERVICE_ACCOUNT });
        await w.pass(0.5);
        expect(w.status().leftOut).toEqual(['secrets']);
        expect(namesIn(w)).toEqual([]);
        if (restarts) w.restart();
        await w.pass(600);
        expect([w.condition('Synced'), namesIn(w)]).toEqual(['True/InSync', ['OURS']]);
        expect(w.status().leftOut).toBeUndefined();
      },
    );

  scenario(
    'is not sent again without `Exclusive` where lists hide secrets: that would remove those of others',
    {
      deployments: [{ name: AGENT }],
      semantics: { topLevelOmit: 'cleared', listShape: ['empty-secrets'], listLag: { seconds: 15 } },
    },
    async (w) => {
      await sent(w);
      w.apply({ ...OURS, ...SERVICE_ACCOUNT });
      await w.pass(0.5);
      expect(w.status().leftOut).toEqual(['secrets']);
      w.secretTexts.add('theirs-number-one');
      w.editAtService('secrets.THEIRS', 'theirs-number-one');
      w.restart();
      await w.pass(600);
      expect(namesIn(w)).toEqual(['THEIRS']);
      expect(w.status().lost).toEqual(['secrets']);
    },
  );
});
