import { describe, expect, test } from 'vitest';
import { API_VERSION } from '../../../src/api/metadata.ts';
import type { LoggedRequest } from '../../../src/simulator/api/request-log.ts';
import type { SemanticsPatch } from '../../../src/simulator/switches/semantics.ts';
import { NAMESPACE, World } from '../support/world.ts';

const CONCURRENCY = 4;
const PER_SECOND = 5;
const LATENCY_MS = 20;
const LONE = 'lone';
const MANY = Array.from({ length: 50 }, (_, n) => `many-${n}`);
/** Large enough to keep permits busy for minutes. */
const CROWD = Array.from({ length: 600 }, (_, n) => `many-${n}`);

/** Returns a world whose resources share one ClusterConnection: those of a busy team, and one of another team. */
function busyWorld(burst: number, names = MANY, semantics: SemanticsPatch = {}): World {
  const w = new World({
    started: false,
    // Deployments show both fields, so that edits are read by id before the rest of the list.
    deployments: [...names, LONE].map((name) => ({
      name,
      sourceConfig: { resource_spec: { cpu: 1 } },
      secrets: [{ name: 'TOKEN', value: 'hunter22' }],
    })),
    semantics: { latencyMs: LATENCY_MS, ...semantics },
  });
  w.connections.remove({ kind: 'Connection', namespace: NAMESPACE, name: 'default' });
  w.connections.apply({
    apiVersion: API_VERSION,
    kind: 'ClusterConnection',
    metadata: { name: 'default' },
    spec: {
      baseURL: 'https://dms.example.com/api',
      namespaceSelector: {},
      rateLimit: { requestsPerSecond: PER_SECOND, burst, concurrency: CONCURRENCY },
    },
  });
  w.start();
  return w;
}

function edit(w: World, namespace: string, name: string, tag: number): void {
  w.store.apply({
    apiVersion: API_VERSION,
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      source: 'external_container',
      sourceRevisionConfig: { imageURI: `registry.example.com/${name}:${tag}` },
    },
  });
}

/** Returns the number of PATCHes by other resources between the edit of the lone resource and its own PATCH. */
async function beforeTheLoneOne(burst: number): Promise<number> {
  const w = busyWorld(burst);
  try {
    for (const name of MANY) edit(w, NAMESPACE, name, 1);
    edit(w, 'team-b', LONE, 1);
    await w.pass(60);
    expect(w.patches()).toHaveLength(MANY.length + 1);
    for (const name of MANY) edit(w, NAMESPACE, name, 2);
    await w.pass(5.1);
    const before = w.patches().length;
    expect(MANY.length - (before - MANY.length), 'many wait').toBeGreaterThan(10);
    edit(w, 'team-b', LONE, 2);
    await w.pass(3);
    const sent = w.patches().slice(before);
    expect(sent.length, 'permits are used').toBeGreaterThan(10);
    return sent.findIndex(({ id }) => id === w.kept(LONE).id);
  } finally {
    w.kill();
  }
}

describe('an edit while another namespace has many waiting', () => {
  test.each([10, 1])('is sent with the next permit, where bursts have %i calls', async (burst) => {
    expect(await beforeTheLoneOne(burst)).toBe(0);
  });

  test('is not delayed by a read of its last rollout, which has low priority', async () => {
    const w = busyWorld(10, CROWD, { rollout: { kind: 'after', seconds: 600 } });
    try {
      for (const name of CROWD) edit(w, NAMESPACE, name, 1);
      edit(w, 'team-b', LONE, 1);
      await w.pass(30);
      const others: number[] = [];
      for (let tag = 2; tag < 12; tag += 1) {
        const before = w.patches().length;
        edit(w, 'team-b', LONE, tag);
        await w.pass(4.7);
        const own = w.patches().findIndex(({ id }, at) => at >= before && id === w.kept(LONE).id);
        others.push(own < 0 ? Number.POSITIVE_INFINITY : own - before);
      }
      expect(w.patches().length, 'the others still wait').toBeLessThan(CROWD.length);
      // One permit for the read, one for the write, and alternating turns.
      expect(Math.max(...others)).toBeLessThanOrEqual(4);
    } finally {
      w.kill();
    }
  });

  test('has the next permits for its read and its PATCH while startup reads a long list', async () => {
    const lone = Array.from({ length: 12 }, (_, n) => `lone-${n}`);
    const others = Array.from({ length: 3_000 }, (_, n) => `other-${n}`);
    const w = busyWorld(10, [...MANY, ...lone, ...others]);
    try {
      for (const name of MANY) edit(w, NAMESPACE, name, 1);
      for (const name of lone) edit(w, 'team-b', name, 1);
      await w.pass(100);
      w.kill();
      const from = w.service.log.requests().length;
      for (const name of MANY) edit(w, NAMESPACE, name, 2);
      w.start();
      // The burst is over.
      await w.pass(2.2);
      const until: string[] = [];
      for (const [at, name] of lone.entries()) {
        const before = w.service.log.requests().length;
        edit(w, 'team-b', name, 2);
        // Never in step with the permits.
        await w.pass(0.9 + at * 0.023);
        const calls = w.service.log.requests().slice(before);
        const own = calls.findIndex(({ id, operation }) => operation === 'patch' && id === w.kept(name).id);
        until.push(
          calls
            .slice(0, own + 1)
            .map(callText)
            .join(' '),
        );
      }
      const pages = w.service.log
        .requests()
        .slice(from)
        .filter((call) => callText(call) === 'page');
      expect(pages.length, 'the list is still being read').toBeLessThan(others.length / 100);
      // A page that began to wait before the edit may go first.
      for (const calls of until) expect(calls).toMatch(/^(?:page )?read patch$/);
      expect(until.filter((calls) => calls !== 'read patch').length).toBeLessThanOrEqual(2);
    } finally {
      w.kill();
    }
  });
});

function callText({ operation, query }: LoggedRequest): string {
  if (operation !== 'list') return operation;
  return query.includes('offset') ? 'page' : 'read';
}
