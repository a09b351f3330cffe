import { expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

scenario(
  'a secret whose write was accepted without a deployment in the answer is ours before a list shows it',
  { semantics: { patchEcho: 'empty-204', listLag: { seconds: 20 } } },
  async (w) => {
    w.putSecret('agent-secrets', { FIRST: 'the-first-value', SECOND: 'the-second-value' });
    const declare = (key: string): void =>
      w.apply({
        secretsOwnership: 'Exclusive',
        secrets: [{ name: key, valueFrom: { secretKeyRef: { name: 'agent-secrets', key } } }],
      });
    w.apply({});
    await w.pass(100);
    declare('FIRST');
    while (w.patches().length === 0) await w.pass(1);
    await w.pass(3);
    expect(Object.keys(w.status().applied?.secrets ?? {})).toEqual(['FIRST']);
    declare('SECOND');
    await w.pass(300);
    expect(w.kept().content.secrets.map(({ name }) => name)).toEqual(['SECOND']);
    expect(w.condition('Synced')).toBe('True/InSync');
  },
);

const OURS = { name: 'OURS', value: 'ours-number-one' };

/** Removes our secret at the service, which lists show by now, and expects it back. */
async function expectBack(w: World): Promise<void> {
  expect(w.shown()['secrets']).toEqual([OURS]);
  expect.soft(w.connectionStatus().learned?.secretsVisibility?.verdict).not.toBe('Omitted');
  w.editAtService('secrets.OURS', null);
  await w.pass(600);
  expect([w.condition('Synced'), w.kept().content.secrets]).toEqual(['True/InSync', [OURS]]);
}

scenario(
  'a list that is older than our secrets does not teach that lists hide them: a removed secret goes back',
  {
    deployments: [{ name: AGENT, revisionConfig: { image_uri: 'r.example.com/agent:1' } }],
    // Secrets are shown in clear. The first list after the second write shows only the first one.
    semantics: { trigger: 'delayed', listLag: { seconds: 15 } },
  },
  async (w) => {
    const spec = {
      secretsOwnership: 'Exclusive',
      sourceRevisionConfig: { graphConfigPath: 'b.json' },
    } as const;
    w.apply({ secretsOwnership: 'Exclusive' });
    await w.pass(200);
    w.apply(spec);
    await w.pass(20);
    w.apply({ ...spec, secrets: [OURS] });
    await w.pass(300);
    await expectBack(w);
  },
);

for (const restarts of [false, true])
  scenario(
    `a removed secret goes back once a list has shown it, although lists hid secrets before (restart: ${restarts})`,
    { deployments: [{ name: AGENT }], semantics: { secretsEcho: 'omitted' } },
    async (w) => {
      w.apply({ secretsOwnership: 'Exclusive', secrets: [OURS] });
      await w.pass(200);
      expect(w.connectionStatus().learned?.secretsVisibility?.verdict).toBe('Omitted');
      w.become({ secretsEcho: 'plain' });
      if (restarts) w.restart();
      await w.pass(300);
      await expectBack(w);
    },
  );
