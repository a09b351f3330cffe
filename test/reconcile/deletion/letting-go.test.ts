import { describe, expect } from 'vitest';
import type { DeploymentSpec } from '../../../src/api/deployment.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
const LIVE = { name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const CREATED = { source: 'internal_container', creation: { policy: 'IfMissing' }, ...IMAGE } as const;
const MAX_SCALE = 'source_config.resource_spec.max_scale';
const EMPTY_LIST = {
  kind: 'status',
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"resources":[],"offset":0}',
} as const;
const CREDENTIALS = [
  { name: 'X-Api-Key', valueFrom: { secretKeyRef: { name: 'service-credentials', key: 'key' } } },
];

const deletions = (w: World): number => w.service.log.count('delete');
const messages = (w: World, reason: string): readonly string[] =>
  w.events.all.filter(({ event }) => event.reason === reason).map(({ event }) => event.message);
const gone = (w: World): boolean => w.store.peek(keyOf(AGENT)) === undefined;

describe('a deletion during a creation without an answer', () => {
  /** The service creates the deployment, and lists show it after 25 seconds. */
  const LATE = { deployments: [], semantics: { listLag: { seconds: 25 } } } as const;

  async function unanswered(w: World, deletionPolicy: 'Delete' | 'Orphan'): Promise<void> {
    w.fault({ kind: 'apply-then-fail', how: 'reset' }, { match: { operation: 'create' } });
    w.apply({ ...CREATED, deletionPolicy });
    await w.pass(3);
    expect(w.status().creation?.state).toBe('Pending');
    expect(w.resource().metadata.finalizers).toHaveLength(1);
    w.store.remove(keyOf(AGENT));
    await w.pass(10);
    expect(gone(w)).toBe(false);
    expect(w.state()).toBe('False/Deleting False/Deleting');
  }

  scenario('under Delete removes the deployment that finally appears (H40, H47)', LATE, async (w) => {
    await unanswered(w, 'Delete');
    await w.pass(180);
    expect(gone(w)).toBe(true);
    expect(deletions(w)).toBe(1);
    expect(w.service.deployments()).toEqual([]);
  });

  scenario(
    'under Orphan reports the deployment that appears and leaves it in place (H40, H47)',
    LATE,
    async (w) => {
      await unanswered(w, 'Orphan');
      await w.pass(120);
      expect(gone(w)).toBe(true);
      expect(deletions(w)).toBe(0);
      expect(messages(w, 'Released')).toEqual([expect.stringContaining(w.kept().id)]);
    },
  );

  for (const deletionPolicy of ['Delete', 'Orphan'] as const) {
    scenario(
      `under ${deletionPolicy} completes when the window is over without a deployment (H40)`,
      { deployments: [] },
      async (w) => {
        w.fault({ kind: 'reset-before' }, { match: { operation: 'create' } });
        w.apply({ ...CREATED, deletionPolicy });
        await w.pass(3);
        w.store.remove(keyOf(AGENT));
        await w.pass(50);
        expect(gone(w)).toBe(false);
        await w.pass(20);
        expect(gone(w)).toBe(true);
        expect(w.service.log.count('create')).toBe(1);
      },
    );
  }

  scenario(
    'ends on an edit to Orphan while the service is down, and emits an event (H47)',
    LATE,
    async (w) => {
      await unanswered(w, 'Delete');
      w.service.faults.add({ match: {}, times: 0, fault: { kind: 'reset-before' } });
      await w.pass(120);
      expect(gone(w)).toBe(false);
      w.apply({ ...CREATED, deletionPolicy: 'Orphan' });
      await w.pass(5);
      expect(gone(w)).toBe(true);
      expect(w.events.reasons()).toContain('Orphaned');
      w.service.faults.clear();
    },
  );
});

describe('a deletion during a creation that arrived', () => {
  for (const [what, given, edits] of [
    ['although the spec was edited since', {}, true],
    ['although the answer was empty and the spec was edited since', { patchEcho: 'empty-204' }, true],
    ['although the service shows a number otherwise', { fieldRules: { [MAX_SCALE]: 'contrary' } }, false],
  ] as const)
    scenario(
      `deletes the deployment, ${what} (H40)`,
      { deployments: [], semantics: { listLag: { seconds: 25 }, ...given } },
      async (w) => {
        const isAnswered = 'patchEcho' in given;
        if (!isAnswered)
          w.fault({ kind: 'apply-then-fail', how: 'reset' }, { match: { operation: 'create' } });
        const wants = (n: number): Partial<DeploymentSpec> => ({
          ...CREATED,
          deletionPolicy: 'Delete',
          sourceConfig: { customURL: `https://a.example.com/${n}`, resourceSpec: { maxScale: 3 } },
        });
        w.apply(wants(0));
        await w.pass(3);
        if (edits) w.apply(wants(1));
        await w.pass(1);
        w.store.remove(keyOf(AGENT));
        await w.pass(600);
        expect(gone(w)).toBe(true);
        expect(deletions(w)).toBe(1);
        expect(w.service.deployments()).toEqual([]);
      },
    );
});

describe('a deletion during a creation that never arrived', () => {
  scenario(
    'leaves a deployment of the name that shows another image than the creation asked for (I7)',
    { deployments: [] },
    async (w) => {
      w.fault({ kind: 'reset-before' }, { match: { operation: 'create' } });
      w.apply({ ...CREATED, deletionPolicy: 'Delete' });
      await w.pass(3);
      w.store.remove(keyOf(AGENT));
      await w.pass(10);
      const theirs = {
        source: 'internal_container',
        revisionConfig: { image_uri: 'registry.example.com/9' },
      };
      w.service.act({ kind: 'add', seed: deploymentSeed(AGENT, theirs) });
      await w.pass(300);
      expect(gone(w)).toBe(true);
      expect(deletions(w)).toBe(0);
      expect(messages(w, 'Released')).toEqual([expect.stringContaining(w.kept().id)]);
    },
  );
});

describe('a deletion under Delete', () => {
  scenario(
    'says why it waits if the list proves no absence',
    { deployments: [LIVE, { name: 'second' }, { name: 'third' }], semantics: { paramNames: 'ignored' } },
    async (w) => {
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(120);
      w.store.remove(keyOf(AGENT));
      await w.pass(600);
      expect(w.state()).toBe('False/Deleting False/Deleting');
      expect(w.message()).toContain('proves nothing (the offset of the list does not advance');
      w.apply({ ...IMAGE, deletionPolicy: 'Orphan' });
      await w.pass(5);
      expect(gone(w)).toBe(true);
    },
  );

  scenario(
    'is not complete merely because two consecutive passes omit the deployment (H32)',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(120);
      w.service.faults.add({ match: { operation: 'list' }, fault: EMPTY_LIST, times: 0 });
      for (let n = 0; n < 90 && w.condition('Synced') === 'True/InSync'; n += 1) await w.pass(1);
      expect(w.condition('Synced')).toBe('Unknown/NotVisibleYet');
      w.store.remove(keyOf(AGENT));
      await w.pass(10);
      expect(gone(w)).toBe(false);
      w.service.faults.clear();
      await w.pass(300);
      expect(gone(w)).toBe(true);
      expect(deletions(w)).toBe(1);
      expect(w.service.deployments()).toEqual([]);
    },
  );

  scenario(
    'of a deployment that another client deleted before completes after a second read',
    { deployments: [LIVE] },
    async (w) => {
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(60);
      w.service.act({ kind: 'delete', deployment: AGENT });
      w.store.remove(keyOf(AGENT));
      await w.pass(90);
      expect(gone(w)).toBe(true);
    },
  );

  scenario('that was accepted completes as soon as two passes agree', { deployments: [LIVE] }, async (w) => {
    w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
    await w.pass(60);
    w.store.remove(keyOf(AGENT));
    await w.pass(15);
    expect(gone(w)).toBe(true);
    expect(messages(w, 'Deleted')).toEqual([expect.stringContaining('tracing project')]);
  });
});

describe('a deletion in a terminating namespace', () => {
  /** Brings a resource under Delete to rest, behind a connection whose credential comes from a Secret. */
  async function atRest(w: World): Promise<void> {
    w.putSecret('service-credentials', { key: 'the-right-credential' });
    w.connect({ headers: CREDENTIALS });
    w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
    await w.pass(60);
    expect(w.state()).toBe('True/InSync True/Active');
  }

  scenario(
    'uses the last good credentials if the Secret was deleted first (H47)',
    { deployments: [LIVE] },
    async (w) => {
      await atRest(w);
      w.terminating = true;
      w.removeSecret('service-credentials');
      await w.pass(5);
      w.store.remove(keyOf(AGENT));
      await w.pass(120);
      expect(gone(w)).toBe(true);
      expect(w.service.deployment(AGENT)).toBeUndefined();
    },
  );

  scenario('uses them while the service is in trouble as well (H47)', { deployments: [LIVE] }, async (w) => {
    await atRest(w);
    w.terminating = true;
    w.removeSecret('service-credentials');
    w.service.faults.add({ match: {}, times: 0, fault: { kind: 'status', status: 503 } });
    w.store.remove(keyOf(AGENT));
    await w.pass(200);
    expect(gone(w)).toBe(false);
    w.service.faults.clear();
    await w.pass(700);
    expect(gone(w)).toBe(true);
    expect(w.service.deployment(AGENT)).toBeUndefined();
  });

  scenario(
    'ends after a restart if the Secret is missing and the Connection still exists (H47)',
    { deployments: [LIVE] },
    async (w) => {
      await atRest(w);
      w.kill();
      w.terminating = true;
      w.removeSecret('service-credentials');
      w.store.remove(keyOf(AGENT));
      w.start();
      await w.pass(60);
      expect(gone(w)).toBe(true);
      expect(w.events.reasons()).toContain('Orphaned');
      expect(w.connectionState()).toBe('False/SecretMissing');
      expect(w.service.deployment(AGENT)).toBeDefined();
    },
  );

  scenario(
    'ends if its Connection was deleted first and a ClusterConnection would take over (H27, H47)',
    { deployments: [LIVE] },
    async (w) => {
      w.connections.apply({
        apiVersion: API_VERSION,
        kind: 'ClusterConnection',
        metadata: { name: 'default' },
        spec: {
          baseURL: 'https://other.example.com/api',
          rateLimit: NO_RATE_LIMIT,
          namespaceSelector: {},
        },
      });
      await atRest(w);
      w.kill();
      w.terminating = true;
      w.loseConnection();
      w.store.remove(keyOf(AGENT));
      w.start();
      await w.pass(60);
      expect(gone(w)).toBe(true);
      expect(w.events.reasons()).toContain('Orphaned');
      expect(deletions(w)).toBe(0);
    },
  );
});
