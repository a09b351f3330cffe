import { expect } from 'vitest';
import { scenario } from '../support/scenario.ts';

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
