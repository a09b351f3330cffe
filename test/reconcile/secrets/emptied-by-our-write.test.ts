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

const CPU = { sourceConfig: { resourceSpec: { cpu: 2 } } } as const;
const THEIRS = {
  deployments: [{ name: AGENT, secrets: [{ name: 'THEIRS', value: 'theirs-number-one' }] }],
  semantics: { topLevelOmit: 'cleared' },
} as const;

/** Empties the secret of somebody else by an edit of a field, and restarts. */
async function emptied(w: World): Promise<void> {
  w.apply(CPU);
  await w.pass(100);
  expect(w.status().lost).toEqual(['secrets.THEIRS']);
  expect(namesIn(w)).toEqual([]);
  w.restart();
  await w.pass(10);
}

describe('a secret of others that our write emptied, as `status.lost` says after a restart', () => {
  judgedScenario(
    'does not hold back the first secrets of the spec: lists have shown it',
    THEIRS,
    async (w) => {
      await emptied(w);
      w.apply({ ...CPU, ...OURS });
      await w.pass(600);
      expect([w.condition('Synced'), namesIn(w)]).toEqual(['True/InSync', ['OURS']]);
      expect(w.status().lost).toBeUndefined();
    },
  );

  judgedScenario(
    'does not hold them back after they waited for their Secret and another process',
    THEIRS,
    async (w) => {
      await emptied(w);
      const valueFrom = { secretKeyRef: { name: 'agent-secrets', key: 'ours' } };
      w.apply({ ...CPU, secrets: [{ name: 'OURS', valueFrom }] });
      await w.pass(100);
      expect(w.condition('Synced')).toBe('False/SecretMissing');
      w.restart();
      await w.pass(10);
      w.putSecret('agent-secrets', { ours: 'ours-number-one' });
      await w.pass(600);
      expect([w.condition('Synced'), namesIn(w)]).toEqual(['True/InSync', ['OURS']]);
      expect(w.status().lost).toBeUndefined();
    },
  );

  scenario(
    'holds them back if another deployment has shown since that lists hide secrets',
    { ...THEIRS, deployments: [...THEIRS.deployments, { name: 'other' }] },
    async (w) => {
      await emptied(w);
      w.become({ listShape: ['empty-secrets'] });
      w.secretTexts.add('theirs-number-two');
      w.editAtService('secrets.THEIRS', 'theirs-number-two');
      w.restart();
      w.apply(EXCLUSIVE, 'other');
      await w.pass(200);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).toBe('Omitted');
      w.apply({ ...CPU, ...OURS });
      await w.pass(600);
      expect([w.condition('Synced'), namesIn(w)]).toEqual(['False/SecretVisibilityUnproven', ['THEIRS']]);
    },
  );
});
