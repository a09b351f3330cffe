import { describe, expect } from 'vitest';
import { uuidFrom } from '../../../src/simulator/values/identifiers.ts';
import { deploymentSeed } from '../../../src/simulator/state/service-seed.ts';
import { scenario } from '../support/scenario.ts';
import { keyOf, type World } from '../support/world.ts';

const OURS = '11111111-1111-4111-8111-111111111111';
const THEIRS = '22222222-2222-4222-8222-222222222222';
const OTHERS = '33333333-3333-4333-8333-333333333333';
const IMAGE = 'registry.example.com/agent:1';
const SPEC = { sourceRevisionConfig: { imageURI: IMAGE } };
const RECREATE = { ...SPEC, creation: { policy: 'IfMissing', recreate: true } } as const;
const AT_REST = 'True/InSync True/Active';

const as = (value: string) => ({ headers: [{ name: 'X-Tenant-Id', value }] });
const live = (name: string, tenantID: string) => ({
  ...{ name, tenantID, id: uuidFrom(name) },
  revisionConfig: { image_uri: IMAGE },
});

/** A service that shows a caller the deployments of one tenant. */
const BY_TENANT = {
  started: false,
  deployments: [live('ours', OURS), live('theirs', THEIRS)],
  semantics: { auth: { kind: 'tenant-header', name: 'X-Tenant-Id' } },
} as const;

/** A credential that shows the deployments of several tenants. */
const SEVERAL = {
  deployments: [live('ours', OURS), live('theirs', THEIRS), live('others', OTHERS)],
} as const;

const writes = (w: World): number => w.service.log.requests().filter(({ method }) => method !== 'GET').length;
const gone = (w: World, name: string): boolean => w.store.peek(keyOf(name)) === undefined;

/** Both kinds of connections, each in a world of its own. */
const KINDS = [
  {
    kind: 'Connection',
    use: (w: World, tenant: string) => w.connect(as(tenant)),
    state: (w: World) => w.connectionState(),
  },
  {
    kind: 'ClusterConnection',
    use: (w: World, tenant: string) => {
      w.disconnect();
      w.connectCluster({ namespaceSelector: {}, ...as(tenant) });
    },
    state: (w: World) => w.clusterConnectionState(),
  },
] as const;

for (const { kind, use, state } of KINDS) {
  const bound = async (w: World, spec: Parameters<World['apply']>[0]): Promise<void> => {
    use(w, OURS);
    w.start();
    w.apply(spec, 'ours');
    await w.pass(60);
    expect(w.state('ours')).toBe(AT_REST);
  };

  describe(`a ${kind} whose list shows other tenants only, while a single resource is bound,`, () => {
    scenario('creates nothing there, and reports nothing as deleted (A4)', BY_TENANT, async (w) => {
      await bound(w, RECREATE);
      use(w, THEIRS);
      w.apply({ ...SPEC, creation: { policy: 'IfMissing' } }, 'new-one');
      await w.pass(900);
      expect(state(w)).toBe('False/TenantChanged');
      expect(writes(w)).toBe(0);
      expect(w.statusStory().join()).not.toContain('NotFound');
      expect(w.condition('Synced', 'ours')).toBe('Unknown/ConnectionNotReady');
      use(w, OURS);
      await w.pass(120);
      expect(state(w)).toBe('True/Ok');
      expect(w.state('ours')).toBe(AT_REST);
      expect(w.service.log.count('create')).toBe(1);
    });

    scenario('confirms no deletion (A4)', BY_TENANT, async (w) => {
      await bound(w, { ...SPEC, deletionPolicy: 'Delete' });
      use(w, THEIRS);
      await w.pass(5);
      w.store.remove(keyOf('ours'));
      await w.pass(900);
      expect(state(w)).toBe('False/TenantChanged');
      expect(gone(w, 'ours')).toBe(false);
      use(w, OURS);
      await w.pass(300);
      expect(gone(w, 'ours')).toBe(true);
      expect(w.service.deployment('ours')).toBeUndefined();
    });

    for (const restarts of [false, true]) {
      scenario(
        `stays doubtful without those, until the right tenant is shown${restarts ? '; a restart does not end it' : ''} (A4)`,
        BY_TENANT,
        async (w) => {
          await bound(w, RECREATE);
          use(w, THEIRS);
          await w.pass(30);
          expect(state(w)).toBe('False/TenantChanged');
          w.service.act({ kind: 'delete', deployment: 'theirs' });
          if (restarts) w.restart();
          for (let minutes = 0; minutes < 20; minutes += 1) {
            await w.pass(60);
            expect(state(w)).toBe('False/TenantChanged');
          }
          expect(writes(w)).toBe(0);
          use(w, OURS);
          await w.pass(60);
          expect(state(w)).toBe('True/Ok');
          expect(w.state('ours')).toBe(AT_REST);
        },
      );
    }

    scenario(
      'recovers within a poll interval when the credential is the right one again',
      BY_TENANT,
      async (w) => {
        await bound(w, SPEC);
        w.service.act({ kind: 'edit', deployment: 'ours', path: 'tenant_id', value: THEIRS });
        use(w, THEIRS);
        await w.pass(90);
        expect(state(w)).toBe('False/TenantChanged');
        w.service.act({ kind: 'edit', deployment: 'ours', path: 'tenant_id', value: OURS });
        w.become({ auth: { kind: 'none' } });
        await w.pass(62);
        expect(state(w)).toBe('True/Ok');
        expect(w.state('ours')).toBe(AT_REST);
      },
    );
  });
}

describe('a credential that shows several tenants, and then no longer the tenant of one resource,', () => {
  scenario('makes only that resource doubtful (A4)', SEVERAL, async (w) => {
    w.apply(RECREATE, 'ours');
    w.apply(SPEC, 'theirs');
    await w.pass(60);
    w.service.act({ kind: 'delete', deployment: 'ours' });
    await w.pass(300);
    expect(w.connectionState()).toBe('True/Ok');
    expect(w.state('ours')).toBe('False/TenantChanged Unknown/TenantChanged');
    w.apply({ sourceRevisionConfig: { imageURI: 'registry.example.com/agent:2' } }, 'theirs');
    await w.pass(60);
    expect(w.state('theirs')).toBe(AT_REST);
    expect(w.service.log.count('create')).toBe(0);
    w.service.act({ kind: 'add', seed: deploymentSeed('ours', live('ours', OURS)) });
    await w.pass(700);
    expect(w.state('ours')).toBe(AT_REST);
  });

  scenario('does not confirm a deletion that was not accepted (A4)', SEVERAL, async (w) => {
    w.apply({ ...SPEC, deletionPolicy: 'Delete' }, 'ours');
    w.apply(SPEC, 'theirs');
    await w.pass(60);
    w.service.act({ kind: 'delete', deployment: 'ours' });
    w.store.remove(keyOf('ours'));
    await w.pass(300);
    expect(gone(w, 'ours')).toBe(false);
    w.apply({ ...SPEC, deletionPolicy: 'Orphan' }, 'ours');
    await w.pass(60);
    expect(gone(w, 'ours')).toBe(true);
  });

  scenario('confirms a deletion that the service has accepted', SEVERAL, async (w) => {
    w.apply({ ...SPEC, deletionPolicy: 'Delete' }, 'ours');
    w.apply(SPEC, 'theirs');
    await w.pass(60);
    w.store.remove(keyOf('ours'));
    await w.pass(120);
    expect(w.service.deployment('ours')).toBeUndefined();
    expect(gone(w, 'ours')).toBe(true);
    expect(w.connectionState()).toBe('True/Ok');
  });
});

describe('a list that does not show tenants', () => {
  scenario(
    'does not by itself make anything doubtful: a missing deployment is deleted (H41)',
    { ...SEVERAL, semantics: { fieldRules: { tenant_id: 'hidden' } } },
    async (w) => {
      w.apply(SPEC, 'ours');
      await w.pass(60);
      w.service.act({ kind: 'delete', deployment: 'ours' });
      await w.pass(300);
      expect(w.connectionState()).toBe('True/Ok');
      expect(w.condition('Synced', 'ours')).toBe('False/NotFound');
    },
  );
});

describe('a resource whose reference changes to a connection of another tenant', () => {
  scenario(
    'creates nothing there, and blocks no other user of the connection (A3, A4)',
    { ...BY_TENANT, connection: as(OURS) },
    async (w) => {
      w.connectCluster({ namespaceSelector: {}, ...as(THEIRS) });
      w.start();
      w.apply(RECREATE, 'ours');
      w.apply(SPEC, 'team-b/theirs');
      await w.pass(60);
      w.apply({ ...RECREATE, connectionRef: { kind: 'ClusterConnection', name: 'default' } }, 'ours');
      await w.pass(600);
      expect(w.state('ours')).toBe('False/TenantChanged Unknown/TenantChanged');
      expect(w.service.log.count('create')).toBe(0);
      expect(w.clusterConnectionState()).toBe('True/Ok');
      expect(w.state('team-b/theirs')).toBe(AT_REST);
    },
  );
});

describe('a credential that belongs to another tenant after a pause that the service asked for', () => {
  const of = (tenantID: string) =>
    ({ kind: 'tenant-header', name: 'X-Tenant-Id', tenants: { 'key-of-a-team': tenantID } }) as const;

  for (const [which, theirs, pausesAgain] of [
    ['', ['theirs'], false],
    [', also if the sweep that has to confirm it is paused too', ['a', 'b', 'c', 'd', 'e'], true],
  ] as const)
    scenario(
      `creates nothing there, since the check after the pause shows it${which} (5205)`,
      {
        started: false,
        deployments: [
          ...[live('ours', OURS), live('another', OURS)],
          ...theirs.map((name) => live(name, THEIRS)),
        ],
        semantics: { auth: of(OURS) },
        connection: { ...as('key-of-a-team'), list: { pageSize: 2 } },
      },
      async (w) => {
        const refuses = (operation: 'create' | 'list', nth: number, seconds: string): void => {
          const fault = { kind: 'status', status: 429, headers: { 'retry-after': seconds } } as const;
          w.service.faults.add({ match: { operation, nth }, fault });
        };
        w.start();
        w.apply(RECREATE, 'ours');
        w.apply(SPEC, 'another');
        await w.pass(60);
        expect(w.state('ours')).toBe(AT_REST);
        refuses('create', 1, '30');
        w.service.act({ kind: 'delete', deployment: 'ours' });
        while (w.service.log.count('create') === 0) await w.pass(1);
        await w.pass(20);
        w.become({ auth: of(THEIRS) });
        if (pausesAgain) refuses('list', 2, '5');
        await w.pass(300);
        expect(w.connectionState()).toBe('False/TenantChanged');
        expect(w.service.log.count('create')).toBe(1);
        w.become({ auth: of(OURS) });
        await w.pass(300);
        expect(w.state('ours')).toBe(AT_REST);
        expect(w.kept('ours').tenantID).toBe(OURS);
      },
    );
});

describe('a resource whose reference changes to a connection that lists nothing', () => {
  const OTHER = { kind: 'ClusterConnection', name: 'default' } as const;
  const moved = async (w: World, tenant: string, more: object = {}): Promise<void> => {
    w.connectCluster({ namespaceSelector: {}, ...as(tenant) });
    w.start();
    w.apply({ ...RECREATE, ...more }, 'ours');
    await w.pass(60);
    expect(w.state('ours')).toBe(AT_REST);
    w.apply({ ...RECREATE, ...more, connectionRef: OTHER }, 'ours');
    await w.pass(600);
  };
  const GIVEN = { ...BY_TENANT, connection: as(OURS) };

  scenario('creates nothing there, and goes on with the old one', GIVEN, async (w) => {
    await moved(w, OTHERS);
    expect(w.condition('Synced', 'ours')).toBe('False/ConnectionChanged');
    expect(w.message('ours')).toContain('ClusterConnection default does not show it');
    expect(w.service.log.count('create')).toBe(0);
    w.apply(RECREATE, 'ours');
    await w.pass(120);
    expect(w.state('ours')).toBe(AT_REST);
  });

  scenario('is not released there as deleted', GIVEN, async (w) => {
    await moved(w, OTHERS, { deletionPolicy: 'Delete' });
    w.store.remove(keyOf('ours'));
    await w.pass(600);
    expect(gone(w, 'ours')).toBe(false);
    expect(w.service.deployment('ours')).toBeDefined();
  });

  scenario('goes on there if it lists the deployment', GIVEN, async (w) => {
    await moved(w, OURS);
    expect(w.state('ours')).toBe(AT_REST);
    expect(writes(w)).toBe(0);
  });

  const BESIDE = { ...GIVEN, deployments: [...BY_TENANT.deployments, live('second', OURS)] };
  scenario('may create there what is gone, if it lists the tenant', BESIDE, async (w) => {
    await moved(w, OURS);
    w.service.act({ kind: 'delete', deployment: 'ours' });
    await w.pass(600);
    expect(w.service.log.count('create')).toBe(1);
  });
});

describe('a creation with an unknown outcome, if the credential belongs to another tenant after it,', () => {
  for (const [what, tenant] of [
    ['others', THEIRS],
    ['nothing', OTHERS],
  ] as const)
    for (const restarts of [false, true])
      scenario(
        `is not repeated there (its list shows ${what}${restarts ? '; after a restart' : ''})`,
        { ...BY_TENANT, connection: as(OURS) },
        async (w) => {
          w.start();
          w.fault({ kind: 'reset-before' }, { match: { operation: 'create' } });
          w.apply({ ...SPEC, creation: { policy: 'IfMissing' } }, 'new-one');
          while (w.service.log.count('create') === 0) await w.pass(1);
          w.connect(as(tenant));
          if (restarts) {
            w.kill();
            w.start();
          }
          await w.pass(900);
          expect(w.service.log.count('create')).toBe(1);
          expect(w.state('new-one')).toBe('False/TenantChanged Unknown/TenantChanged');
          w.connect(as(OURS));
          await w.pass(600);
          expect(w.kept('new-one').tenantID).toBe(OURS);
          expect(w.state('new-one')).toBe(AT_REST);
        },
      );

  scenario('is repeated there if a person asks for it', { ...BY_TENANT, connection: as(OURS) }, async (w) => {
    w.start();
    w.fault({ kind: 'reset-before' }, { match: { operation: 'create' } });
    w.apply({ ...SPEC, creation: { policy: 'IfMissing' } }, 'new-one');
    while (w.service.log.count('create') === 0) await w.pass(1);
    w.connect(as(OTHERS));
    await w.pass(600);
    w.annotate('reconcile-at', 'now', 'new-one');
    await w.pass(300);
    expect(w.kept('new-one').tenantID).toBe(OTHERS);
  });
});
