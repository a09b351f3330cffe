import { describe, expect } from 'vitest';
import { scenario } from '../support/scenario.ts';
import type { World } from '../support/world.ts';

const TENANT_A = 'aaaaaaaa-1111-4111-8111-aaaaaaaaaaaa';
const TENANT_B = 'bbbbbbbb-2222-4222-8222-bbbbbbbbbbbb';
const IMAGE = 'registry.example.com/agent:1';
const SPEC = { sourceRevisionConfig: { imageURI: IMAGE } };
const MAKE = { ...SPEC, creation: { policy: 'IfMissing' } } as const;
const OF_A = ['a1', 'a2', 'a3', 'a4'];
const OF_B = ['team-b/b1', 'team-b/b2'];
const AT_REST = 'True/InSync True/Active';

const as = (value: string) => ({ headers: [{ name: 'X-Tenant-Id', value }] });
const shared = (tenant: string) => ({ namespaceSelector: {}, ...as(tenant) });
const live = (name: string, tenantID: string) => ({ name, tenantID, revisionConfig: { image_uri: IMAGE } });

/** One service with two tenants: four deployments of the first and two of the second. */
const GIVEN = {
  started: false,
  deployments: [
    ...OF_A.map((name) => live(name, TENANT_A)),
    ...['b1', 'b2'].map((name) => live(name, TENANT_B)),
  ],
  semantics: { auth: { kind: 'tenant-header', name: 'X-Tenant-Id' } },
  connection: as(TENANT_A),
} as const;

const made = (w: World): number => w.service.log.count('create');

/**
 * Both namespaces are at rest: team-a on a Connection, team-b on the ClusterConnection. Both connections are named
 * `default`.
 */
async function bothAtRest(w: World): Promise<void> {
  w.connectCluster(shared(TENANT_B));
  w.start();
  for (const name of [...OF_B, ...OF_A]) w.apply(SPEC, name);
  await w.pass(60);
  for (const name of [...OF_B, ...OF_A]) expect(w.state(name)).toBe(AT_REST);
}

describe('the ids that a ClusterConnection default is expected to list', () => {
  scenario(
    'exclude a namespace with its own Connection default: a creation continues (A3)',
    GIVEN,
    async (w) => {
      await bothAtRest(w);
      w.apply(MAKE, 'team-b/b3');
      await w.pass(60);
      expect(made(w)).toBe(1);
      expect(w.state('team-b/b3')).toBe(AT_REST);
      expect([w.connectionState(), w.clusterConnectionState()]).toEqual(['True/Ok', 'True/Ok']);
    },
  );

  scenario(
    'exclude a namespace with its own Connection default, after a restart too (A3)',
    GIVEN,
    async (w) => {
      await bothAtRest(w);
      w.restart();
      for (let seconds = 0; seconds < 120; seconds += 5) {
        await w.pass(5);
        expect(w.clusterConnectionState()).toBe('True/Ok');
        expect(w.state('team-b/b1')).toBe(AT_REST);
      }
    },
  );

  scenario(
    'exclude deployments bound through another connection, regardless of the owner’s current reference (A3)',
    GIVEN,
    async (w) => {
      await bothAtRest(w);
      const connectionRef = { kind: 'ClusterConnection', name: 'default' } as const;
      for (const name of OF_A) w.apply({ ...SPEC, connectionRef }, name);
      await w.pass(120);
      w.apply(MAKE, 'team-b/b3');
      await w.pass(60);
      w.restart();
      await w.pass(60);
      expect(w.state('team-b/b3')).toBe(AT_REST);
      expect(w.clusterConnectionState()).toBe('True/Ok');
    },
  );
});

describe('the ids that a Connection default is expected to list', () => {
  scenario('exclude deployments still bound through the ClusterConnection default (A3)', GIVEN, async (w) => {
    w.disconnect();
    w.connectCluster(shared(TENANT_A));
    w.start();
    for (const name of OF_A) w.apply(SPEC, name);
    await w.pass(60);
    w.connect(as(TENANT_B));
    w.apply(MAKE, 'b3');
    await w.pass(60);
    expect(w.condition('Synced', 'a1')).toBe('False/ConnectionChanged');
    w.restart();
    await w.pass(60);
    expect(made(w)).toBe(1);
    expect(w.state('b3')).toBe(AT_REST);
    expect([w.connectionState(), w.clusterConnectionState()]).toEqual(['True/Ok', 'True/Ok']);
  });
});
