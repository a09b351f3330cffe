import { describe, expect, it } from 'vitest';
import { clusterInformers, everyInformer } from '../../src/kubernetes/cluster-informers.ts';
import { ApiError } from '../../src/kubernetes/errors.ts';
import type { Query, Transport } from '../../src/kubernetes/exchange.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { VirtualClock } from '../../src/simulator/virtual-clock.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { endOfListLine } from '../support/scripted-list-watch.ts';

const NAMESPACES = Array.from({ length: 50 }, (_, number) => `team-${number}`);

/** An API server whose lists take a tenth of a second, and whose watches are silent; refuses what it is told to. */
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

async function started(refuses?: (path: string) => boolean): Promise<{
  readonly api: SlowApi;
  readonly logger: MemoryLogger;
  readonly stop: () => Promise<void>;
  readonly clock: VirtualClock;
}> {
  const clock = new VirtualClock();
  const api = new SlowApi(clock, refuses);
  const logger = new MemoryLogger();
  const informers = everyInformer(
    clusterInformers(
      { namespaces: NAMESPACES, operatorNamespace: 'dms-operator' },
      { transport: api, clock, logger },
    ),
  );
  const ending = new AbortController();
  const starting = Promise.all(informers.map((informer) => informer.start(ending.signal)));
  await clock.runUntil(starting);
  const stop = async (): Promise<void> => {
    ending.abort();
    await Promise.all(informers.map((informer) => informer.ended()));
    expect(clock.pendingTimers).toBe(0);
  };
  return { api, logger, stop, clock };
}

describe('informers over fifty namespaces', () => {
  it('make four lists at once, however many are due', async () => {
    const { api, stop } = await started();
    expect(api.lists).toHaveLength(4 * NAMESPACES.length + 4);
    expect(api.most).toBe(4);
    await stop();
  });

  it('say nothing of rights in the cluster that an installation of namespaces does not have', async () => {
    const { api, logger, clock, stop } = await started((path) => !path.includes('/namespaces/'));
    await clock.advance(3_600_000);
    expect(api.lists.filter((path) => path === '/api/v1/namespaces').length).toBeGreaterThan(100);
    expect(logger.messages('warn')).toEqual([]);
    await stop();
  });
});
