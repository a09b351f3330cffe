import { describe, expect } from 'vitest';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const secret = (name: string) => ({ name, value: `the-value-of-${name}` });

/** A neighbour shows that lists contain secrets. */
const deployments = [{ name: AGENT }, { name: 'seen', secrets: [secret('OTHER')] }];

/** Under this policy a write does not wait for lists that show the write before. */
const REPORT = { driftPolicy: 'Report' } as const;

const names = (w: World): unknown => w.kept().content.secrets.map(({ name }) => name);

/** Removes a name from the list, and waits until the service has answered. */
async function removesB(w: World): Promise<void> {
  w.apply({ secrets: [secret('A'), secret('B')] });
  await w.pass(300);
  w.apply({ secrets: [secret('A')] });
  await w.pass(10);
  expect(w.patches()).toHaveLength(2);
}

describe('a service that keeps the names which a list of secrets leaves out', () => {
  const KEEPING: Readonly<Record<string, SemanticsPatch>> = {
    'shows the names without a new revision': {},
    'shows nothing': { patchEcho: 'empty-204' },
    'repeats only the request': { patchEcho: 'sent-only' },
  };
  for (const [answer, semantics] of Object.entries(KEEPING))
    scenario(
      `is not said to replace lists if somebody removes such a name later, and the answer ${answer}`,
      { deployments, semantics: { lists: 'merge-by-name', ...semantics } },
      async (w) => {
        await removesB(w);
        expect(names(w)).toEqual(['A', 'B']);
        await w.pass(50);
        w.editAtService('secrets.B', null);
        await w.pass(200);
        expect(w.connectionStatus().learned?.lists).toBeUndefined();
      },
    );

  scenario(
    'is not said to replace lists if somebody removes such a name right before the next write, which leaves it out too',
    { deployments, semantics: { lists: 'merge-by-name' } },
    async (w) => {
      await removesB(w);
      await w.pass(3);
      expect(names(w)).toEqual(['A', 'B']);
      w.apply({ secrets: [secret('A'), secret('C')] });
      w.editAtService('secrets.B', null);
      await w.pass(1);
      expect(w.patches()).toHaveLength(3);
      await w.pass(300);
      expect(names(w)).toEqual(['A', 'C']);
      expect(w.connectionStatus().learned?.lists?.verdict).not.toBe('Replace');
    },
  );

  scenario(
    'is not said to replace lists if the write before emptied them, and the answer lacks every secret',
    {
      deployments: [
        {
          name: AGENT,
          sourceConfig: { custom_url: 'https://one.example.com' },
          secrets: [secret('BY_HAND')],
        },
      ],
      semantics: {
        lists: 'merge-by-name',
        topLevelOmit: 'cleared',
        patchEcho: 'pre',
        listLag: { seconds: 20 },
      },
    },
    async (w) => {
      w.apply({ ...REPORT, secretsOwnership: 'Exclusive' });
      await w.pass(100);
      w.apply({ ...REPORT, secretsOwnership: 'Exclusive', secrets: [secret('A')] });
      await w.pass(15);
      expect(names(w)).toEqual(['BY_HAND', 'A']);
      const sourceRevisionConfig = { imageURI: 'registry.example.com/agent:2' };
      w.apply({ ...REPORT, secretsOwnership: 'Exclusive', secrets: [secret('A')], sourceRevisionConfig });
      await w.pass(5);
      expect(names(w)).toEqual([]);
      await w.pass(300);
      expect(names(w)).toEqual(['A']);
      expect(w.connectionStatus().learned?.lists?.verdict).not.toBe('Replace');
    },
  );
});

describe('a service that replaces lists of secrets', () => {
  scenario(
    'is not said to merge them if somebody set the other requested value just before, as an old list shows',
    {
      deployments: [{ name: AGENT, secrets: [secret('BY_HAND')] }],
      semantics: { patchEcho: 'pre', listLag: { reads: 2 } },
    },
    async (w) => {
      w.apply({});
      await w.pass(100);
      w.editAtService('source_config.custom_url', 'https://two.example.com');
      w.apply({
        sourceConfig: { customURL: 'https://two.example.com' },
        secretsOwnership: 'Exclusive',
        secrets: [],
      });
      await w.pass(300);
      expect(names(w)).toEqual([]);
      expect(w.connectionStatus().learned?.lists?.verdict).not.toBe('Merge');
    },
  );

  scenario('is known to if neither the answer nor a list shows the name', { deployments }, async (w) => {
    await removesB(w);
    expect(names(w)).toEqual(['A']);
    await w.pass(200);
    expect(w.connectionStatus().learned?.lists?.verdict).toBe('Replace');
  });
});

describe('a list of named elements that the service merges', () => {
  const reference = (name: string) => ({ name, secretName: `s-${name}`, secretKey: 'key' });
  const volume = (name: string) => ({ name, emptyDir: {} });

  for (const [what, spec] of [
    ['references', (name: string) => ({ secretReferences: [reference(name)] })],
    ['volumes', (name: string) => ({ sourceConfig: { resourceSpec: { volumes: [volume(name)] } } })],
  ] as const)
    scenario(
      `is not in sync while it keeps a removed element: ${what}`,
      {
        deployments: [{ name: AGENT, sourceConfig: { resource_spec: { cpu: 1 } } }],
        semantics: { lists: 'merge-by-name', nested: { resourceSpec: 'merge-null-clears' } },
      },
      async (w) => {
        w.apply(spec('a'));
        await w.pass(300);
        expect(w.condition('Synced')).toBe('True/InSync');
        w.apply(spec('b'));
        await w.pass(300);
        expect(w.condition('Synced')).toBe('False/NotConverging');
      },
    );
});
