import { describe, expect, test } from 'vitest';
import { API_VERSION } from '../../src/api/metadata.ts';
import { NAMESPACE, World } from './support/world.ts';

const CONCURRENCY = 4;
const PER_SECOND = 5;
const LATENCY_MS = 20;
const LONE = 'lone';
const MANY = Array.from({ length: 50 }, (_, n) => `many-${n}`);

/** A world whose resources share one ClusterConnection; those of a team that is busy, and one of another team. */
function busyWorld(burst: number): World {
  const w = new World({
    started: false,
    deployments: [...MANY, LONE].map((name) => ({ name })),
    semantics: { latencyMs: LATENCY_MS },
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

/** PATCHes after an edit of the lone resource, in the midst of edits of everybody else: what went before its own. */
async function beforeTheLoneOne(
  burst: number,
): Promise<{ readonly others: number; readonly afterMs: number }> {
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
    const [next, ...later] = w.patches().slice(before);
    const own = later.find(({ id }) => id === w.kept(LONE).id);
    if (next === undefined || own === undefined) throw new Error('the lone edit was not sent');
    const earlier = [next, ...later].filter(({ beganMs }) => beganMs < own.beganMs);
    return { others: earlier.length, afterMs: own.beganMs - next.beganMs };
  } finally {
    w.kill();
  }
}

describe('an edit while another namespace has many waiting', () => {
  test('follows the next burst of permits at once, behind no more than may be called at once', async () => {
    expect(await beforeTheLoneOne(10)).toEqual({ others: CONCURRENCY, afterMs: LATENCY_MS });
  });

  test('where permits come one by one is sent with the second: the first makes room for its pass', async () => {
    expect(await beforeTheLoneOne(1)).toEqual({ others: 1, afterMs: 1000 / PER_SECOND });
  });
});
