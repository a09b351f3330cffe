import { describe, expect, test } from 'vitest';
import { API_VERSION } from '../../../src/api/metadata.ts';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import type { ServiceRequest } from '../../../src/service/http/exchange.ts';
import { NO_RATE_LIMIT } from '../../support/doubles/in-process-exchange.ts';
import { NAMESPACE, World } from '../support/world.ts';

const image = (tag: number) => ({ sourceRevisionConfig: { imageURI: `registry.example.com/agent:${tag}` } });
const onSlow = { connectionRef: { kind: 'Connection', name: 'slow' } } as const;
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `slow-${n}`);

/** Returns a world with one healthy resource at rest, and deployments for those of the connection beside it. */
async function withHealthy(slow: readonly string[]): Promise<World> {
  const w = new World({ deployments: ['healthy', ...slow].map((name) => ({ name })) });
  w.apply(image(1), 'healthy');
  await w.pass(60);
  expect(w.state('healthy')).toBe('True/InSync True/Active');
  return w;
}

function addSlow(w: World, name = 'slow', { concurrency } = NO_RATE_LIMIT): void {
  w.connections.apply({
    apiVersion: API_VERSION,
    kind: 'Connection',
    metadata: { name, namespace: NAMESPACE },
    spec: { baseURL: 'https://dms.example.com/api', rateLimit: { ...NO_RATE_LIMIT, concurrency } },
  });
}

/** Returns the milliseconds from an edit of the healthy resource to the arrival of its PATCH at the service. */
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

/** Makes requests of connections named slow hang for this long, and then fail without an answer. */
function hang(w: World, what: { afterMs: number; sent: 'no' | 'perhaps'; only?: ServiceRequest['method'] }) {
  w.moments.leaving = async ({ method }, { name }) => {
    if (!name.startsWith('slow') || (what.only !== undefined && method !== what.only)) return;
    await w.clock.sleep(what.afterMs);
    throw new ConnectionError('no answer came', { reason: 'Timeout', sent: what.sent });
  };
}

/** The ways in which a service hangs, as its connection meets them (test/service/http/http-exchange.long.test.ts). */
const HANGING = [
  ['while connecting', { afterMs: 5_000, sent: 'no' }],
  ['before its headers', { afterMs: 30_000, sent: 'perhaps' }],
  ['while its body drips', { afterMs: 30_000, sent: 'perhaps' }],
  ['on writes only', { afterMs: 30_000, sent: 'perhaps', only: 'PATCH' }],
] as const;

/**
 * The longest time from edit to PATCH of the healthy resource, after `trouble` has affected the connection beside it.
 */
async function longestAfter(slow: readonly string[], trouble: (w: World) => void): Promise<number> {
  const w = await withHealthy(slow);
  try {
    trouble(w);
    const times: number[] = [];
    for (let tag = 2; tag < 7; tag += 1) {
      await w.pass(tag * 3);
      times.push(await editToPatchMs(w, tag));
    }
    return Math.max(...times);
  } finally {
    w.kill();
  }
}

/** Edits every resource of the connection `slow`. */
function editAll(w: World, slow: readonly string[]): void {
  addSlow(w);
  for (const name of slow) w.apply({ ...image(2), ...onSlow }, name);
}

describe('edits beside a connection', () => {
  test.each(HANGING)('whose service hangs %s take no longer than alone (H59)', async (_where, how) => {
    const slow = names(100);
    const alone = await longestAfter(slow, () => undefined);
    const beside = await longestAfter(slow, (w) => {
      hang(w, how);
      editAll(w, slow);
    });
    expect(beside).toBeLessThanOrEqual(1.1 * alone);
  });

  test('whose gate a 429 has closed take no longer than alone (H59)', async () => {
    const slow = names(100);
    const alone = await longestAfter(slow, () => undefined);
    let gateClosed: (() => boolean) | undefined;
    const beside = await longestAfter(slow, (w) => {
      w.fault({ kind: 'status', status: 429, headers: { 'Retry-After': '300' } });
      editAll(w, slow);
      gateClosed = () => w.patches().filter(({ id }) => id !== w.kept('healthy').id).length < slow.length;
    });
    expect(gateClosed?.()).toBe(true);
    expect(beside).toBeLessThanOrEqual(1.1 * alone);
  });

  test('with 5,000 resources whose service hangs take no longer than alone (H59)', async () => {
    const alone = await longestAfter([], () => undefined);
    const beside = await longestAfter([], (w) => {
      hang(w, { afterMs: 30_000, sent: 'perhaps' });
      editAll(w, names(5_000));
    });
    expect(beside).toBeLessThanOrEqual(1.1 * alone);
  }, 60_000);
});

describe('edits beside many connections', () => {
  /** With this many connections, the total of their concurrent requests exceeds the number of workers. */
  const CONCURRENCY = 12;

  const TROUBLES: Readonly<Record<string, (w: World) => void>> = {
    'whose services hang': (w) => {
      hang(w, { afterMs: 30_000, sent: 'perhaps' });
    },
    'whose gates a 429 has closed': (w) => {
      const fault = { kind: 'status', status: 429, headers: { 'retry-after': '280' } } as const;
      w.service.faults.add({ match: { operation: 'patch' }, fault, times: 8 * CONCURRENCY });
    },
  };

  test.each(Object.entries(TROUBLES))(
    '%s while all their resources are edited take no longer than alone (C2)',
    async (_what, begin) => {
      const connections = Array.from({ length: 8 }, (_, k) => `slow-${k}`);
      const slow = connections.flatMap((on) =>
        Array.from({ length: 20 }, (_, n) => ({ on, name: `${on}-${n}` })),
      );
      const w = await withHealthy(slow.map(({ name }) => name));
      try {
        const edit = (tag: number): void => {
          for (const { on, name } of slow)
            w.apply({ ...image(tag), connectionRef: { kind: 'Connection', name: on } }, name);
        };
        for (const name of connections) addSlow(w, name, { ...NO_RATE_LIMIT, concurrency: CONCURRENCY });
        edit(1);
        await w.pass(200);
        begin(w);
        edit(2);
        await w.pass(2);
        w.service.faults.clear();
        for (let tag = 2; tag < 14; tag += 1) {
          await w.pass(3);
          expect(await editToPatchMs(w, tag)).toBeLessThan(1_000);
        }
      } finally {
        w.kill();
      }
    },
    60_000,
  );
});

describe('a 429 with Retry-After 5 to one of 200 resources that are edited at once', () => {
  test('delays every new request for five seconds; only requests in flight continue (H63)', async () => {
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
  }, 60_000);
});
