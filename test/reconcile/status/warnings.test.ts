import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const TOKEN = { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } };

/** Returns the texts of all warnings so far. */
function told(w: World): readonly string[] {
  return w.events.all.flatMap(({ event }) => (event.reason === 'SpecWarning' ? event.message : []));
}

describe('a warning about a possible mistake', () => {
  scenario(
    'is emitted once when an annotation without effect appears',
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

  scenario('covers the values of Secrets, by name only (N38, N40)', { deployments: [LIVE] }, async (w) => {
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
  });

  scenario(
    'is repeated neither while the connection is missing nor afterwards',
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
    'covers a request with its secrets at the time it is sent (N71)',
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
