import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import { AGENT, keyOf, type World } from '../support/world.ts';

const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
const GIVEN = {
  deployments: [{ name: AGENT, revisionConfig: { image_uri: 'registry.example.com/agent:1' } }],
};

const deletions = (w: World) => w.service.log.requests('delete');
const gone = (w: World): boolean => w.store.peek(keyOf(AGENT)) === undefined;

async function rest(w: World, deletionPolicy: 'Delete' | 'Orphan'): Promise<void> {
  w.apply({ ...IMAGE, deletionPolicy });
  await w.pass(60);
  expect(w.state()).toBe('True/InSync True/Active');
}

describe('deleting a resource', () => {
  scenario('under Orphan is immediate and leaves the deployment in place (H47)', GIVEN, async (w) => {
    await rest(w, 'Orphan');
    expect(w.resource().metadata.finalizers ?? []).toEqual([]);
    w.store.remove(keyOf(AGENT));
    expect(gone(w)).toBe(true);
    await w.pass(300);
    expect(deletions(w)).toEqual([]);
    expect(w.service.deployment(AGENT)).toBeDefined();
  });

  scenario(
    'under Delete removes the deployment, and releases the resource when two passes no longer show it',
    GIVEN,
    async (w) => {
      await rest(w, 'Delete');
      expect(w.resource().metadata.finalizers).toHaveLength(1);
      w.store.remove(keyOf(AGENT));
      await w.pass(1);
      expect(deletions(w)).toHaveLength(1);
      expect(w.service.deployment(AGENT)).toBeUndefined();
      await w.pass(120);
      expect(gone(w)).toBe(true);
      expect(deletions(w)).toHaveLength(1);
      expect(w.events.reasons()).toContain('Deleted');
    },
  );

  scenario(
    'under Delete waits for a slow deletion',
    { ...GIVEN, semantics: { deletionSeconds: 90 } },
    async (w) => {
      await rest(w, 'Delete');
      w.store.remove(keyOf(AGENT));
      await w.pass(60);
      expect(gone(w)).toBe(false);
      expect(w.state()).toBe('False/Deleting False/Deleting');
      await w.pass(180);
      expect(gone(w)).toBe(true);
      expect(deletions(w)).toHaveLength(1);
    },
  );

  for (const status of [404, 410]) {
    scenario(`under Delete counts ${status} as success`, GIVEN, async (w) => {
      await rest(w, 'Delete');
      w.service.actions.add({
        match: { operation: 'delete' },
        action: { kind: 'delete', deployment: AGENT },
      });
      if (status === 410) w.fault({ kind: 'status', status }, { match: { operation: 'delete' } });
      if (status === 410) w.service.act({ kind: 'delete', deployment: AGENT });
      w.store.remove(keyOf(AGENT));
      await w.pass(180);
      expect(gone(w)).toBe(true);
    });
  }

  for (const deletion of ['missing-405', 'missing-501'] as const) {
    scenario(
      `under Delete on a service that cannot (${deletion}) says so; Orphan is the way out (N53)`,
      {
        ...GIVEN,
        semantics: { deletion },
      },
      async (w) => {
        await rest(w, 'Delete');
        w.store.remove(keyOf(AGENT));
        await w.pass(300);
        expect(gone(w)).toBe(false);
        expect(w.state()).toBe('False/DeleteNotSupported False/DeleteNotSupported');
        expect(deletions(w).length).toBeLessThanOrEqual(2);
        w.apply({ ...IMAGE, deletionPolicy: 'Orphan' });
        await w.pass(60);
        expect(gone(w)).toBe(true);
        expect(w.service.deployment(AGENT)).toBeDefined();
      },
    );
  }

  scenario(
    'under Delete on a service that accepts it and does nothing is asked for ever less (C9)',
    GIVEN,
    async (w) => {
      await rest(w, 'Delete');
      w.fault({ kind: 'status', status: 202 }, { match: { operation: 'delete' }, times: 0 });
      w.store.remove(keyOf(AGENT));
      await w.pass(300);
      expect(w.state()).toBe('False/Deleting False/Deleting');
      const looks = w.service.log.count('list');
      await w.pass(900);
      expect(w.state()).toBe('False/DeleteNotSupported False/DeleteNotSupported');
      expect(w.message()).toContain('Orphan');
      expect(w.condition('Stalled')).toBe('True/DeleteNotSupported');
      const since = w.clock.now();
      await w.pass(2400);
      const reasons = w.chronicle.resources.filter(({ atMs }) => atMs > since);
      const said = reasons.flatMap(({ object }) => object?.status?.conditions ?? []);
      const told = new Set(said.filter(({ type }) => type === 'Synced').map(({ reason }) => reason));
      expect([...told], 'the reason stands while it is asked for again').toEqual(['DeleteNotSupported']);
      expect(reasons.length, 'statuses written at rest').toBeLessThanOrEqual(3 * deletions(w).length);
      expect(deletions(w).length).toBeLessThanOrEqual(6);
      expect(w.service.log.count('list') - looks).toBeLessThanOrEqual(130);
      w.restart();
      await w.pass(600);
      expect(deletions(w).length).toBeLessThanOrEqual(6);
      // A late deletion by the service counts without another request.
      w.service.faults.clear();
      w.service.act({ kind: 'delete', deployment: AGENT });
      await w.pass(300);
      expect(gone(w)).toBe(true);
      expect(deletions(w).length).toBeLessThanOrEqual(6);
    },
  );

  scenario(
    'under Delete while the service is down waits with a reason, and completes after recovery (H47)',
    GIVEN,
    async (w) => {
      await rest(w, 'Delete');
      w.service.faults.add({ match: {}, times: 0, fault: { kind: 'reset-before' } });
      await w.pass(120);
      w.store.remove(keyOf(AGENT));
      await w.pass(300);
      expect(gone(w)).toBe(false);
      expect(w.state()).toBe('False/Deleting False/Deleting');
      expect(w.message(), 'what it waits for (K11)').toMatch(/^the deletion waits: .*Unreachable/);
      w.service.faults.clear();
      await w.pass(700);
      expect(gone(w)).toBe(true);
      expect(w.service.deployment(AGENT)).toBeUndefined();
    },
  );

  scenario('under Delete without a connection reports what it waits for (K11)', GIVEN, async (w) => {
    await rest(w, 'Delete');
    w.loseConnection();
    await w.pass(5);
    w.store.remove(keyOf(AGENT));
    await w.pass(5);
    expect(w.state()).toBe('False/Deleting False/Deleting');
    expect(w.message()).toMatch(/^the deletion waits: .*Connection/);
    w.connect();
    await w.pass(120);
    expect(gone(w)).toBe(true);
  });

  scenario(
    'under Delete after a write without an answer waits for the outcome of that write (K11)',
    GIVEN,
    async (w) => {
      await rest(w, 'Delete');
      w.fault({ kind: 'status', status: 504 });
      w.apply({
        sourceRevisionConfig: { imageURI: 'registry.example.com/agent:9' },
        deletionPolicy: 'Delete',
      });
      await w.pass(5);
      expect(w.condition('Synced')).toBe('Unknown/OutcomeUnknown');
      w.store.remove(keyOf(AGENT));
      await w.pass(15);
      expect(w.state()).toBe('False/Deleting False/Deleting');
      expect(w.message()).toMatch(/^the deletion waits: the outcome of a write is unknown/);
      await w.pass(300);
      expect(gone(w)).toBe(true);
    },
  );

  scenario(
    'in a terminating namespace uses the last good credentials, though its connection was deleted first (H47)',
    GIVEN,
    async (w) => {
      await rest(w, 'Delete');
      w.terminating = true;
      w.loseConnection();
      await w.pass(5);
      w.store.remove(keyOf(AGENT));
      await w.pass(120);
      expect(gone(w)).toBe(true);
      expect(w.service.deployment(AGENT)).toBeUndefined();
    },
  );

  scenario(
    'in a terminating namespace without credentials releases the resource, and emits an event (H47)',
    GIVEN,
    async (w) => {
      await rest(w, 'Delete');
      w.kill();
      w.terminating = true;
      w.loseConnection();
      w.store.remove(keyOf(AGENT));
      w.start();
      await w.pass(30);
      expect(gone(w)).toBe(true);
      expect(w.events.reasons()).toContain('Orphaned');
      expect(w.service.deployment(AGENT)).toBeDefined();
    },
  );

  scenario('under Delete while the service is down ends on an edit to Orphan (H47)', GIVEN, async (w) => {
    await rest(w, 'Delete');
    w.service.faults.add({ match: {}, times: 0, fault: { kind: 'reset-before' } });
    await w.pass(120);
    w.store.remove(keyOf(AGENT));
    await w.pass(60);
    w.apply({ ...IMAGE, deletionPolicy: 'Orphan' });
    await w.pass(5);
    expect(gone(w)).toBe(true);
    w.service.faults.clear();
    await w.pass(700);
    expect(deletions(w)).toEqual([]);
    expect(w.service.deployment(AGENT)).toBeDefined();
  });

  scenario('under Delete is blocked by a pause', GIVEN, async (w) => {
    await rest(w, 'Delete');
    w.annotate('paused', 'true');
    w.store.remove(keyOf(AGENT));
    await w.pass(300);
    expect(gone(w)).toBe(false);
    expect(deletions(w)).toEqual([]);
    w.annotate('paused', null);
    await w.pass(120);
    expect(gone(w)).toBe(true);
  });

  scenario('under Delete whose answer is lost is verified by a read', GIVEN, async (w) => {
    await rest(w, 'Delete');
    w.fault({ kind: 'apply-then-fail', how: 'reset' }, { match: { operation: 'delete' } });
    w.store.remove(keyOf(AGENT));
    await w.pass(300);
    expect(gone(w)).toBe(true);
    expect(deletions(w)).toHaveLength(1);
  });

  scenario('under Delete whose request is lost is retried', GIVEN, async (w) => {
    await rest(w, 'Delete');
    w.fault({ kind: 'reset-before' }, { match: { operation: 'delete' } });
    w.store.remove(keyOf(AGENT));
    await w.pass(300);
    expect(gone(w)).toBe(true);
    expect(deletions(w)).toHaveLength(2);
  });

  scenario('under Delete releases an unbound resource at once', { deployments: [] }, async (w) => {
    w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
    await w.pass(60);
    w.store.remove(keyOf(AGENT));
    await w.pass(5);
    expect(gone(w)).toBe(true);
  });

  scenario(
    'with a policy edited from Delete to Orphan and back updates the finalizer each time',
    GIVEN,
    async (w) => {
      await rest(w, 'Delete');
      w.apply({ ...IMAGE, deletionPolicy: 'Orphan' });
      await w.pass(10);
      expect(w.resource().metadata.finalizers ?? []).toEqual([]);
      w.apply({ ...IMAGE, deletionPolicy: 'Delete' });
      await w.pass(10);
      expect(w.resource().metadata.finalizers).toHaveLength(1);
    },
  );

  scenario('during its PATCH takes effect after the answer', GIVEN, async (w) => {
    await rest(w, 'Delete');
    w.fault({ kind: 'delay', ms: 10_000 });
    w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' }, deletionPolicy: 'Delete' });
    await w.pass(1);
    w.store.remove(keyOf(AGENT));
    await w.pass(180);
    expect(gone(w)).toBe(true);
    expect(w.patches()).toHaveLength(1);
  });
});
