import { describe, expect, it } from 'vitest';
import type { Key } from '../../../src/api/metadata.ts';
import { ConnectionError, FailureError } from '../../../src/model/connection/failure.ts';
import type { Requeue } from '../../../src/model/outcome/outcome.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import { Backoff } from '../../../src/runtime/controller/backoff.ts';
import { Controller } from '../../../src/runtime/controller/controller.ts';
import type { ControllerOptions } from '../../../src/runtime/controller/controller.ts';
import { PassTimeoutError, ShutdownError } from '../../../src/runtime/controller/run-pass.ts';
import { WorkQueue } from '../../../src/runtime/queue/work-queue.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

const ON_CHANGE: Requeue = { kind: 'on-change' };

function key(name: string): Key {
  return { kind: 'Deployment', namespace: 'team', name };
}

type Reconcile = (key: Key, signal: AbortSignal) => Promise<Requeue>;

/** A running controller on a virtual clock, with its observable results. */
class Workshop {
  readonly clock = new VirtualClock({ startMs: 0 });
  readonly queue = new WorkQueue({ clock: this.clock });
  readonly logger = new MemoryLogger();
  readonly backoff = new Backoff({ clock: this.clock });
  readonly results: string[] = [];
  readonly starts: { readonly name: string; readonly atMs: number }[] = [];
  retries = 0;
  readonly controller: Controller;

  constructor(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
    this.controller = new Controller({
      name: 'deployments',
      queue: this.queue,
      reconciler: {
        reconcile: (found, signal) => {
          this.starts.push({ name: found.name, atMs: this.clock.now() });
          return reconcile(found, signal);
        },
      },
      backoff: this.backoff,
      clock: this.clock,
      logger: this.logger,
      workers: 2,
      passed: (_key, result, seconds) => this.results.push(`${result.kind} after ${seconds} s`),
      reporter: {
        added: () => {},
        started: () => {},
        finished: () => {},
        retried: () => (this.retries += 1),
      },
      ...options,
    });
    this.controller.start();
  }

  /** The start times of the passes over the single key of a test. */
  get startTimes(): readonly number[] {
    return this.starts.map((start) => start.atMs);
  }
}

describe('passes without a wait', () => {
  it('give the rest of the process a turn every few milliseconds', async () => {
    let nowMs = 1_000_000;
    let passes = 0;
    const passesAtTurns: number[] = [];
    const real = new VirtualClock();
    const clock: Clock = {
      now: () => nowMs,
      sleep: (ms, signal) => real.sleep(ms, signal),
      after: (ms, task) => real.after(ms, task),
      random: () => 0,
      turn: async () => void passesAtTurns.push(passes),
    };
    const reconcile = async (): Promise<Requeue> => {
      passes += 1;
      nowMs += 4;
      return ON_CHANGE;
    };
    const shop = new Workshop(reconcile, { clock, workers: 1 });
    for (let n = 0; n < 10; n += 1) shop.queue.add(key(`name-${n}`));
    await shop.clock.settle();
    expect(passesAtTurns).toEqual([1, 4, 7, 10]);
  });
});

describe('the return of a key', () => {
  it('does not happen until the key changes', async () => {
    const shop = new Workshop(async () => ON_CHANGE);
    shop.queue.add(key('one'));
    await shop.clock.advance(86_400_000);
    expect(shop.startTimes).toEqual([0]);
    shop.queue.add(key('one'));
    await shop.clock.settle();
    expect(shop.startTimes).toHaveLength(2);
  });

  it('happens after exactly the time that a rollout asks for', async () => {
    const answers: Requeue[] = [{ kind: 'after', ms: 10_000, priority: 'rollout' }];
    const shop = new Workshop(async () => answers.shift() ?? ON_CHANGE);
    shop.queue.add(key('one'));
    await shop.clock.advance(60_000);
    expect(shop.startTimes).toEqual([0, 10_000]);
  });

  it('varies by up to a fifth for resyncs', async () => {
    const shop = new Workshop(async () => ({ kind: 'after', ms: 100_000, priority: 'resync' }));
    for (let n = 0; n < 50; n += 1) shop.queue.add(key(`name-${n}`));
    await shop.clock.advance(121_000);
    const second = shop.startTimes.slice(50, 100);
    expect(Math.min(...second)).toBeGreaterThanOrEqual(80_000);
    expect(Math.max(...second)).toBeLessThanOrEqual(120_000);
    expect(Math.max(...second) - Math.min(...second)).toBeGreaterThan(30_000);
  });

  it('is spread evenly for ten thousand keys that began together', { timeout: 60_000 }, async () => {
    const shop = new Workshop(async () => ({ kind: 'after', ms: 600_000, priority: 'resync' }), {
      workers: 64,
    });
    for (let n = 0; n < 10_000; n += 1) shop.queue.add(key(`name-${n}`), 'resync');
    await shop.clock.settle();
    expect(shop.starts).toHaveLength(10_000);
    await shop.clock.advance(721_000);
    const perSecond = new Map<number, number>();
    for (const { atMs } of shop.starts.slice(10_000, 20_000)) {
      const second = Math.floor(atMs / 1_000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    expect(Math.max(...perSecond.values()), 'an even share is 42').toBeLessThan(100);
    expect(perSecond.size).toBeGreaterThan(230);
  });

  it('is delayed further by every failure, and starts again after a success', async () => {
    let failures = 0;
    const shop = new Workshop(async () => (failures++ < 6 ? { kind: 'backoff' } : ON_CHANGE));
    shop.queue.add(key('one'));
    await shop.clock.advance(600_000);
    const gaps = shop.startTimes.slice(1).map((atMs, n) => atMs - shop.startTimes[n]!);
    expect(gaps).toHaveLength(6);
    for (const [n, gap] of gaps.entries()) {
      expect(gap).toBeGreaterThanOrEqual(500);
      expect(gap).toBeLessThanOrEqual(500 * 2 ** (n + 1));
    }
    expect(shop.backoff.failures(key('one'))).toBe(0);
    expect(shop.retries).toBe(6);
  });

  it('takes at least as long as the service asked for', async () => {
    const answers: Requeue[] = [{ kind: 'backoff', atLeastMs: 90_000 }];
    const shop = new Workshop(async () => answers.shift() ?? ON_CHANGE);
    shop.queue.add(key('one'));
    await shop.clock.advance(89_999);
    expect(shop.startTimes).toHaveLength(1);
    await shop.clock.advance(1);
    expect(shop.startTimes).toHaveLength(2);
  });

  it('is immediate if the key changed during the pass, whatever the pass returned', async () => {
    const shop: Workshop = new Workshop(async (found) => {
      if (shop.starts.length === 1) shop.queue.add(found);
      return { kind: 'after', ms: 600_000, priority: 'resync' };
    });
    shop.queue.add(key('one'));
    await shop.clock.settle();
    expect(shop.startTimes).toEqual([0, 0]);
  });
});

describe('workers', () => {
  it('work on a fixed number of keys at the same time', async () => {
    const shop: Workshop = new Workshop(async () => {
      await shop.clock.sleep(1_000);
      return ON_CHANGE;
    });
    for (let n = 0; n < 5; n += 1) shop.queue.add(key(`name-${n}`));
    await shop.clock.advance(5_000);
    expect(shop.startTimes).toEqual([0, 0, 1_000, 1_000, 2_000]);
    expect(shop.results).toEqual(Array.from({ length: 5 }, () => 'answered after 1 s'));
  });

  it('cannot be started twice', () => {
    const shop = new Workshop(async () => ON_CHANGE);
    expect(() => shop.controller.start()).toThrow(/started before/);
  });
});

describe('a pass that throws', () => {
  it('is a bug when nobody expected it: logged with the error, tried again, and no worker is lost', async () => {
    const bug = new TypeError('cannot read properties of undefined');
    const shop = new Workshop(async (found) => {
      if (found.name === 'broken') throw bug;
      return ON_CHANGE;
    });
    for (const name of ['broken', 'fine', 'fine too', 'also fine']) shop.queue.add(key(name));
    await shop.clock.advance(400);
    expect(shop.starts.map((start) => start.name)).toEqual(['broken', 'fine', 'fine too', 'also fine']);
    expect(shop.results).toContain('panicked after 0 s');
    const [line] = shop.logger.lines;
    expect(line).toMatchObject({
      level: 'error',
      fields: { resource: 'Deployment/team/broken', error: bug },
    });
    await shop.clock.advance(600);
    expect(shop.starts.filter((start) => start.name === 'broken')).toHaveLength(2);
  });

  it('is a bug also if it throws before its first await', async () => {
    const shop = new Workshop(() => {
      throw new RangeError('at once');
    });
    shop.queue.add(key('one'));
    await shop.clock.settle();
    expect(shop.results).toEqual(['panicked after 0 s']);
  });

  const known = [
    {
      name: 'a transient failure',
      error: new FailureError('503', {
        kind: 'transient',
        reason: 'Retrying',
        sent: 'no',
        retryAfterMs: 70_000,
      }),
      comesBackAfterMs: 70_000,
    },
    {
      name: 'a missing dependency, wrapped by another error',
      error: new Error('store', {
        cause: new FailureError('no secret', {
          kind: 'waiting',
          reason: 'SecretMissing',
          sent: 'no',
          againInMs: 30_000,
        }),
      }),
      comesBackAfterMs: 30_000,
    },
    {
      name: 'a connection that asks for time',
      error: new ConnectionError('429', { reason: 'RateLimited', sent: 'no', retryAfterMs: 20_000 }),
      comesBackAfterMs: 20_000,
    },
  ];
  it.each(known)('is a failure if the reason is known: $name', async ({ error, comesBackAfterMs }) => {
    const shop = new Workshop(() => Promise.reject(error));
    shop.queue.add(key('one'));
    await shop.clock.advance(comesBackAfterMs - 1);
    expect(shop.results).toEqual(['failed after 0 s']);
    expect(shop.logger.messages('warn')).toEqual(['a pass failed']);
    await shop.clock.advance(1);
    expect(shop.starts).toHaveLength(2);
  });
});

describe('a pass that takes too long', () => {
  it('is aborted with a specific cause and tried again', async () => {
    const reasons: unknown[] = [];
    const shop: Workshop = new Workshop(
      async (_found, signal) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        await shop.clock.sleep(3_600_000, signal);
        return ON_CHANGE;
      },
      { passTimeoutMs: 30_000 },
    );
    shop.queue.add(key('one'));
    await shop.clock.advance(30_000);
    expect(reasons).toEqual([expect.any(PassTimeoutError)]);
    expect(shop.results).toEqual(['timeout after 30 s']);
    await shop.clock.advance(1_000);
    expect(shop.starts).toHaveLength(2);
  });

  it('keeps its key as long as it runs, even if it ignores the signal', async () => {
    const shop: Workshop = new Workshop(
      async () => {
        await shop.clock.sleep(60_000);
        return ON_CHANGE;
      },
      { passTimeoutMs: 30_000 },
    );
    shop.queue.add(key('one'));
    await shop.clock.advance(40_000);
    shop.queue.add(key('one'));
    await shop.clock.advance(19_000);
    expect(shop.starts).toHaveLength(1);
    await shop.clock.advance(1_000);
    expect(shop.results).toEqual(['answered after 60 s']);
    expect(shop.starts).toHaveLength(2);
  });

  it('is reported as unhealthy only if it does not end long after it was aborted', async () => {
    const shop = new Workshop(() => new Promise(() => {}), { passTimeoutMs: 300_000 });
    shop.queue.add(key('stuck'));
    await shop.clock.advance(899_000);
    expect(shop.controller.unhealthy()).toBeUndefined();
    await shop.clock.advance(1_000);
    expect(shop.controller.unhealthy()).toBe(
      'the pass over Deployment/team/stuck does not end: it began 900 s ago',
    );
  });

  it('leaves no timer behind if it ends in time', async () => {
    const shop = new Workshop(async () => ON_CHANGE);
    shop.queue.add(key('one'));
    await shop.clock.settle();
    expect(shop.clock.pendingTimers).toBe(0);
  });
});

describe('a stop', () => {
  it('takes no new work and lets running passes end', async () => {
    const shop: Workshop = new Workshop(
      async () => {
        await shop.clock.sleep(10_000);
        return { kind: 'after', ms: 1, priority: 'rollout' };
      },
      { workers: 1 },
    );
    shop.queue.add(key('running'));
    shop.queue.add(key('waiting'));
    await shop.clock.advance(1_000);
    await shop.clock.runUntil(shop.controller.stop(35_000));
    expect(shop.clock.now()).toBe(10_000);
    await shop.clock.advance(60_000);
    expect(shop.starts.map((start) => start.name)).toEqual(['running']);
    expect(shop.results).toEqual(['answered after 10 s']);
  });

  it('aborts running passes shortly before the deadline, with the cause of a shutdown', async () => {
    const reasons: unknown[] = [];
    const shop: Workshop = new Workshop(async (_found, signal) => {
      await shop.clock.sleep(3_600_000, signal).catch((error: unknown) => {
        reasons.push(error);
        throw error;
      });
      return ON_CHANGE;
    });
    shop.queue.add(key('slow'));
    await shop.clock.settle();
    await shop.clock.runUntil(shop.controller.stop(35_000));
    expect(shop.clock.now()).toBe(33_000);
    expect(reasons).toEqual([expect.any(ShutdownError)]);
    expect(shop.results).toEqual(['aborted after 33 s']);
    expect(shop.retries).toBe(0);
  });

  it('does not wait beyond the deadline for a pass that never ends', async () => {
    const shop = new Workshop(() => new Promise(() => {}), { passTimeoutMs: 600_000 });
    shop.queue.add(key('stuck'));
    await shop.clock.settle();
    await shop.clock.runUntil(shop.controller.stop(35_000));
    expect(shop.clock.now()).toBe(35_000);
    expect(shop.logger.messages('error')).toEqual(['passes did not end']);
  });

  it('ends at once if nothing runs', async () => {
    const shop = new Workshop(async () => ON_CHANGE);
    await shop.clock.runUntil(shop.controller.stop(35_000));
    expect(shop.clock.now()).toBe(0);
    expect(shop.clock.pendingTimers).toBe(0);
  });
});
