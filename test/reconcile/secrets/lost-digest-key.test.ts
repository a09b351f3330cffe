import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const API_B = { name: 'API_B', value: 'set-by-hand-value' };
const SEEN = { name: 'seen', secrets: [{ name: 'OTHER', value: 'value-of-the-neighbour' }] };
const from = (name: string, key: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: 'agent-secrets', key } },
});
const A = from('A', 'a');
const B = from('B', 'b');

function loseKey(w: World, meanwhile: () => void = () => undefined): void {
  w.kill();
  w.loseDigestKey();
  meanwhile();
  w.start();
}

const names = (w: World): readonly string[] => w.kept().content.secrets.map(({ name }) => name);

describe('a lost digest key marks nothing as applied that never was', () => {
  scenario(
    'such as withheld secrets, which Exclusive sends later (H56)',
    { deployments: [{ name: AGENT, secrets: [API_B] }], semantics: { secretsEcho: 'stars' } },
    async (w) => {
      w.putSecret('agent-secrets', { a: 'the-value-of-a' });
      w.apply({ secrets: [A] });
      await w.pass(60);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
      loseKey(w);
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/UnmanagedSecretsPresent');
      w.apply({ secrets: [A], secretsOwnership: 'Exclusive' });
      await w.pass(120);
      expect(names(w)).toEqual(['A']);
    },
  );

  scenario(
    'such as fields under Observe (H56)',
    { deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }] },
    async (w) => {
      w.apply({
        managementPolicy: 'Observe',
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' },
      });
      await w.pass(60);
      expect(w.condition('Synced')).toBe('False/Differs');
      loseKey(w);
      await w.pass(120);
      expect(w.condition('Synced')).toBe('False/Differs');
      expect(w.patches()).toEqual([]);
    },
  );
});

describe('a lost digest key keeps the names of our secrets', () => {
  for (const meanwhile of [[A], []] as const) {
    scenario(
      `so that ${meanwhile.length === 0 ? 'all' : 'one'} can be removed in the same moment (H56)`,
      { deployments: [{ name: AGENT }, SEEN], semantics: { secretsEcho: 'stars' } },
      async (w) => {
        w.putSecret('agent-secrets', { a: 'the-value-of-a', b: 'the-value-of-b' });
        w.apply({ secrets: [A, B] });
        await w.pass(120);
        expect(names(w)).toEqual(['A', 'B']);
        loseKey(w, () => w.apply({ secrets: meanwhile }));
        await w.pass(120);
        expect(names(w)).toEqual(meanwhile.map(({ name }) => name));
        expect(w.state()).toBe('True/InSync True/Active');
        expect(w.patches()).toHaveLength(2);
      },
    );
  }
});
