import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CONNECTION_FINALIZER } from '../../../src/api/connection.ts';
import type { Shard } from '../../../src/reconcile/shard/shard-connection-reconciler.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import type { ProcessModel } from '../../support/worlds/process-model.ts';
import { AGENT, NAMESPACE, World } from '../support/world.ts';

const [GOLD, BLUE] = ['ns/gold', 'ns/blue'];
const CONNECTION = { kind: 'Connection', namespace: NAMESPACE, name: 'default' };

let world: World;
let processes: ProcessModel[];
/** The remaining validity of each Lease. */
let leftMs: Map<string, number>;
/** The sender of each request, in order. */
let senders: string[];

beforeEach(() => {
  world = new World({ started: false });
  processes = [];
  leftMs = new Map();
  senders = [];
});

afterEach(async () => {
  for (const process of processes) await world.clock.runUntil(process.stop());
});

/**
 * Returns a controller that selects by `tier`, or everything. It uses the Lease of this name, unless it makes no
 * claims.
 */
function aShard(lease: string | undefined, tier?: string): ProcessModel {
  const sender = lease ?? tier ?? 'all';
  const shard: Shard = {
    selects: ({ metadata }) => tier === undefined || metadata.labels?.['tier'] === tier,
    claims: lease === undefined ? undefined : { ours: lease, leases: { leftMs: leftOf } },
  };
  const moments = { leaving: (): void => void senders.push(sender) };
  const process = world.another({ shard, moments });
  processes.push(process);
  return process;
}

const leftOf = async (lease: string): Promise<number> => leftMs.get(lease) ?? 0;

function label(tier: string | undefined): void {
  const existing = world.connections.peek(CONNECTION);
  world.connections.apply({
    ...{ apiVersion: 'dms-operator.dev/v1alpha1', kind: 'Connection' },
    metadata: { name: 'default', namespace: NAMESPACE, labels: tier === undefined ? {} : { tier } },
    spec: existing?.spec ?? { baseURL: 'https://dms.example.com/api', rateLimit: NO_RATE_LIMIT },
  });
}

const image = (version: number): { sourceRevisionConfig: { imageURI: string } } => ({
  sourceRevisionConfig: { imageURI: `registry.example.com/agent:${version}` },
});
const servedBy = (): string | undefined => world.connectionStatus().servedBy;

describe('a connection', () => {
  test('is served only by the shard that selects it', async () => {
    label('gold');
    aShard(GOLD, 'gold');
    aShard(BLUE, 'blue');
    world.apply(image(2));
    await world.pass(120);
    expect(servedBy()).toBe(GOLD);
    expect(new Set(senders)).toEqual(new Set([GOLD]));
    expect(world.state()).toContain('InSync');
  });

  test('costs one status write when a shard first serves it, and none after a restart or at rest', async () => {
    label('gold');
    const first = aShard(GOLD, 'gold');
    await world.pass(120);
    const { resourceVersion } = world.connections.peek(CONNECTION)?.metadata ?? {};
    expect(resourceVersion).toBeDefined();
    first.kill();
    aShard(GOLD, 'gold');
    await world.pass(300);
    expect(world.connections.peek(CONNECTION)?.metadata).toMatchObject({ resourceVersion });
    expect(senders.length).toBeGreaterThan(0);
  });

  test('is released when its label moves, and then claimed by the other shard, while edits continue', async () => {
    label('gold');
    aShard(GOLD, 'gold');
    aShard(BLUE, 'blue');
    leftMs.set(GOLD, 15_000).set(BLUE, 15_000);
    for (const [round, tier] of ['gold', 'blue', 'gold', 'blue'].entries()) {
      world.apply(image(round + 2));
      label(tier);
      world.apply({ ...image(round + 2), sourceConfig: { customURL: `https://${round}.example.com` } });
      await world.pass(150);
      expect(servedBy()).toBe(`ns/${tier}`);
      expect(world.state()).toContain('InSync');
    }
    const turns = senders.filter((sender, at) => sender !== senders[at - 1]);
    expect(turns).toEqual([GOLD, BLUE, GOLD, BLUE]);
    expect(world.service.log.maxInFlight()).toBe(1);
  });

  test('that two shards select is served by one, until that shard is gone', async () => {
    label('gold');
    leftMs.set(GOLD, 15_000);
    const gold = aShard(GOLD);
    await world.pass(10);
    aShard(BLUE);
    world.apply(image(2));
    await world.pass(200);
    expect(new Set(senders)).toEqual(new Set([GOLD]));
    const told = world.logger.lines.filter(
      ({ message }) => message === 'another controller serves a connection',
    );
    expect(told.map(({ fields }) => fields)).toEqual([
      { connection: 'Connection/team-a/default', lease: GOLD },
    ]);

    gold.kill();
    leftMs.set(GOLD, 0);
    world.apply(image(3));
    await world.pass(120);
    expect(servedBy()).toBe(BLUE);
    expect(world.patches().at(-1)?.body).toMatchObject({
      source_revision_config: { image_uri: 'registry.example.com/agent:3' },
    });
  });

  test('is returned by a shard that claimed it just as its holder came back', async () => {
    label('gold');
    const gold = aShard(GOLD);
    await world.pass(10);
    gold.kill();
    // The holder looks dead at the first read and alive at the second.
    let looks = 0;
    const leases = { leftMs: async () => ((looks += 1) === 1 ? 0 : 15_000) };
    const shard = { selects: () => true, claims: { ours: BLUE, leases } };
    const before = senders.length;
    const blue = world.another({ shard, moments: { leaving: () => void senders.push(BLUE) } });
    processes.push(blue);
    await world.pass(60);
    expect(servedBy()).toBe(GOLD);
    expect(senders.slice(before)).toEqual([]);
  });

  test('without claims is served by every shard that selects it', async () => {
    label('gold');
    aShard(undefined, 'gold');
    aShard(undefined, 'blue');
    world.apply(image(2));
    await world.pass(120);
    expect(new Set(senders)).toEqual(new Set(['gold']));
    label('blue');
    world.apply(image(3));
    await world.pass(120);
    expect(senders.at(-1)).toBe('blue');
    expect(world.state()).toContain('InSync');
    expect(servedBy()).toBeUndefined();
  });
});

/** The ClusterConnection of another controller, which holds it. */
describe('the finalizer of a ClusterConnection that another controller holds', () => {
  const SHARED = { kind: 'ClusterConnection', namespace: '', name: 'default' } as const;
  const finalizers = (): unknown => world.connections.peek(SHARED)?.metadata.finalizers;

  function aController(ours: string | undefined): void {
    world.connections.apply({
      ...{
        apiVersion: 'dms-operator.dev/v1alpha1',
        kind: 'ClusterConnection',
        metadata: { name: 'default' },
      },
      spec: { baseURL: 'https://dms.example.com/api', namespaceSelector: {} },
    });
    world.connections.edit(SHARED, (connection) => ({
      ...connection,
      metadata: { ...connection.metadata, finalizers: [CONNECTION_FINALIZER] },
      status: { servedBy: BLUE },
    }));
    leftMs.set(BLUE, 15_000);
    const shard: Shard = {
      selects: ({ kind }) => kind === 'Connection',
      claims: ours === undefined ? undefined : { ours, leases: { leftMs: leftOf } },
    };
    processes.push(world.another({ shard }));
  }

  test.each([GOLD, undefined])(
    'stays when a resource that could use it needs no connection any more',
    async (ours) => {
      label('gold');
      aController(ours);
      world.apply({ ...image(2), deletionPolicy: 'Delete' });
      await world.pass(120);
      world.apply({ ...image(2), deletionPolicy: 'Orphan' });
      await world.pass(120);
      expect(world.state()).toContain('InSync');
      expect(finalizers()).toEqual([CONNECTION_FINALIZER]);
    },
  );
});

describe('a deployment', () => {
  test('that was edited while no shard served its connection comes before deployments at rest', async () => {
    const names = ['rest-0', 'rest-1', 'rest-2', 'edited'];
    const rateLimit = { requestsPerSecond: 1, burst: 1, concurrency: 1 };
    world = new World({
      started: false,
      deployments: names.map((name) => ({ name })),
      connection: { rateLimit },
    });
    leftMs.set(BLUE, 15_000);
    const blue = aShard(BLUE);
    for (const name of names) world.apply(image(2), name);
    await world.pass(300);
    blue.kill();
    const before = world.patches().length;
    // All have something to send, and one of them has a new generation.
    for (const name of names) world.annotate('redeploy', 'once', name);
    world.apply(image(3), 'edited', { 'dms-operator.dev/redeploy': 'once' });
    aShard(GOLD);
    await world.pass(10);
    expect(world.patches()).toHaveLength(before);
    leftMs.set(BLUE, 0);
    await world.pass(60);
    // The first pass began before the others were known to wait.
    expect(world.patches()[before + 1]?.id).toBe(world.kept('edited').id);
  });

  test('of a connection without a shard causes no output', async () => {
    label('red');
    aShard(GOLD, 'gold');
    world.apply(image(2));
    await world.pass(300);
    expect(world.resource().status?.conditions).toBeUndefined();
    expect([senders, world.statusWrites]).toEqual([[], []]);
  });

  test('of a missing connection gets the same message from every shard', async () => {
    world.connections.remove(CONNECTION);
    aShard(GOLD, 'gold');
    aShard(BLUE, 'blue');
    world.apply(image(2));
    await world.pass(300);
    expect(world.condition('Ready')).toContain('ConnectionNotFound');
    expect(new Set(world.statusWrites.map(({ after }) => JSON.stringify(after))).size).toBe(1);
    expect(world.statusWrites.length).toBeLessThanOrEqual(2);
    expect(world.resource(AGENT).status?.deploymentID).toBeUndefined();
  });
});
