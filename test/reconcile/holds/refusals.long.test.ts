import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });

describe('a change that the service refuses', () => {
  scenario(
    'with 422 is held for half an hour whatever wakes the resource, then sent again',
    { semantics: { fieldRules: { 'source_revision_config.image_uri': 'rejected' } } },
    async (w) => {
      w.apply(image(1));
      await w.pass(60);
      expect(w.state()).toBe('False/Rejected False/Rejected');
      expect(w.condition('Stalled')).toBe('True/Rejected');
      expect(w.message()).toContain('422');
      const writes = w.statusWrites.length;
      w.restart();
      w.editAtService('image_version', '7');
      await w.pass(1200);
      expect(w.patches()).toHaveLength(1);
      expect(w.statusStory(writes), 'the image version').toEqual(['saveStatus Rejected Rejected']);
      w.become({ fieldRules: { 'source_revision_config.image_uri': 'hidden' } });
      await w.pass(1200);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.bodies()[1]).toEqual(w.bodies()[0]);
    },
  );

  scenario(
    'with 422 is sent at once on a new generation, and on reconcile-at',
    { semantics: { fieldRules: { 'source_revision_config.image_uri': 'rejected' } } },
    async (w) => {
      w.apply(image(1));
      await w.pass(30);
      w.apply(image(2));
      await w.pass(30);
      expect(w.patches()).toHaveLength(2);
      w.annotate('reconcile-at', 'now');
      await w.pass(30);
      expect(w.patches()).toHaveLength(3);
      expect(w.status().lastHandledReconcileAt).toBe('now');
      w.annotate('reconcile-at', null);
    },
  );

  scenario(
    'with 422 for a secret is sent at once when the Secret changes; no value is exposed (H18)',
    { semantics: { secretsEcho: 'stars', errorEcho: true } },
    async (w) => {
      w.putSecret('agent-secrets', { token: 'first value / with "marks"' });
      w.fault({
        kind: 'status',
        status: 422,
        body: JSON.stringify({
          detail: [
            {
              loc: ['body', 'secrets', 0],
              msg: 'bad value first value / with "marks"',
              input: 'Zmlyc3QgdmFsdWUgLyB3aXRoICJtYXJrcyI=',
            },
          ],
        }),
      });
      w.apply({
        secretsOwnership: 'Exclusive',
        secrets: [
          { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } },
        ],
      });
      await w.pass(120);
      expect(w.state()).toBe('False/Rejected False/Rejected');
      expect(w.patches()).toHaveLength(1);
      w.putSecret('agent-secrets', { token: 'second-value-entirely' });
      await w.pass(60);
      expect(w.patches()).toHaveLength(2);
      expect(w.state()).toBe('True/InSync True/Active');
    },
  );

  scenario(
    'with 403 is told as Forbidden of this resource alone, and the connection stays ready',
    {
      deployments: [{ name: AGENT }, { name: 'neighbour' }],
    },
    async (w) => {
      w.fault({ kind: 'status', status: 403 }, { match: { operation: 'patch', deployment: AGENT } });
      w.apply(image(1));
      w.apply(image(1), 'neighbour');
      await w.pass(120);
      expect(w.state()).toBe('False/Forbidden False/Forbidden');
      expect(w.state('neighbour')).toBe('True/InSync True/Active');
      expect(w.connectionState()).toBe('True/Ok');
      await w.pass(2400);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches().filter(({ id }) => id === w.kept().id)).toHaveLength(2);
    },
  );

  scenario('with 413 is told as TooLarge and held', {}, async (w) => {
    w.fault({ kind: 'status', status: 413 });
    w.apply(image(1));
    await w.pass(1000);
    expect(w.state()).toBe('False/TooLarge False/TooLarge');
    expect(w.patches()).toHaveLength(1);
    await w.pass(1400);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario('with 409 is decided again after a fresh look, with backoff', {}, async (w) => {
    w.fault({ kind: 'status', status: 409 }, { times: 2 });
    w.apply(image(1));
    await w.pass(120);
    expect(w.patches()).toHaveLength(3);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.revisionsMade()).toBe(1);
  });

  scenario('with 404 is looked for again before it counts as gone', {}, async (w) => {
    w.fault({ kind: 'status', status: 404 });
    w.apply(image(1));
    await w.pass(120);
    expect(w.patches()).toHaveLength(2);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'with 429 closes the gate for the whole connection for as long as was asked (H63)',
    { deployments: Array.from({ length: 20 }, (_, n) => ({ name: `agent-${n}` })) },
    async (w) => {
      await w.pass(5);
      w.fault({ kind: 'status', status: 429, headers: { 'Retry-After': '50' } }, { times: 4 });
      for (let n = 0; n < 20; n += 1) w.apply(image(1), `agent-${n}`);
      const startMs = w.clock.now();
      await w.pass(49);
      expect(w.patches().length, 'what was in flight').toBeLessThanOrEqual(4);
      expect(w.service.log.requests().filter(({ beganMs }) => beganMs > startMs + 1000)).toEqual([]);
      await w.pass(120);
      for (let n = 0; n < 20; n += 1) expect(w.state(`agent-${n}`)).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(24);
    },
  );

  scenario('with 429 does not count against the revision budget', {}, async (w) => {
    w.fault({ kind: 'status', status: 429, headers: { 'Retry-After': '10' } }, { times: 8 });
    w.apply(image(1));
    await w.pass(1500);
    expect(w.patches()).toHaveLength(9);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.status().budget?.sends).toHaveLength(1);
  });

  scenario('with 429 although it was a redeploy is sent again', {}, async (w) => {
    w.apply(image(1));
    await w.pass(90);
    w.fault({ kind: 'status', status: 429, headers: { 'Retry-After': '10' } });
    w.annotate('redeploy', 'once more');
    await w.pass(120);
    expect(w.bodies().slice(1)).toEqual([w.bodies()[0], w.bodies()[0]]);
    expect(w.status().lastHandledRedeploy).toBe('once more');
  });

  scenario(
    'with 422 although it was a redeploy is held for half an hour, or until a new text asks',
    {},
    async (w) => {
      w.apply(image(1));
      await w.pass(90);
      w.fault({ kind: 'status', status: 422 });
      w.annotate('redeploy', 'once more');
      await w.pass(1_200);
      expect(w.patches()).toHaveLength(2);
      expect(w.condition('Synced')).toBe('False/Rejected');
      expect(w.events.reasons()).toContain('Rejected');
      w.annotate('redeploy', 'and again');
      await w.pass(90);
      expect(w.patches()).toHaveLength(3);
      expect(w.revisionsMade(), 'on this service a change alone makes a revision').toBe(1);
    },
  );
});
