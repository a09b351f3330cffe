import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asDeployment } from '../../../src/kubernetes/objects/decoders.ts';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import type { Transport } from '../../../src/kubernetes/client/exchange.ts';
import { Informer } from '../../../src/kubernetes/watch/informer.ts';
import { DEPLOYMENTS } from '../../../src/kubernetes/objects/resource-type.ts';
import { stuckWatches } from '../../../src/kubernetes/watch/stuck-watches.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

const DAY_MS = 86_400_000;
const EMPTY = { status: 200, headers: {}, json: { items: [], metadata: { resourceVersion: '1' } } };

/** Rejects when the signal aborts, and never resolves. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

function silence(signal: AbortSignal): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: () => untilAborted(signal) }) };
}

const away = new ApiError('connection refused', { kind: 'network' });

describe('the health of watches', () => {
  let clock: VirtualClock;
  let ending: AbortController;

  beforeEach(() => {
    clock = new VirtualClock();
    ending = new AbortController();
  });
  afterEach(() => ending.abort());

  /** Returns the complaint about an informer that has used this transport for `afterMs`. */
  async function complaint(transport: Partial<Transport>, afterMs: number): Promise<string | undefined> {
    const informer = new Informer(
      { type: DEPLOYMENTS, namespaces: [''], decode: asDeployment, indexers: {} },
      {
        transport: {
          request: async () => EMPTY,
          watch: (_, __, signal) => silence(signal),
          close: async () => undefined,
          ...transport,
        },
        clock,
        logger: new MemoryLogger(),
      },
    );
    informer.start(ending.signal).catch(() => undefined);
    await clock.advance(afterMs);
    return stuckWatches([informer], clock.now());
  }

  it('is good while the API server is away: a restart would not help', async () => {
    expect(await complaint({ request: () => Promise.reject(away) }, DAY_MS)).toBeUndefined();
  });

  it('is good if nothing happens and the server sends no bookmarks', async () => {
    expect(await complaint({}, DAY_MS)).toBeUndefined();
  });

  it('is good while the API server asks for a long pause', async () => {
    const busy = new ApiError('busy', { kind: 'throttled', status: 429, retryAfterMs: 2 * DAY_MS });
    expect(await complaint({ request: () => Promise.reject(busy) }, DAY_MS)).toBeUndefined();
  });

  it('is bad when a request neither ends nor is aborted', async () => {
    const hanging = { request: () => new Promise<never>(() => undefined) };
    expect(await complaint(hanging, 20 * 60_000)).toBeUndefined();
    await clock.advance(20 * 60_000);
    const text = 'nothing was heard of or asked about Deployment for half an hour';
    expect(await complaint(hanging, 40 * 60_000)).toBe(text);
  });

  it('is good before any informer was started', () => {
    expect(stuckWatches([{ type: DEPLOYMENTS, lastAliveMs: undefined }], DAY_MS)).toBeUndefined();
  });
});
