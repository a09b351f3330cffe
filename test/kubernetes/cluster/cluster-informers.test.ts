import { describe, expect, it } from 'vitest';
import { clusterInformers, everyInformer } from '../../../src/kubernetes/cluster/cluster-informers.ts';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import type { Query, Transport } from '../../../src/kubernetes/client/exchange.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';
import { endOfListLine } from '../../support/servers/scripted-list-watch.ts';

/** An API server whose lists take a tenth of a second and whose watches are silent. It refuses the given paths. */
class SlowApi implements Transport {
  readonly lists: string[] = [];
  underWay = 0;
  most = 0;
  readonly #clock: VirtualClock;
  readonly #refuses: (path: string) => boolean;

  constructor(clock: VirtualClock, refuses: (path: string) => boolean = () => false) {
    this.#clock = clock;
    this.#refuses = refuses;
  }

  request: Transport['request'] = async (_method, path, options) => {
    await this.#list(path, options?.signal);
    return { status: 200, headers: {}, json: { items: [], metadata: { resourceVersion: '7' } } };
  };

  async *watch(path: string, query: Query, signal: AbortSignal): AsyncGenerator<JsonObject> {
    if (query['sendInitialEvents'] === true) {
      await this.#list(path, signal);
      yield endOfListLine('7');
    }
    await this.#clock.sleep(3_600_000, signal);
  }

  async #list(path: string, signal: AbortSignal | undefined): Promise<void> {
    this.lists.push(path);
    this.most = Math.max(this.most, (this.underWay += 1));
    try {
      await this.#clock.sleep(100, signal);
      if (this.#refuses(path)) throw new ApiError('no', { kind: 'forbidden', status: 403 });
    } finally {
      this.underWay -= 1;
    }
  }

  async close(): Promise<void> {}
}

interface Running {
  readonly api: SlowApi;
  readonly clock: VirtualClock;
  readonly logger: MemoryLogger;
  /** Resolves when every kind was listed once. */
  readonly synced: Promise<unknown>;
  readonly stop: () => Promise<void>;
}

function started(namespaces: readonly string[], refuses?: (path: string) => boolean): Running {
  const clock = new VirtualClock();
  const api = new SlowApi(clock, refuses);
  const logger = new MemoryLogger();
  const informers = everyInformer(
    clusterInformers(
      { namespaces, operatorNamespace: 'dms-operator', heapBytes: 256 * 1024 * 1024 },
      { transport: api, clock, logger },
    ),
  );
  const ending = new AbortController();
  const synced = Promise.all(informers.map((informer) => informer.start(ending.signal)));
  const stop = async (): Promise<void> => {
    ending.abort();
    await synced.catch(() => undefined);
    await Promise.all(informers.map((informer) => informer.ended()));
    expect(clock.pendingTimers).toBe(0);
  };
  return { api, clock, logger, synced, stop };
}

it('informers over fifty namespaces make four lists at once, however many are due', async () => {
  const namespaces = Array.from({ length: 50 }, (_, number) => `team-${number}`);
  const { api, clock, synced, stop } = started(namespaces);
  await clock.runUntil(synced);
  expect(api.lists).toHaveLength(4 * namespaces.length + 4);
  expect(api.most).toBe(4);
  await stop();
});

describe('informers with rights in some namespaces only', () => {
  const HOUR_MS = 3_600_000;
  const NAMESPACES = ['team-a', 'team-b'];
  /** The paths that they still ask for. */
  const OUTSIDE = [
    '/apis/dms-operator.dev/v1alpha1/clusterconnections',
    '/api/v1/namespaces',
    '/api/v1/namespaces/dms-operator/secrets',
    '/api/v1/namespaces/dms-operator/configmaps',
  ];
  const isOutside = (path: string): boolean => OUTSIDE.includes(path);

  it('do not report the missing rights, and try again every few minutes', async () => {
    const { api, clock, logger, synced, stop } = started(NAMESPACES, isOutside);
    await clock.runUntil(synced);
    await clock.advance(HOUR_MS);
    const inTheFirstHour = api.lists.length;
    await clock.advance(4 * HOUR_MS);
    const later = api.lists.slice(inTheFirstHour).filter(isOutside);
    expect(new Set(later)).toEqual(new Set(OUTSIDE));
    // Each path between every 2.5 and every 10 minutes.
    expect(later.length).toBeGreaterThan(OUTSIDE.length * 24);
    expect(later.length).toBeLessThan(OUTSIDE.length * 60);
    expect(logger.messages('warn')).toEqual([]);
    await stop();
  });

  it('notice within ten minutes when such a right is granted', async () => {
    let granted = false;
    const { api, clock, synced, stop } = started(NAMESPACES, (path) => !granted && isOutside(path));
    await clock.runUntil(synced);
    await clock.advance(4 * HOUR_MS);
    granted = true;
    const before = api.lists.length;
    await clock.advance(601_000);
    expect(new Set(api.lists.slice(before).filter(isOutside))).toEqual(new Set(OUTSIDE));
    await stop();
  });

  it.each([
    '/apis/dms-operator.dev/v1alpha1/namespaces/team-a/connections',
    '/api/v1/namespaces/team-a/secrets',
    '/api/v1/namespaces/team-b/configmaps',
  ])('retry more than twice a minute for what they need: %s', async (path) => {
    const { api, clock, logger, stop } = started(NAMESPACES, (asked) => asked === path);
    await clock.advance(HOUR_MS);
    expect(api.lists.filter((asked) => asked === path).length).toBeGreaterThan(120);
    expect(logger.messages('warn')).toContain('list failed');
    await stop();
  });
});
