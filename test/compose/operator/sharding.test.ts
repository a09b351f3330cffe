import { describe, expect, test } from 'vitest';
import {
  CLUSTER_CONNECTION_KIND,
  CONNECTION_FINALIZER,
  type ConnectionResource,
} from '../../../src/api/connection.ts';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { shardOf } from '../../../src/compose/operator/sharding.ts';
import { parseLabelSelector } from '../../../src/model/connection/parse-label-selector.ts';
import type { Shard } from '../../../src/reconcile/shard/shard-connection-reconciler.ts';

const [OURS, THEIRS] = ['ns/ours', 'ns/theirs'];
const NOT_GOLD = 'tier!=gold';
const NO_LIMITS = { namespaces: [], shardSelector: undefined, dryRun: false };
const leases = { leftMs: async () => 0 };

interface Given {
  readonly kind?: 'Connection' | 'ClusterConnection';
  readonly selects?: readonly string[];
  readonly tier?: string;
  readonly servedBy?: string;
  readonly held?: boolean;
  readonly dryRun?: boolean;
}

function connection({ kind = CLUSTER_CONNECTION_KIND, tier, servedBy, held }: Given): ConnectionResource {
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name: 'shared',
      labels: tier === undefined ? {} : { tier },
      finalizers: held === true ? [CONNECTION_FINALIZER] : [],
    },
    spec: { baseURL: 'https://dms.example.com' },
    status: { servedBy },
  } as ConnectionResource;
}

function shard(
  namespaces: readonly string[],
  { selects = [], dryRun = false }: Given,
  ours: string | undefined,
): Shard | undefined {
  const shardSelector = { text: NOT_GOLD, selector: parseLabelSelector(NOT_GOLD) ?? {} };
  const access = { selects: (_: string, namespace: string) => selects.includes(namespace) };
  return shardOf({ namespaces, shardSelector, access, dryRun }, ours, leases);
}

describe('a controller for the namespace team-a', () => {
  test.each<[string, Given, boolean]>([
    ['every Connection', { kind: 'Connection' }, true],
    ['a ClusterConnection that selects its namespace', { selects: ['team-a', 'team-b'] }, true],
    ['no ClusterConnection that selects other namespaces', { selects: ['team-b'] }, false],
    ['none that it gave up', { selects: ['team-b'], servedBy: OURS }, false],
    ['one that it still holds', { selects: ['team-b'], servedBy: OURS, held: true }, true],
    ['none that it still holds, in a dry run', { servedBy: OURS, held: true, dryRun: true }, false],
    ['none that another one holds', { selects: ['team-b'], servedBy: THEIRS, held: true }, false],
    ['none of another shard', { selects: ['team-a'], tier: 'gold' }, false],
    ['none of another shard that it still holds', { tier: 'gold', servedBy: OURS, held: true }, false],
  ])('serves %s', (_, given, expected) => {
    expect(shard(['team-a'], given, OURS)?.selects(connection(given))).toBe(expected);
  });

  test('claims nothing without leader election, and serves the same connections', () => {
    const given = { selects: ['team-b'] };
    const made = shard(['team-a'], given, undefined);
    expect(made?.claims).toBeUndefined();
    expect(made?.selects(connection(given))).toBe(false);
    expect(made?.selects(connection({ ...given, held: true }))).toBe(false);
  });
});

test('a controller for all namespaces serves ClusterConnections that select none', () => {
  expect(shard([], {}, OURS)?.selects(connection({}))).toBe(true);
});

test('a controller without limits and without leader election is no shard', () => {
  expect(shardOf({ ...NO_LIMITS, access: { selects: () => false } }, undefined, leases)).toBeUndefined();
});
