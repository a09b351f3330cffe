import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const HEADERS = [
  { name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'service-credentials', key: 'key' } } },
];

/** Makes the list fail for a while, and then work again. */
async function outage(w: World): Promise<void> {
  w.service.faults.add({ match: { operation: 'list' }, times: 0, fault: { kind: 'status', status: 503 } });
  await w.pass(200);
  w.service.faults.clear();
}

describe('a refused change', () => {
  scenario(
    'is retried at once when the credential of the connection changes',
    { deployments: [LIVE], connection: { headers: HEADERS } },
    async (w) => {
      w.putSecret('service-credentials', { key: 'the-old-credential' });
      w.fault({ kind: 'status', status: 403 });
      w.apply(image(2));
      await w.pass(60);
      expect(w.state()).toBe('False/Forbidden False/Forbidden');
      w.putSecret('service-credentials', { key: 'the-new-credential' });
      await w.pass(90);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario('stays held through outages of the list', { deployments: [LIVE] }, async (w) => {
    w.apply(image(1));
    await w.pass(30);
    w.fault({ kind: 'status', status: 422 }, { times: 0 });
    w.apply(image(2));
    await w.pass(30);
    for (let n = 0; n < 3; n += 1) {
      await outage(w);
      w.fault({ kind: 'status', status: 422 }, { times: 0 });
      await w.pass(200);
      expect(w.state()).toBe('False/Rejected False/Rejected');
    }
    expect(w.patches()).toHaveLength(1);
    w.connect({ poll: { intervalSeconds: 50 } });
    await w.pass(60);
    expect(w.patches(), 'how often we poll changes no answer').toHaveLength(1);
    w.service.faults.clear();
    await w.pass(1800);
    expect(w.state()).toBe('True/InSync True/Active');
  });

  scenario(
    'is retried after an edit, even if the list failed meanwhile',
    { deployments: [LIVE] },
    async (w) => {
      w.fault({ kind: 'status', status: 422 });
      w.apply(image(2));
      await w.pass(30);
      w.service.faults.add({
        match: { operation: 'list' },
        times: 0,
        fault: { kind: 'status', status: 503 },
      });
      await w.pass(120);
      w.apply({ ...image(2), rollout: { maxRevisionsPerHour: 5 } });
      await w.pass(120);
      w.service.faults.clear();
      await w.pass(120);
      expect(w.state()).toBe('True/InSync True/Active');
      expect(w.patches()).toHaveLength(2);
    },
  );

  scenario(
    'is sent at the next look after a later request without an answer turned out not to be applied',
    { deployments: [{ ...LIVE, sourceConfig: { custom_url: 'https://one.example.com' } }] },
    async (w) => {
      w.fault({ kind: 'status', status: 422 });
      w.apply({ ...image(2), sourceConfig: { customURL: 'https://one.example.com' } });
      await w.pass(30);
      expect(w.state()).toBe('False/Rejected False/Rejected');
      w.fault({ kind: 'reset-before' }, { match: { operation: 'patch' } });
      w.editAtService('source_config.custom_url', 'https://two.example.com');
      await w.pass(70);
      expect(w.patches()).toHaveLength(2);
      w.editAtService('source_config.custom_url', 'https://one.example.com');
      while (w.status().lastPatch?.outcome === 'Refused') await w.pass(0.1);
      await w.pass(30);
      expect(w.condition('Synced')).toBe('True/InSync');
      expect(w.patches()).toHaveLength(3);
      await w.pass(60);
    },
  );

  scenario(
    'is sent under the approval that the status asks for after a later request turned out not to be applied',
    { deployments: [{ ...LIVE, sourceConfig: { custom_url: 'https://one.example.com' } }] },
    async (w) => {
      const approveNow = (): void => w.annotate('approve', w.status().plan?.hash ?? '');
      w.fault({ kind: 'status', status: 422 });
      w.apply({
        approval: 'Manual',
        ...image(2),
        sourceConfig: { customURL: 'https://one.example.com' },
      });
      await w.pass(30);
      approveNow();
      await w.pass(30);
      w.fault({ kind: 'reset-before' });
      w.editAtService('source_config.custom_url', 'https://two.example.com');
      await w.pass(70);
      approveNow();
      await w.pass(10);
      expect(w.patches()).toHaveLength(2);
      w.editAtService('source_config.custom_url', 'https://one.example.com');
      while (w.status().lastPatch?.outcome === 'Refused') await w.pass(0.1);
      await w.pass(20);
      expect(w.condition('Synced')).toBe('False/AwaitingApproval');
      approveNow();
      await w.pass(120);
      expect(w.patches()).toHaveLength(3);
    },
  );

  scenario('stays reported under manual approval', { deployments: [LIVE] }, async (w) => {
    w.apply({ approval: 'Manual', ...image(2) });
    await w.pass(30);
    w.fault({ kind: 'status', status: 422 });
    w.annotate('approve', w.status().plan?.hash ?? '');
    await w.pass(30);
    w.resync();
    await w.pass(30);
    expect(w.state()).toBe('False/Rejected False/Rejected');
    expect(w.message()).toContain('422');
    w.annotate('reconcile-at', 'now');
    await w.pass(30);
    expect(w.condition('Synced')).toBe('False/AwaitingApproval');
    w.annotate('approve', w.status().plan?.hash ?? '');
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
    expect(w.patches()).toHaveLength(2);
  });

  for (const status of [404, 409, 410])
    scenario(
      `after a temporary ${status} is sent five times in a row, and then every five minutes`,
      { deployments: [LIVE] },
      async (w) => {
        w.fault({ kind: 'status', status }, { times: 0 });
        w.apply(image(2));
        await w.pass(60);
        expect(w.patches()).toHaveLength(5);
        expect(w.state()).toBe('Unknown/Retrying Unknown/Retrying');
        w.restart();
        await w.pass(120);
        expect(w.patches(), 'a restart does not ask again').toHaveLength(5);
        await w.pass(3420);
        expect(w.patches().length).toBeGreaterThan(12);
        expect(w.patches().length).toBeLessThanOrEqual(17);
        w.service.faults.clear();
        await w.pass(400);
        expect(w.state()).toBe('True/InSync True/Active');
      },
    );

  scenario('after a temporary refusal is retried at once on an edit', { deployments: [LIVE] }, async (w) => {
    w.fault({ kind: 'status', status: 423 }, { times: 5 });
    w.apply(image(2));
    await w.pass(60);
    expect(w.patches()).toHaveLength(5);
    w.apply(image(3));
    await w.pass(60);
    expect(w.patches()).toHaveLength(6);
    expect(w.state()).toBe('True/InSync True/Active');
  });
});

describe('a refused creation', () => {
  scenario('is retried as soon as one of its Secrets changes', { deployments: [] }, async (w) => {
    w.putSecret('agent-secrets', { token: 'the-first-token-value' });
    w.fault({ kind: 'status', status: 422 }, { match: { operation: 'create' } });
    w.apply({
      source: 'internal_container',
      creation: { policy: 'IfMissing' },
      secrets: [{ name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'agent-secrets', key: 'token' } } }],
    });
    await w.pass(300);
    expect(w.service.log.count('create')).toBe(1);
    w.putSecret('agent-secrets', { token: 'the-second-token-value' });
    await w.pass(60);
    expect(w.service.log.count('create')).toBe(2);
    expect(w.kept().content.secrets).toEqual([{ name: 'API_TOKEN', value: 'the-second-token-value' }]);
  });
});

describe('a refused deletion', () => {
  for (const [status, reason] of [
    [403, 'Forbidden'],
    [405, 'DeleteNotSupported'],
  ] as const) {
    scenario(
      `with ${status} is held for half an hour, regardless of triggers`,
      { deployments: [LIVE] },
      async (w) => {
        w.apply({ ...image(1), deletionPolicy: 'Delete' });
        await w.pass(60);
        w.fault({ kind: 'status', status }, { match: { operation: 'delete' } });
        w.store.remove(keyOf(AGENT));
        await w.pass(60);
        expect(w.condition('Synced')).toBe(`False/${reason}`);
        for (let n = 0; n < 5; n += 1) {
          w.resync();
          await w.pass(60);
        }
        w.restart();
        await w.pass(300);
        expect(w.condition('Synced')).toBe(`False/${reason}`);
        expect(w.service.log.count('delete')).toBe(1);
        await w.pass(1800);
        expect(w.service.log.count('delete')).toBe(2);
        expect(w.store.peek(keyOf(AGENT))).toBeUndefined();
      },
    );
  }
});
