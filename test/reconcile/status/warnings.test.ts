import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const TOKEN = { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } };

/** Texts of the warnings that were told so far. */
function told(w: World): readonly string[] {
  return w.events.all.flatMap(({ event }) => (event.reason === 'SpecWarning' ? event.message : []));
}

describe('what may be a mistake', () => {
  scenario(
    'is told when an annotation comes that has no effect, once',
    { deployments: [LIVE] },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      expect(told(w)).toEqual([]);
      w.annotate('paused', 'yes');
      await w.pass(60);
      expect(told(w)).toHaveLength(1);
      expect(told(w)[0]).toContain('has no effect with this value');
      w.annotate('puased', 'true');
      await w.pass(60);
      expect(told(w)[1]).toContain('is not an annotation of this project');
      w.restart();
      await w.pass(300);
      expect(told(w)).toHaveLength(2);
      w.annotate('paused', null);
      w.annotate('puased', null);
      await w.pass(60);
      expect(told(w)).toHaveLength(2);
      expect(w.status()).not.toHaveProperty('warningsTold');
    },
  );

  scenario(
    'is told of the values of Secrets, by name alone (N38, N40)',
    { deployments: [LIVE] },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-token-value\n' });
      w.apply({ ...image(1), secretsOwnership: 'Exclusive', secrets: [TOKEN] });
      await w.pass(60);
      expect(told(w)).toEqual(['secret API_TOKEN: ends in a line break; expected a value without it']);
      w.putSecret('agent-secrets', { token: '' });
      await w.pass(60);
      expect(told(w)[1]).toBe('secret API_TOKEN: is empty; expected a value');
      w.restart();
      await w.pass(60);
      w.putSecret('agent-secrets', { token: 'x'.repeat(300_000) });
      await w.pass(60);
      expect(told(w).slice(2)).toEqual([
        'secret API_TOKEN: has 293 KiB, which the service may refuse; expected at most 256 KiB',
      ]);
    },
  );

  scenario(
    'is told again neither while the connection is away nor afterwards',
    { deployments: [LIVE] },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'the-token-value\n' });
      w.apply({ ...image(1), secretsOwnership: 'Exclusive', secrets: [TOKEN] });
      await w.pass(60);
      w.connect({ suspend: true });
      await w.pass(60);
      w.connect({});
      await w.pass(60);
      w.service.faults.add({
        match: { operation: 'list' },
        times: 9,
        fault: { kind: 'status', status: 503 },
      });
      w.restart();
      await w.pass(600);
      expect(told(w)).toHaveLength(1);
    },
  );

  scenario(
    'is told of a request as it goes, with secrets and all (N71)',
    { deployments: [LIVE] },
    async (w) => {
      const names = ['A', 'B', 'C', 'D'];
      w.putSecret('agent-large', Object.fromEntries(names.map((name) => [name, name.repeat(250_000)])));
      w.apply({
        ...image(1),
        secretsOwnership: 'Exclusive',
        secretsFrom: [{ secretRef: { name: 'agent-large' } }],
      });
      await w.pass(60);
      expect(told(w)).toEqual([
        'the request has 977 KiB, which the service may refuse; expected less than 900 KiB',
      ]);
    },
  );
});
