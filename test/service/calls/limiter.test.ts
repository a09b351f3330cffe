import { describe, expect, test } from 'vitest';
import type { ConnectionSettings } from '../../../src/model/connection/connection.ts';
import type { CallPriority, HesitantCaller, PassedUp } from '../../../src/ports/service/external-client.ts';
import { Limiter } from '../../../src/service/calls/limiter.ts';
import { PATIENCE } from '../../../src/service/calls/turns.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

type RateLimit = ConnectionSettings['rateLimit'];

/** The default limit of a connection: 5 calls a second, bursts of 10, 4 at once. */
const DEFAULT: RateLimit = { requestsPerSecond: 5, burst: 10, concurrency: 4 };
const WIDE: RateLimit = { requestsPerSecond: 1_000, burst: 1_000, concurrency: 100 };

class Bench {
  readonly clock = new VirtualClock();
  readonly limiter: Limiter;
  readonly waits: number[] = [];
  /** The start time of each call, in milliseconds since the start of the bench. */
  readonly began: number[] = [];
  readonly order: string[] = [];
  readonly #startMs = this.clock.now();
  running = 0;
  /** The largest number of calls that ran at the same time. */
  most = 0;

  constructor(rateLimit: RateLimit = DEFAULT) {
    this.limiter = new Limiter(rateLimit, { clock: this.clock, onPermit: (ms) => this.waits.push(ms) });
  }

  /** Sets the wall clock back. Timers keep running unchanged. */
  setBack(ms: number): void {
    const shown = this.clock.now.bind(this.clock);
    this.clock.now = () => shown() - ms;
  }

  /** Makes timers fire late from now on, as in a busy process. */
  delayTimers(ms: number): void {
    const after = this.clock.after.bind(this.clock);
    this.clock.after = (afterMs, task) => after(afterMs + ms, task);
  }

  /** Lets time pass, and runs everything that becomes due. */
  pass(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  /** Makes a call that takes `ms`. Returns how it ended as a text, and never throws. */
  call(
    name = 'call',
    {
      priority = 'resync',
      namespace = 'team-a',
      patience,
      ms = 0,
      signal = new AbortController().signal,
    }: {
      readonly priority?: CallPriority;
      readonly namespace?: string;
      readonly patience?: number;
      readonly ms?: number;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<string> {
    const task = async (): Promise<string> => {
      this.began.push(this.clock.now() - this.#startMs);
      this.order.push(name);
      this.running += 1;
      this.most = Math.max(this.most, this.running);
      await this.clock.sleep(ms);
      this.running -= 1;
      return `${name} ended`;
    };
    return this.limiter
      .run({ priority, namespace, patience }, task, signal)
      .catch((error: unknown) => String(error));
  }

  /** Offers a permit to a call that decides again when the permit is free. The call notes its name when it begins. */
  offer(name: string, caller: Omit<HesitantCaller, 'priority'>): Promise<string | PassedUp> {
    const task = async (): Promise<string> => {
      this.began.push(this.clock.now() - this.#startMs);
      this.order.push(name);
      return `${name} ended`;
    };
    return this.limiter.offer({ priority: 'user', ...caller }, task, new AbortController().signal);
  }
}

describe('the window', () => {
  test('lets a burst of ten calls start, and never more than ten in any two seconds', async () => {
    const bench = new Bench();
    for (let n = 0; n < 45; n += 1) void bench.call();
    await bench.pass(20_000);
    expect(bench.began).toHaveLength(45);
    expect(bench.began[9]).toBeLessThan(10);
    expect(bench.began[10]).toBe(2_000);
    for (const from of bench.began) {
      const within = bench.began.filter((ms) => ms >= from && ms < from + 2_000);
      expect(within.length, `from ${from} ms`).toBeLessThanOrEqual(10);
    }
  });

  test('slides: calls spread over it free their permits one by one', async () => {
    const bench = new Bench({ ...DEFAULT, burst: 2, requestsPerSecond: 1 });
    void bench.call();
    await bench.pass(1_500);
    void bench.call();
    await bench.pass(500);
    void bench.call();
    await bench.pass(1_500);
    void bench.call();
    await bench.pass(10_000);
    expect(bench.began).toEqual([0, 1_500, 2_000, 3_500]);
  });

  test('spaces its permits evenly after it was full, as long as a caller waits', async () => {
    const bench = new Bench({ requestsPerSecond: 10, burst: 5, concurrency: 5 });
    for (let n = 0; n < 8; n += 1) void bench.call();
    await bench.pass(10_000);
    expect(bench.began).toEqual([0, 0, 0, 0, 0, 500, 600, 700]);
    for (let n = 0; n < 5; n += 1) void bench.call();
    await bench.pass(1);
    expect(bench.began.slice(8), 'a burst after a pause').toEqual([10_000, 10_000, 10_000, 10_000, 10_000]);
  });

  test('loses no permits to late timers', async () => {
    const bench = new Bench({ requestsPerSecond: 10, burst: 20, concurrency: 20 });
    bench.delayTimers(15);
    for (let n = 0; n < 220; n += 1) void bench.call();
    await bench.pass(60_000);
    expect(bench.began).toHaveLength(220);
    // Each window may be late once, but not each permit.
    expect(bench.began.at(-1)).toBeLessThan(22_000 * 1.01);
    for (const from of bench.began) {
      const within = bench.began.filter((ms) => ms >= from && ms < from + 2_000);
      expect(within.length, `from ${from} ms`).toBeLessThanOrEqual(20);
    }
  });

  test('reports how long each call waited for its permit', async () => {
    const bench = new Bench({ ...DEFAULT, burst: 1, requestsPerSecond: 1 });
    for (let n = 0; n < 3; n += 1) void bench.call();
    await bench.pass(3_000);
    expect(bench.waits).toEqual([0, 1_000, 2_000]);
  });
});

describe('the limit of concurrent calls', () => {
  test('is never exceeded', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 4 });
    for (let n = 0; n < 10; n += 1) void bench.call('call', { ms: 1_000 });
    await bench.pass(0);
    expect(bench.began).toHaveLength(4);
    expect(bench.limiter.waiting).toBe(6);
    await bench.pass(1_000);
    expect(bench.began).toHaveLength(8);
  });

  test('counts a call until it has really ended, even if its caller gave it up', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    const caller = new AbortController();
    const ended = bench.call('first', { ms: 1_000, signal: caller.signal });
    void bench.call('second');
    await bench.pass(100);
    caller.abort(new Error('given up'));
    await bench.pass(100);
    expect(bench.order).toEqual(['first']);
    await bench.pass(1_000);
    expect(bench.order).toEqual(['first', 'second']);
    // A write that began may have been applied. So its result is returned, and not the reason for giving it up.
    expect(await ended).toBe('first ended');
  });
});

describe('a call of low urgency', () => {
  /** Makes calls one at a time: one of resync priority, one of rollout priority, and then many of user priority. */
  async function behindMany(bench: Bench, signal?: AbortSignal): Promise<void> {
    void bench.call('running', { ms: 10 });
    void bench.call('resync', signal === undefined ? {} : { signal });
    void bench.call('rollout', { priority: 'rollout' });
    for (let n = 0; n < 3 * PATIENCE; n += 1) void bench.call('user', { priority: 'user', ms: 1 });
    await bench.clock.settle();
  }

  test('is passed over a fixed number of times and no more', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    await behindMany(bench);
    await bench.pass(1_000);
    expect(bench.order.indexOf('rollout')).toBe(PATIENCE + 1);
    expect(bench.order.indexOf('resync')).toBe(PATIENCE + 2);
    expect(bench.order).toHaveLength(3 * PATIENCE + 3);
  });

  test('is passed over less or more often if it sets its own patience', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    void bench.call('running', { ms: 10 });
    void bench.call('patient', { patience: 2 * PATIENCE });
    void bench.call('hasty', { patience: 5 });
    for (let n = 0; n < 3 * PATIENCE; n += 1) void bench.call('user', { priority: 'user', ms: 1 });
    await bench.pass(1_000);
    expect(bench.order.indexOf('hasty')).toBe(6);
    expect(bench.order.indexOf('patient')).toBe(2 * PATIENCE + 2);
  });

  test('gets its turn however often calls of its own urgency go before it', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    void bench.call('running', { ms: 10 });
    void bench.call('patient', { patience: 2 * PATIENCE });
    for (let n = 0; n < 5 * PATIENCE; n += 1) void bench.call('user', { priority: 'user', ms: 1 });
    for (let n = 0; n < 5; n += 1) void bench.call('hasty', { patience: 20 });
    await bench.pass(1_000);
    expect(bench.order.indexOf('patient')).toBeLessThan(4 * PATIENCE);
  });

  test('leaves no gap if its caller gives up', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    const giveUp = new AbortController();
    await behindMany(bench, giveUp.signal);
    giveUp.abort(new Error('gave up'));
    await bench.pass(1_000);
    expect(bench.order).not.toContain('resync');
    expect(bench.order).toHaveLength(3 * PATIENCE + 2);
  });
});

test('the most urgent call goes first, and equally urgent calls go in order', async () => {
  const bench = new Bench({ ...WIDE, concurrency: 1 });
  void bench.call('running', { ms: 10 });
  for (const priority of ['resync', 'rollout', 'user', 'resync', 'user'] as const) {
    void bench.call(`${priority} ${bench.limiter.waiting}`, { priority, ms: 10 });
  }
  await bench.pass(100);
  expect(bench.order).toEqual(['running', 'user 2', 'user 4', 'rollout 1', 'resync 0', 'resync 3']);
});

describe('a caller that gives up', () => {
  test('leaves the queue with its own reason if it was waiting', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    const caller = new AbortController();
    void bench.call('running', { ms: 1_000 });
    const waiting = bench.call('waiting', { signal: caller.signal });
    await bench.pass(1);
    caller.abort(new Error('given up'));
    await bench.pass(0);
    expect(await waiting).toBe('Error: given up');
    expect(bench.limiter.waiting).toBe(0);
    await bench.pass(4_000);
    expect(bench.order).toEqual(['running']);
  });

  test('never enters the queue if it gave up before it asked', async () => {
    const bench = new Bench();
    expect(await bench.call('late', { signal: AbortSignal.abort(new Error('given up')) })).toBe(
      'Error: given up',
    );
    expect(bench.order).toEqual([]);
  });
});

describe('the gate', () => {
  test('lets no call start, however urgent, until the time is over (H63)', async () => {
    const bench = new Bench(WIDE);
    bench.limiter.refused('RateLimited', 5_000);
    for (const priority of ['resync', 'user', 'rollout'] as const) void bench.call(priority, { priority });
    await bench.pass(4_999);
    expect(bench.order).toEqual([]);
    expect(bench.limiter.gateMs).toBe(1);
    await bench.pass(1);
    expect(bench.limiter.gateMs).toBe(0);
    // The calls are spaced, so that a service that asked for fewer calls does not get all waiting calls at once.
    expect(bench.order).toEqual(['user']);
    await bench.pass(4_000);
    expect(bench.order).toEqual(['user', 'rollout', 'resync']);
  });

  test('lets running calls end', async () => {
    const bench = new Bench(WIDE);
    const running = bench.call('running', { ms: 100 });
    await bench.pass(1);
    bench.limiter.refused('RateLimited', 5_000);
    await bench.pass(100);
    expect(await running).toBe('running ended');
  });

  test('does not open earlier for a shorter pause, and opens later for a longer one', async () => {
    const bench = new Bench(WIDE);
    bench.limiter.refused('RateLimited', 5_000);
    bench.limiter.refused('RateLimited', 1_000);
    expect(bench.limiter.gateMs).toBe(5_000);
    bench.limiter.refused('Unreachable', 9_000);
    expect([bench.limiter.gateMs, bench.limiter.gateReason]).toEqual([9_000, 'Unreachable']);
    void bench.call();
    await bench.pass(8_999);
    expect(bench.order).toEqual([]);
    await bench.pass(1);
    expect(bench.order).toHaveLength(1);
  });

  test('stays closed longer after each refusal without a time, until a call is accepted', async () => {
    const bench = new Bench(WIDE);
    const pauses: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      bench.limiter.refused('RateLimited', undefined);
      pauses.push(bench.limiter.gateMs);
      await bench.pass(bench.limiter.gateMs);
    }
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(500);
    pauses.forEach((ms, n) => expect(ms).toBeLessThanOrEqual(500 + 500 * 2 ** (n + 1)));
    expect(Math.max(...pauses)).toBeGreaterThan(2_000);
    bench.limiter.accepted();
    bench.limiter.refused('RateLimited', undefined);
    expect(bench.limiter.gateMs).toBeLessThanOrEqual(1_500);
  });

  test('counts the refusals of calls that ran together as one', () => {
    const bench = new Bench(WIDE);
    for (let n = 0; n < 20; n += 1) bench.limiter.refused('RateLimited', undefined);
    expect(bench.limiter.gateMs).toBeLessThanOrEqual(1_500);
  });
});

describe('the pace after refusals', () => {
  /** Lets calls begin, of which the service refuses the last one, and lets the pause pass. */
  async function refused(bench: Bench, calls: number, statedMs: number | undefined): Promise<number> {
    const before = bench.began.length;
    for (let n = 0; n < calls; n += 1) void bench.call();
    while (bench.began.length < before + calls) await bench.pass(10);
    if (calls > 1) bench.limiter.accepted();
    bench.limiter.refused('RateLimited', statedMs);
    await bench.pass(bench.limiter.gateMs);
    return bench.limiter.apartMs;
  }

  test('is half of the rate, without bursts', async () => {
    const bench = new Bench();
    expect(bench.limiter.apartMs).toBe(200);
    expect(await refused(bench, 8, 1_000)).toBe(400);
    const [before, fromMs] = [bench.began.length, bench.began[7] ?? 0];
    for (let n = 0; n < 4; n += 1) void bench.call();
    await bench.pass(5_000);
    const [first = 0, ...others] = bench.began.slice(before);
    expect(first).toBeGreaterThanOrEqual(fromMs + 1_000);
    expect(others).toEqual([first + 400, first + 800, first + 1_200]);
  });

  test('is half of the rate at which calls were made, if that is lower', async () => {
    expect(await refused(new Bench(WIDE), 4, 1_000)).toBe(500);
  });

  test('rises with accepted calls to the configured rate, with its bursts, and no further', async () => {
    const bench = new Bench();
    await refused(bench, 8, 1_000);
    for (let n = 0; n < 20; n += 1) bench.limiter.accepted();
    expect(bench.limiter.apartMs).toBeGreaterThan(200);
    for (let n = 0; n < 500; n += 1) bench.limiter.accepted();
    expect(bench.limiter.apartMs).toBe(200);
    await bench.pass(5_000);
    const before = bench.began.length;
    for (let n = 0; n < 10; n += 1) void bench.call();
    await bench.pass(5);
    expect(bench.began).toHaveLength(before + 10);
    expect(await refused(bench, 8, 1_000)).toBe(400);
  });

  test.each([
    ['two stated pauses', 3_000, 6_000],
    ['two seconds, if the stated pause is shorter than one', 200, 2_000],
    ['ten seconds without a stated pause', undefined, 10_000],
  ] as const)('is one call in %s at least', async (_, statedMs, mostMs) => {
    const bench = new Bench();
    const paces: number[] = [];
    while (paces.at(-1) !== 200) paces.push(await refused(bench, 2, statedMs));
    expect(Math.max(...paces)).toBe(mostMs);
  });

  test('has the longest of the pauses that were stated since it is slow as its bound', async () => {
    const bench = new Bench();
    const paces = [await refused(bench, 2, 3_000)];
    // The service states what is left of its window.
    while (paces.at(-1) !== 200) paces.push(await refused(bench, 2, 100));
    expect(Math.max(...paces)).toBe(6_000);
  });

  test('stays if the first call after a pause is refused', async () => {
    const bench = new Bench();
    const pace = await refused(bench, 2, 1_000);
    for (let n = 0; n < 20; n += 1) expect(await refused(bench, 1, 1_000)).toBe(pace);
  });

  test('returns in minutes after long stated pauses, though few calls are accepted', async () => {
    const bench = new Bench();
    for (let n = 0; n < 6; n += 1) await refused(bench, 2, 60_000);
    expect(bench.limiter.apartMs).toBeGreaterThan(25_000);
    const fromMs = bench.clock.now();
    while (bench.limiter.apartMs > 10_000) {
      await Promise.all([bench.call(), bench.pass(bench.limiter.apartMs)]);
      bench.limiter.accepted();
    }
    expect(bench.clock.now() - fromMs).toBeLessThan(900_000);
  });

  test('is the configured one for ten minutes after slowing it did not help', async () => {
    const bench = new Bench();
    while ((await refused(bench, 2, 1_000)) !== 200);
    for (let n = 0; n < 5; n += 1) expect(await refused(bench, 8, 1_000)).toBe(200);
    await bench.pass(600_000);
    expect(await refused(bench, 8, 1_000)).toBe(400);
  });

  test('does not depend on calls from before it was slowed, nor on a service that fails', async () => {
    const bench = new Bench();
    await refused(bench, 8, 1_000);
    await bench.pass(1_000);
    bench.limiter.refused('RateLimited', 1_000, bench.clock.now() - 2_500);
    await bench.pass(1_000);
    bench.limiter.refused('Unreachable', 1_000);
    expect(bench.limiter.apartMs).toBe(400);
  });

  test('is the configured one again when the limits change', async () => {
    const bench = new Bench();
    await refused(bench, 8, 1_000);
    bench.limiter.change({ ...DEFAULT, requestsPerSecond: 4 });
    expect(bench.limiter.apartMs).toBe(250);
  });
});

describe('changed limits', () => {
  test('apply to callers that already wait', async () => {
    const bench = new Bench({ ...DEFAULT, burst: 1, requestsPerSecond: 0.1 });
    const calls = [bench.call('a'), bench.call('b'), bench.call('c')];
    await bench.pass(1);
    expect(bench.order).toEqual(['a']);
    bench.limiter.change(WIDE);
    await bench.pass(1);
    expect(await Promise.all(calls)).toEqual(['a ended', 'b ended', 'c ended']);
  });

  test('leave a closed gate closed', async () => {
    const bench = new Bench(DEFAULT);
    bench.limiter.refused('RateLimited', 5_000);
    bench.limiter.change(WIDE);
    void bench.call();
    await bench.pass(4_999);
    expect(bench.order).toEqual([]);
    await bench.pass(1);
    expect(bench.order).toHaveLength(1);
  });

  test('count calls begun under the old limits, so that no window holds more than either limit allows', async () => {
    const bench = new Bench({ requestsPerSecond: 5, burst: 10, concurrency: 100 });
    for (let n = 0; n < 40; n += 1) void bench.call();
    await bench.pass(500);
    expect(bench.began).toHaveLength(10);
    for (let n = 0; n < 3; n += 1) {
      bench.limiter.change({ requestsPerSecond: 10, burst: 10 - n, concurrency: 100 });
      bench.limiter.change({ requestsPerSecond: 5, burst: 10, concurrency: 100 });
    }
    await bench.pass(1_499);
    expect(bench.began, 'still within two seconds of the burst').toHaveLength(10);
    await bench.pass(1);
    expect(bench.began).toHaveLength(11);
    await bench.pass(1_999);
    expect(bench.began).toHaveLength(20);
    bench.limiter.change({ requestsPerSecond: 1, burst: 2, concurrency: 100 });
    await bench.pass(1_600);
    expect(bench.began, 'two have begun within two seconds').toHaveLength(20);
    await bench.pass(400);
    expect(bench.began).toHaveLength(21);
  });

  test('count calls from long before if the burst is larger than it was', async () => {
    const bench = new Bench({ requestsPerSecond: 5, burst: 10, concurrency: 100 });
    for (let n = 0; n < 45; n += 1) {
      void bench.call();
      await bench.pass(210);
    }
    bench.limiter.change({ requestsPerSecond: 5, burst: 50, concurrency: 100 });
    for (let n = 0; n < 60; n += 1) void bench.call();
    await bench.pass(10_000);
    for (const [at, ms] of bench.began.entries()) {
      const fiftyBefore = bench.began[at - 50];
      if (fiftyBefore !== undefined) expect(ms - fiftyBefore).toBeGreaterThanOrEqual(10_000);
    }
    expect(bench.began.length).toBeGreaterThan(50);
  });

  test('of concurrent calls let running calls end first, even if more run than are now allowed', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 4 });
    for (let n = 0; n < 12; n += 1) void bench.call(`call ${n}`, { ms: 100 * (n + 1) });
    await bench.pass(10);
    bench.limiter.change({ ...WIDE, concurrency: 2 });
    await bench.pass(195);
    expect([bench.running, bench.order.length], 'two have ended, two run on').toEqual([2, 4]);
    await bench.pass(100);
    expect([bench.running, bench.order.length]).toEqual([2, 5]);
    bench.limiter.change({ ...WIDE, concurrency: 6 });
    await bench.pass(0);
    expect(bench.running).toBe(6);
    expect(bench.most).toBe(6);
  });

  test('do not lose a caller that gives up at that moment', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    const caller = new AbortController();
    void bench.call('running', { ms: 1_000 });
    const waiting = bench.call('waiting', { signal: caller.signal });
    await bench.pass(1);
    bench.limiter.change({ ...DEFAULT, concurrency: 1 });
    caller.abort(new Error('given up'));
    await bench.pass(10);
    expect(await waiting).toBe('Error: given up');
  });
});

describe('a wall clock that is set back by an hour', () => {
  test('delays no call for longer than the window lasts', async () => {
    const bench = new Bench({ ...DEFAULT, burst: 2, requestsPerSecond: 1 });
    void bench.call();
    await bench.pass(500);
    bench.setBack(3_600_000);
    for (const name of ['b', 'c', 'd']) void bench.call(name);
    await bench.pass(4_500);
    expect(bench.order).toEqual(['call', 'b', 'c', 'd']);
  });

  test('costs no more than another window while the window is full', async () => {
    const bench = new Bench({ ...DEFAULT, burst: 1, requestsPerSecond: 1 });
    for (const name of ['a', 'b', 'c']) void bench.call(name);
    await bench.pass(500);
    bench.setBack(3_600_000);
    await bench.pass(3_500);
    expect(bench.order).toEqual(['a', 'b', 'c']);
  });

  test('leaves the gate closed for at most the requested pause, once more', async () => {
    const bench = new Bench(WIDE);
    bench.limiter.refused('RateLimited', 5_000);
    void bench.call();
    await bench.pass(1_000);
    bench.setBack(3_600_000);
    expect(bench.limiter.gateMs).toBe(5_000);
    await bench.pass(3_999);
    expect(bench.order).toEqual([]);
    await bench.pass(5_001);
    expect(bench.order).toEqual(['call']);
  });
});

describe('namespaces of equal urgency', () => {
  const urgent = (namespace: string) => ({ priority: 'user', namespace, ms: 10 }) as const;

  test('take turns: one call passes the calls of a namespace with many waiting', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    for (let n = 0; n < 6; n += 1) void bench.call(`many ${n}`, urgent('many'));
    await bench.pass(25);
    void bench.call('lone', urgent('lone'));
    void bench.call('second lone', urgent('lone'));
    await bench.pass(100);
    expect(bench.order).toEqual([
      ...['many 0', 'many 1', 'many 2', 'lone', 'many 3', 'second lone', 'many 4', 'many 5'],
    ]);
  });

  test('are served first if they have one call only, so that a read and a PATCH wait for one turn', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    for (let n = 0; n < 6; n += 1) void bench.call(`many ${n}`, urgent('many'));
    await bench.pass(25);
    void bench.call('read', urgent('lone'));
    await bench.pass(10);
    // The answer to the read arrives, and the caller that waited for it asks at once.
    void bench.call('patch', urgent('lone'));
    await bench.pass(100);
    expect(bench.order).toEqual([
      'many 0',
      'many 1',
      'many 2',
      'read',
      'patch',
      'many 3',
      'many 4',
      'many 5',
    ]);
  });

  test('owe nothing for calls that were made while no call waited', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    for (let n = 0; n < 3; n += 1) {
      void bench.call(`early ${n}`, urgent('early'));
      await bench.pass(20);
    }
    void bench.call('running', urgent('other'));
    for (const name of ['a', 'b']) void bench.call(name, urgent('early'));
    for (const name of ['c', 'd']) void bench.call(name, urgent('late'));
    await bench.pass(100);
    expect(bench.order.slice(4)).toEqual(['a', 'c', 'b', 'd']);
  });

  test('do not delay a more urgent call, and let no less urgent one pass', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    void bench.call('running', { ms: 10 });
    for (let n = 0; n < 3; n += 1) void bench.call(`many ${n}`, urgent('many'));
    void bench.call('poll', { namespace: 'quiet', ms: 10 });
    await bench.pass(100);
    expect(bench.order).toEqual(['running', 'many 0', 'many 1', 'many 2', 'poll']);
  });
});

describe('the end of a limiter', () => {
  test('rejects calls that wait or come later, and no running call', async () => {
    const bench = new Bench({ ...WIDE, concurrency: 1 });
    const running = bench.call('running', { ms: 100 });
    const waiting = bench.call('waiting');
    await bench.pass(1);
    bench.limiter.stop(new Error('the connection is gone'));
    await bench.pass(100);
    expect(await waiting).toBe('Error: the connection is gone');
    expect(await bench.call('late')).toBe('Error: the connection is gone');
    expect(await running).toBe('running ended');
    expect(bench.order).toEqual(['running']);
  });

  test('may be undone: calls are let in again, under the same window', async () => {
    const bench = new Bench({ ...DEFAULT, burst: 2, requestsPerSecond: 1 });
    for (let n = 0; n < 3; n += 1) void bench.call();
    await bench.pass(1);
    bench.limiter.stop(new Error('suspended'));
    await bench.pass(500);
    bench.limiter.resume();
    void bench.call();
    await bench.pass(1_498);
    expect(bench.began).toEqual([0, 0]);
    await bench.pass(1);
    expect(bench.began).toEqual([0, 0, 2_000]);
  });

  test('leaves no timer of the gate behind', () => {
    const bench = new Bench(WIDE);
    bench.limiter.refused('RateLimited', 3_600_000);
    bench.limiter.stop(new Error('the connection is gone'));
    expect(bench.clock.pendingTimers).toBe(0);
  });
});

describe('a permit that a caller passes up', () => {
  const SLOW: RateLimit = { requestsPerSecond: 1, burst: 1, concurrency: 4 };
  const no = { wants: () => false };

  test('goes to the next caller in line, at the same moment, and is not counted', async () => {
    const bench = new Bench(SLOW);
    void bench.call('first', { priority: 'user' });
    const passed = bench.offer('hesitant', { namespace: 'team-a', ...no });
    void bench.call('next', { priority: 'user' });
    void bench.call('last', { priority: 'user' });
    await bench.pass(5_000);
    expect(bench.order).toEqual(['first', 'next', 'last']);
    expect(bench.began).toEqual([0, 1_000, 2_000]);
    expect(bench.waits, 'no permit is told of').toHaveLength(3);
    expect(await passed).toMatchObject({ kind: 'passed up' });
  });

  test("keeps the caller's turn: when it returns, it goes before the calls that began to wait after it", async () => {
    const bench = new Bench(SLOW);
    void bench.call('first', { priority: 'user' });
    const passed = bench.offer('hesitant', { namespace: 'team-a', ...no });
    for (const n of [1, 2, 3]) void bench.call(`mine ${n}`, { priority: 'user' });
    for (const n of [1, 2, 3]) void bench.call(`theirs ${n}`, { priority: 'user', namespace: 'team-b' });
    await bench.pass(2_001);
    const kept = (await passed) as PassedUp;
    void bench.offer('hesitant', { namespace: 'team-a', kept });
    await bench.pass(10_000);
    expect(bench.order).toEqual([
      ...['first', 'theirs 1', 'theirs 2', 'hesitant'],
      ...['mine 1', 'theirs 3', 'mine 2', 'mine 3'],
    ]);
  });

  test('keeps no turn that every other caller has passed meanwhile', async () => {
    const bench = new Bench(SLOW);
    for (let n = 0; n < 9; n += 1) void bench.call('early', { priority: 'user' });
    const passed = bench.offer('hesitant', { namespace: 'team-a', ...no });
    await bench.pass(20_000);
    const kept = (await passed) as PassedUp;
    void bench.call('first', { priority: 'user', namespace: 'team-b' });
    void bench.call('second', { priority: 'user', namespace: 'team-c' });
    void bench.offer('hesitant', { namespace: 'team-a', kept });
    void bench.call('third', { priority: 'user', namespace: 'team-d' });
    await bench.pass(10_000);
    expect(bench.order.slice(9)).toEqual(['first', 'hesitant', 'second', 'third']);
  });

  test('by every caller leaves the limiter unchanged', async () => {
    const bench = new Bench(SLOW);
    void bench.call('first', { priority: 'user' });
    const passed = [1, 2, 3].map((n) => bench.offer(`hesitant ${n}`, { namespace: 'team-a', ...no }));
    await bench.pass(1_000);
    for (const one of passed) expect(await one).toMatchObject({ kind: 'passed up' });
    expect(bench.limiter.waiting).toBe(0);
    void bench.call('next', { priority: 'user' });
    await bench.pass(10);
    expect(bench.began).toEqual([0, 1_000]);
  });
});
