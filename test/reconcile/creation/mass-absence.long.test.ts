import { describe, expect } from 'vitest';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { scenario } from '../support/scenario.ts';
import { keyOf, type World } from '../support/world.ts';

const OURS = '11111111-1111-4111-8111-111111111111';
const THEIRS = '22222222-2222-4222-8222-222222222222';
const NAMES = ['a', 'b', 'c', 'd'];
const LIVE = { tenantID: OURS, revisionConfig: { image_uri: 'registry.example.com/agent:1' } };
const SPEC = {
  sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' },
  deletionPolicy: 'Delete',
  creation: { policy: 'IfMissing', recreate: true },
} as const;

const GIVEN = {
  deployments: NAMES.map((name) => ({ name, ...LIVE })),
  semantics: { auth: { kind: 'tenant-header', name: 'X-Tenant-Id' } },
  connection: { headers: [{ name: 'X-Tenant-Id', value: OURS }] },
} as const;

const useTenant = (w: World, value: string): void => w.connect({ headers: [{ name: 'X-Tenant-Id', value }] });
const gone = (w: World, name: string): boolean => w.store.peek(keyOf(name)) === undefined;

async function atRest(w: World, names: readonly string[]): Promise<void> {
  for (const name of names) w.apply(SPEC, name);
  await w.pass(60);
  for (const name of names) expect(w.state(name)).toBe('True/InSync True/Active');
}

describe('a credential of another tenant, whose list is empty,', () => {
  scenario('makes nothing, calls nothing gone and confirms no deletion (H52)', GIVEN, async (w) => {
    await atRest(w, NAMES);
    useTenant(w, THEIRS);
    await w.pass(5);
    w.apply(SPEC, 'new-one');
    w.store.remove(keyOf('d'));
    await w.pass(1500);
    expect(w.connectionState()).toBe('False/MassAbsence');
    expect(w.service.log.count('create')).toBe(0);
    expect(w.statusStory().join()).not.toContain('NotFound');
    expect(gone(w, 'd')).toBe(false);
    useTenant(w, OURS);
    await w.pass(700);
    expect(gone(w, 'd')).toBe(true);
    expect(w.service.deployment('d')).toBeUndefined();
  });

  for (const restarts of [false, true]) {
    scenario(
      `confirms no deletion if one of three bound resources is deleted${restarts ? ', after a restart' : ''} (H52)`,
      GIVEN,
      async (w) => {
        const names = ['a', 'b', 'c'];
        await atRest(w, names);
        if (restarts) w.kill();
        useTenant(w, THEIRS);
        w.store.remove(keyOf('c'));
        if (restarts) w.start();
        await w.pass(600);
        expect(w.connectionState()).toBe('False/MassAbsence');
        expect(gone(w, 'c')).toBe(false);
        useTenant(w, OURS);
        await w.pass(700);
        expect(gone(w, 'c')).toBe(true);
        expect(w.service.deployment('c')).toBeUndefined();
      },
    );
  }
});

const FIVE = ['a', 'b', 'c', 'd', 'e'];
const IMAGE = { sourceRevisionConfig: { imageURI: 'registry.example.com/agent:1' } };
const seed = (name: string) => ({ ...deploymentSeed(name, LIVE), id: uuidFrom(name) });
const HALF_LOST = { deployments: FIVE.map((name) => ({ ...LIVE, name, id: uuidFrom(name) })) };

/** Both kinds of connections, each in a world of its own. */
const KINDS = [
  { kind: 'Connection', use: () => undefined, state: (w: World) => w.connectionState() },
  {
    kind: 'ClusterConnection',
    use: (w: World) => {
      w.disconnect();
      w.connectCluster({ namespaceSelector: {} });
    },
    state: (w: World) => w.clusterConnectionState(),
  },
] as const;

const lose = (w: World, names: readonly string[]): void => {
  for (const name of names) w.service.act({ kind: 'delete', deployment: uuidFrom(name) });
};
const giveBack = (w: World, names: readonly string[]): void => {
  for (const name of names) w.service.act({ kind: 'add', seed: seed(name) });
};

for (const { kind, use, state } of KINDS) {
  const bound = async (w: World): Promise<void> => {
    use(w);
    w.start();
    for (const name of FIVE) w.apply(IMAGE, name);
    await w.pass(60);
    for (const name of FIVE) expect(w.state(name)).toBe('True/InSync True/Active');
  };

  describe(`a ${kind} whose list shows fewer than half of the bound deployments`, () => {
    for (const restarts of [false, true]) {
      scenario(
        `reports that until the list recovers${restarts ? ', after a restart too' : ''}, for one pass per poll interval (A5, R9)`,
        { ...HALF_LOST, started: false },
        async (w) => {
          await bound(w);
          lose(w, ['a', 'b', 'c', 'd']);
          if (restarts) w.restart();
          await w.pass(90);
          const lists = w.service.log.count('list');
          for (let minutes = 0; minutes < 60; minutes += 1) {
            expect(state(w)).toBe('False/MassAbsence');
            await w.pass(60);
          }
          // A complete pass over a list of one page is two calls.
          expect(w.service.log.count('list') - lists).toBeGreaterThanOrEqual(2 * 55);
          expect(w.service.log.count('list') - lists).toBeLessThanOrEqual(2 * 61);
          expect(w.condition('Synced', 'e')).toBe('Unknown/ConnectionNotReady');
          giveBack(w, ['a', 'b']);
          await w.pass(65);
          expect(state(w)).toBe('True/Ok');
          expect(w.state('e')).toBe('True/InSync True/Active');
          await w.pass(120);
          expect(w.condition('Synced', 'c')).toBe('False/NotFound');
        },
      );
    }

    scenario(
      'continues within a poll interval if the absence lasts two seconds (R9)',
      { ...HALF_LOST, started: false },
      async (w) => {
        await bound(w);
        lose(w, ['a', 'b', 'c', 'd']);
        w.restart();
        await w.pass(2);
        expect(state(w)).toBe('False/MassAbsence');
        giveBack(w, ['a', 'b', 'c', 'd']);
        await w.pass(60);
        expect(state(w)).toBe('True/Ok');
        for (const name of FIVE) expect(w.state(name)).toBe('True/InSync True/Active');
        expect(w.statusStory().join()).not.toContain('NotFound');
      },
    );

    scenario(
      'reports that while the list shrinks to half, changes nothing, and continues once the list is whole (R9)',
      // The list shows every second deployment, starting with the first.
      {
        deployments: ['u', 'a', 'v', 'b', 'w', 'c', 'd', 'x'].map((name) => ({ ...LIVE, name })),
        started: false,
      },
      async (w) => {
        use(w);
        w.start();
        const four = ['a', 'b', 'c', 'd'];
        for (const name of four) w.apply(SPEC, name);
        await w.pass(60);
        w.become({ listShows: 'half' });
        await w.pass(10);
        w.apply({ ...SPEC, sourceConfig: { customURL: 'https://a.example.com' } }, 'a');
        w.apply(SPEC, 'new-one');
        w.store.remove(keyOf('c'));
        await w.pass(120);
        const lists = w.service.log.count('list');
        for (let minutes = 0; minutes < 20; minutes += 1) {
          expect(state(w)).toBe('False/MassAbsence');
          await w.pass(60);
        }
        expect(w.service.log.count('list') - lists).toBeLessThanOrEqual(2 * 21);
        const written = ['create', 'delete', 'patch'] as const;
        expect(written.map((operation) => w.service.log.count(operation))).toEqual([0, 0, 0]);
        expect(gone(w, 'c')).toBe(false);
        expect(w.statusStory().join()).not.toContain('NotFound');
        w.become({ listShows: 'all' });
        await w.pass(200);
        expect(state(w)).toBe('True/Ok');
        for (const name of ['a', 'b', 'd', 'new-one']) expect(w.state(name)).toBe('True/InSync True/Active');
        expect(written.map((operation) => w.service.log.count(operation))).toEqual([1, 1, 1]);
        expect(gone(w, 'c')).toBe(true);
      },
    );

    scenario(
      'does not report that if only one of two passes shows it (H52)',
      { ...HALF_LOST, started: false },
      async (w) => {
        await bound(w);
        w.service.faults.add({
          match: { operation: 'list' },
          fault: { kind: 'status', status: 200, body: '{"resources":[],"offset":0}' },
        });
        for (let seconds = 0; seconds < 150; seconds += 1) {
          await w.pass(1);
          expect(state(w)).toBe('True/Ok');
        }
        w.restart();
        w.service.faults.add({
          match: { operation: 'list' },
          fault: { kind: 'status', status: 200, body: '{"resources":[],"offset":0}' },
        });
        await w.pass(10);
        expect(state(w)).toBe('True/Ok');
        for (const name of FIVE) expect(w.state(name)).toBe('True/InSync True/Active');
      },
    );

    scenario(
      'keeps the state while the list cannot be read completely',
      { ...HALF_LOST, started: false },
      async (w) => {
        await bound(w);
        lose(w, ['a', 'b', 'c', 'd']);
        await w.pass(90);
        expect(state(w)).toBe('False/MassAbsence');
        const fault = { kind: 'status', status: 200, body: '{"resources":[{"id":"x"}],"offset":1}' } as const;
        w.service.faults.add({ match: { operation: 'list' }, times: 12, fault });
        for (let seconds = 0; seconds < 240; seconds += 10) {
          await w.pass(10);
          expect(state(w)).toBe('False/MassAbsence');
        }
        giveBack(w, ['a', 'b', 'c', 'd']);
        await w.pass(300);
        expect(state(w)).toBe('True/Ok');
      },
    );
  });
}

describe('the runbook procedure for deleted deployments', () => {
  scenario('recreates them: resources are deleted with Orphan, then applied again', HALF_LOST, async (w) => {
    const spec = { ...IMAGE, deletionPolicy: 'Delete', creation: { policy: 'IfMissing' } } as const;
    for (const name of FIVE) w.apply(spec, name);
    await w.pass(60);
    const lost = ['a', 'b', 'c', 'd'];
    lose(w, lost);
    await w.pass(120);
    expect(w.connectionState()).toBe('False/MassAbsence');
    expect(w.message('e')).toContain('delete their resources with deletionPolicy: Orphan');
    for (const name of lost) w.apply({ ...spec, deletionPolicy: 'Orphan' }, name);
    await w.pass(5);
    for (const name of lost) w.store.remove(keyOf(name));
    await w.pass(5);
    expect(lost.filter((name) => !gone(w, name))).toEqual([]);
    for (const name of lost) w.apply(spec, name);
    await w.pass(200);
    expect(w.connectionState()).toBe('True/Ok');
    expect(w.service.log.count('create')).toBe(4);
    for (const name of FIVE) expect(w.state(name)).toBe('True/InSync True/Active');
  });
});

describe('deployments that another client deleted together with their resources', () => {
  for (const [all, lost] of [
    [3, 3],
    [4, 3],
    [5, 2],
  ] as const) {
    scenario(
      `${lost} of ${all}, all with Delete, ${lost > 2 ? 'wait until their resources say Orphan' : 'are gone permanently'} (A5, H52)`,
      { deployments: HALF_LOST.deployments.slice(0, all) },
      async (w) => {
        const names = FIVE.slice(0, all);
        const spec = { ...IMAGE, deletionPolicy: 'Delete' } as const;
        for (const name of names) w.apply(spec, name);
        await w.pass(200);
        const removed = names.slice(0, lost);
        lose(w, removed);
        await w.pass(1);
        for (const name of removed) w.store.remove(keyOf(name));
        await w.pass(3_600);
        const isMany = lost > 2;
        expect(removed.filter((name) => !gone(w, name))).toEqual(isMany ? removed : []);
        expect(w.connectionState()).toBe(isMany ? 'False/MassAbsence' : 'True/Ok');
        const deletes = w.service.log.count('delete');
        for (const name of isMany ? removed : []) {
          expect(w.condition('Synced', name)).toBe('False/Deleting');
          w.store.edit(keyOf(name), (resource) => ({
            ...resource,
            metadata: { ...resource.metadata, generation: (resource.metadata.generation ?? 0) + 1 },
            spec: { ...resource.spec, deletionPolicy: 'Orphan' },
          }));
        }
        await w.pass(70);
        expect(removed.filter((name) => !gone(w, name))).toEqual([]);
        expect(w.service.log.count('delete')).toBe(deletes);
        await w.pass(120);
        expect(w.connectionState()).toBe('True/Ok');
        for (const name of names.slice(lost)) expect(w.state(name)).toBe('True/InSync True/Active');
      },
    );
  }
});
