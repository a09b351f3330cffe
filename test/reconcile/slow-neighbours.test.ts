import { describe, expect, test } from 'vitest';
import { API_VERSION } from '../../src/api/metadata.ts';
import { ConnectionError } from '../../src/model/failure.ts';
import type { ServiceRequest } from '../../src/service/exchange.ts';
import { NO_RATE_LIMIT } from '../support/in-process-exchange.ts';
import { NAMESPACE, World } from './support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const onSlow = { connectionRef: { kind: 'Connection', name: 'slow' } } as const;
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `slow-${n}`);

/** A world with one healthy resource at rest, and deployments for those of the connection beside it. */
async function withHealthy(slow: readonly string[]): Promise<World> {
  const w = new World({ deployments: ['healthy', ...slow].map((name) => ({ name })) });
  w.apply(image(1), 'healthy');
  await w.pass(60);
  expect(w.state('healthy')).toBe('True/InSync True/Active');
  return w;
}

function addSlow(w: World): void {
  w.connections.apply({
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name: 'slow', namespace: NAMESPACE },
    spec: { baseURL: 'https://dms.example.com/api', rateLimit: NO_RATE_LIMIT },
  });
}

/** Milliseconds from an edit of the healthy resource until its PATCH reaches the service. */
async function editToPatchMs(w: World, tag: number): Promise<number> {
  const { id } = w.kept('healthy');
  const before = w.patches().length;
  const editedMs = w.clock.now();
  w.apply(image(tag), 'healthy');
  await w.pass(2);
  const own = w
    .patches()
    .slice(before)
    .find((patch) => patch.id === id);
  if (own === undefined) throw new Error('the edit of the healthy resource was not sent');
  return own.beganMs - editedMs;
}

/** From now on requests of the connection `slow` hang for so long, and then fail without an answer. */
function hang(w: World, what: { afterMs: number; sent: 'no' | 'perhaps'; only?: ServiceRequest['method'] }) {
  w.moments.leaving = async ({ method }, { name }) => {
    if (name !== 'slow' || (what.only !== undefined && method !== what.only)) return;
    await w.clock.sleep(what.afterMs);
    throw new ConnectionError('no answer came', { reason: 'Timeout', sent: what.sent });
  };
}

/** How a service may hang, as its connection meets it (test/service/transport.test.ts). */
const HANGING = [
  ['at connecting', { afterMs: 5_000, sent: 'no' }],
  ['before its headers', { afterMs: 30_000, sent: 'perhaps' }],
  ['while its body drips', { afterMs: 30_000, sent: 'perhaps' }],
  ['at writes alone', { afterMs: 30_000, sent: 'perhaps', only: 'PATCH' }],
] as const;

describe('an edit beside a connection', () => {
  test.each(HANGING)('whose service hangs %s takes no longer than alone (H59)', async (_where, how) => {
    const slow = names(100);
    const w = await withHealthy(slow);
    try {
      const alone = await editToPatchMs(w, 2);
      await w.pass(60);
      addSlow(w);
      hang(w, how);
      for (const name of slow) w.apply({ ...image(2), ...onSlow }, name);
      for (let tag = 3; tag < 8; tag += 1) {
        await w.pass(tag * 3);
        expect(await editToPatchMs(w, tag)).toBeLessThanOrEqual(1.1 * alone);
      }
    } finally {
      w.kill();
    }
  });

  test('whose gate a 429 has closed takes no longer than alone (H59)', async () => {
    const slow = names(100);
    const w = await withHealthy(slow);
    try {
      const alone = await editToPatchMs(w, 2);
      await w.pass(60);
      addSlow(w);
      w.fault({ kind: 'status', status: 429, headers: { 'Retry-After': '300' } });
      for (const name of slow) w.apply({ ...image(2), ...onSlow }, name);
      await w.pass(5);
      const waiting = slow.filter((name) => w.condition('Synced', name) === 'Unknown/ConnectionNotReady');
      expect(waiting.length).toBeGreaterThan(0);
      expect(await editToPatchMs(w, 3)).toBeLessThanOrEqual(1.1 * alone);
    } finally {
      w.kill();
    }
  });

  test('with 5,000 resources whose service hangs takes no longer than alone (H59)', async () => {
    const w = await withHealthy([]);
    try {
      const alone = await editToPatchMs(w, 2);
      await w.pass(60);
      hang(w, { afterMs: 30_000, sent: 'perhaps' });
      addSlow(w);
      for (const name of names(5_000)) w.apply({ ...image(2), ...onSlow }, name);
      await w.pass(20);
      expect(await editToPatchMs(w, 3)).toBeLessThanOrEqual(1.1 * alone);
      await w.pass(20);
      expect(await editToPatchMs(w, 4)).toBeLessThanOrEqual(1.1 * alone);
    } finally {
      w.kill();
    }
  }, 60_000);
});

describe('a 429 with Retry-After 5 to one of 200 resources that are edited at once', () => {
  test('lets nothing begin in the first five seconds but what was in flight (H63)', async () => {
    const many = names(200);
    const w = await withHealthy(many);
    try {
      w.connect({ rateLimit: { ...NO_RATE_LIMIT, concurrency: 4 } });
      w.fault({ kind: 'status', status: 429, headers: { 'Retry-After': '5' } });
      for (const name of many) w.apply(image(2), name);
      while (!w.service.log.requests().some(({ status }) => status === 429)) await w.clock.advance(1);
      const answeredMs = w.clock.now();
      const inFlight = w.service.log.requests().filter(({ endedMs }) => endedMs === undefined).length;
      expect(inFlight).toBeLessThanOrEqual(3);
      const sent = w.service.log.requests().length;
      await w.pass(4.9);
      expect(w.service.log.requests().length - sent, 'calls that began in the pause').toBe(0);
      expect(w.connectionState()).toBe('False/RateLimited');
      await w.pass(60);
      const [first] = w.service.log.requests().slice(sent);
      expect(first?.beganMs).toBeGreaterThanOrEqual(answeredMs + 4_990);
      expect(w.connectionState()).toBe('True/Ok');
      for (const name of many) expect(w.condition('Synced', name)).toBe('True/InSync');
      expect(w.patches().filter(({ status }) => status === 200)).toHaveLength(many.length + 1);
    } finally {
      w.kill();
    }
  });
});
