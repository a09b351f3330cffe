import { describe, expect, it } from 'vitest';
import type { CallPriority } from '../../../src/ports/service/external-client.ts';
import { KeptRoom } from '../../../src/service/limits/kept-room.ts';
import { type Need, Poller } from '../../../src/service/list/poller.ts';
import type { SnapshotChange } from '../../../src/service/list/snapshot.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { PagedList, type PagedListModes } from '../support/paged-list.ts';

const INTERVAL_MS = 60_000;

/** A poller over a list that answers after `latencyMs`, in virtual time. */
class Bench {
  readonly clock = new VirtualClock();
  readonly list: PagedList;
  readonly changes: SnapshotChange[] = [];
  readonly failures: unknown[] = [];
  readonly swept: string[] = [];
  readonly priorities = new Set<CallPriority>();
  readonly poller: Poller;
  /** The number of edits that may go before the newest page. */
  patience: number | undefined;
  failWith: Error | undefined;
  latencyMs = 10;

  constructor(count = 3, modes: PagedListModes = {}, keptBytes = 1e9) {
    this.list = new PagedList(count, modes);
    this.poller = new Poller({
      clock: this.clock,
      fetchPage: async ({ offset, limit, priority, patience }, signal) => {
        this.priorities.add(priority);
        this.patience = patience;
        await this.clock.sleep(this.latencyMs, signal);
        if (this.failWith !== undefined) throw this.failWith;
        return this.list.fetch(offset, limit);
      },
      intervalMs: () => INTERVAL_MS,
      requestsPerSecond: () => 5,
      pageSize: () => 100,
      wanted: () => 'all',
      share: new KeptRoom({ keptBytes, sweptBytes: 1e9 }).share('team-a'),
      work: (task) => task(),
      onChange: (change) => this.changes.push(change),
      onFailure: (error) => this.failures.push(error),
      onShown: () => undefined,
      onFirstShown: () => undefined,
      onSwept: (result) => this.swept.push(result),
    });
  }

  need(more: Partial<Need> = {}) {
    return this.poller.ensure({ notOlderThanMs: 0, complete: false, priority: 'resync', ...more });
  }

  /** Waits for a need to be met, and lets time pass. */
  met(more: Partial<Need> = {}) {
    return this.clock.runUntil(this.need(more));
  }

  /** Returns the number of calls since the last question. */
  calls(): number {
    return this.list.calls.splice(0).length;
  }

  /** Waits for one steady sweep, whatever the jitter. */
  async sweepOnce(): Promise<number> {
    const before = this.swept.length;
    while (this.swept.length === before) await this.clock.advance(1000);
    return this.calls();
  }
}

describe('a running sweep', () => {
  it('reports what it has shown that differs from the sweep before', async () => {
    const bench = new Bench(2, { largestPage: 1 });
    const after = await bench.met();
    bench.list.renamed.set('id-0', 'another');
    const beganMs = bench.clock.now();
    const next = bench.need({ after, complete: true });
    await bench.clock.advance(15);
    const moved = (id: string, sinceMs: number): boolean => bench.poller.movedSince(id, sinceMs);
    expect([moved('ID-0', beganMs), moved('id-1', beganMs)]).toEqual([true, false]);
    expect(moved('id-0', bench.clock.now()), 'a look begun since shows it').toBe(false);
    await bench.clock.runUntil(next);
    expect(moved('id-0', beganMs), 'the snapshot shows it').toBe(false);
  });

  it('has also reported what it showed to older reads, after it ended', async () => {
    const bench = new Bench(2, { largestPage: 1 });
    const after = await bench.met();
    bench.list.renamed.set('id-0', 'another');
    const next = bench.need({ after, complete: true });
    const readMs = bench.clock.now() + 1;
    await bench.clock.runUntil(next);
    expect(bench.poller.movedSince('id-0', readMs), 'a read by itself that began before the page').toBe(true);
    await bench.met({ after: bench.poller.snapshot!, complete: true });
    await bench.met({ after: bench.poller.snapshot!, complete: true });
    expect(bench.poller.movedSince('id-0', readMs), 'it is forgotten with the next sweeps').toBe(false);
  });
});

describe('a sweep that has ended', () => {
  it('reports what it has shown that differs from the sweep before, to looks from before it began', async () => {
    const bench = new Bench(2, { largestPage: 1 });
    const after = await bench.met();
    const beforeMs = bench.poller.snapshot!.beganMs;
    bench.list.renamed.set('id-0', 'another');
    const next = bench.need({ after, complete: true });
    await bench.clock.advance(15);
    const swept = (id: string, sinceMs: number): boolean => bench.poller.sweptSince(id, sinceMs);
    expect(swept('id-0', beforeMs), 'it has not ended').toBe(false);
    await bench.clock.runUntil(next);
    expect([swept('ID-0', beforeMs), swept('id-1', beforeMs)]).toEqual([true, false]);
    expect(swept('id-0', bench.poller.snapshot!.beganMs), 'the look is that sweep').toBe(false);
  });
});

describe('callers that need the list', () => {
  it('share one pass, however many ask at once (H30)', async () => {
    const bench = new Bench();
    const all = await bench.clock.runUntil(Promise.all(Array.from({ length: 200 }, () => bench.need())));
    expect(new Set(all).size).toBe(1);
    expect(bench.swept).toHaveLength(1);
    await bench.met();
    expect(bench.swept).toHaveLength(1);
  });

  it('get a new pass if the available one began too early', async () => {
    const bench = new Bench();
    const first = await bench.met();
    await bench.clock.advance(5000);
    const second = await bench.met({ notOlderThanMs: bench.clock.now() });
    expect(second.beganMs).toBeGreaterThan(first.endedMs);
    expect(await bench.met({ notOlderThanMs: second.beganMs })).toBe(second);
  });

  it('do not take a running pass as one that began after they asked', async () => {
    const bench = new Bench();
    bench.latencyMs = 1000;
    const early = bench.need();
    await bench.clock.advance(500);
    const askedMs = bench.clock.now();
    const late = await bench.met({ notOlderThanMs: askedMs });
    expect(late.beganMs).toBeGreaterThanOrEqual(askedMs);
    expect((await early).beganMs).toBeLessThan(askedMs);
    expect(bench.swept).toHaveLength(2);
  });

  it('get a complete pass if they need one, and only once', async () => {
    const bench = new Bench(250);
    await bench.met();
    bench.calls();
    await bench.clock.advance(1000);
    await bench.met({ notOlderThanMs: bench.clock.now() });
    expect(bench.calls(), 'a pass that may take the shortcut').toBe(3);
    const complete = await bench.met({ complete: true });
    expect(complete.provesAbsence).toBe(true);
    expect(bench.calls()).toBe(4);
    await bench.met({ complete: true });
    expect(bench.calls()).toBe(0);
  });

  it('get the error of a failed pass, and can ask again', async () => {
    const bench = new Bench();
    bench.failWith = new Error('no answer');
    await expect(bench.met()).rejects.toThrow('no answer');
    expect(bench.failures).toEqual([bench.failWith]);
    expect(bench.swept).toEqual(['failed']);
    bench.failWith = undefined;
    expect((await bench.met()).byID.size).toBe(3);
  });

  it('keep the available snapshot when a newer pass fails', async () => {
    const bench = new Bench();
    const good = await bench.met();
    bench.failWith = new Error('no answer');
    await bench.clock.advance(1000);
    await expect(bench.met({ notOlderThanMs: bench.clock.now() })).rejects.toThrow();
    expect(bench.poller.snapshot).toBe(good);
  });

  it('set the priority of the calls made for them', async () => {
    const bench = new Bench();
    await bench.met({ priority: 'user' });
    expect([...bench.priorities]).toEqual(['user']);
  });

  it.each([
    ['which serves them', { notOlderThanMs: 0 }],
    ['whose end they wait for, to have one of their own', { notOlderThanMs: Number.MAX_SAFE_INTEGER }],
  ])('set the priority of the remaining calls of a running pass %s', async (_, more) => {
    const bench = new Bench(250);
    void bench.need();
    await bench.clock.advance(1);
    expect([...bench.priorities]).toEqual(['resync']);
    void bench.need({ priority: 'user', ...more });
    void bench.need({ priority: 'rollout' });
    bench.priorities.clear();
    await bench.clock.advance(2 * bench.latencyMs);
    expect([...bench.priorities]).toEqual(['user']);
  });
});

describe('steady sweeps', () => {
  it('cost three calls for 250 deployments, and four at the first and each tenth', async () => {
    const bench = new Bench(250);
    await bench.met();
    expect(bench.calls()).toBe(4);
    bench.poller.start();
    const calls: number[] = [];
    for (let n = 1; n <= 20; n += 1) calls.push(await bench.sweepOnce());
    const nine = Array.from({ length: 9 }, () => 3);
    expect(calls).toEqual([...nine, 4, ...nine, 4]);
    expect(bench.swept.filter((result) => result === 'complete')).toHaveLength(3);
  });

  it.each([1, 150, 1_050, 10_050])(
    'of %i deployments cost floor(N/100)+1 calls, and every tenth one more, for the empty page behind the last',
    async (count) => {
      const bench = new Bench(count);
      await bench.met();
      bench.calls();
      bench.poller.start();
      const calls: number[] = [];
      for (let n = 1; n <= 10; n += 1) calls.push(await bench.sweepOnce());
      const usual = Math.floor(count / 100) + 1;
      expect(calls).toEqual([...Array<number>(9).fill(usual), usual + 1]);
    },
  );

  it('come at the poll interval, plus or minus a fifth', async () => {
    const bench = new Bench();
    const began: number[] = [];
    bench.poller.start();
    for (let n = 0; n < 30; n += 1) {
      await bench.sweepOnce();
      began.push(bench.poller.snapshot?.beganMs ?? 0);
    }
    const gaps = began.slice(1).map((ms, n) => ms - (began[n] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.8 * INTERVAL_MS);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.2 * INTERVAL_MS + bench.latencyMs * 3);
    expect(Math.max(...gaps) - Math.min(...gaps), 'they vary').toBeGreaterThan(0.1 * INTERVAL_MS);
  });

  it('are never doubled by starting twice, or by pausing and starting in the middle of one', async () => {
    const bench = new Bench();
    bench.latencyMs = 5000;
    bench.poller.start();
    bench.poller.start();
    while (bench.list.calls.length === 0) await bench.clock.advance(1000);
    bench.poller.pause();
    bench.poller.start();
    await bench.clock.advance(10 * INTERVAL_MS);
    expect(bench.swept.length).toBeLessThanOrEqual(13);
  });

  it('stop while paused, and callers are still served', async () => {
    const bench = new Bench();
    bench.poller.start();
    await bench.sweepOnce();
    bench.poller.pause();
    const before = bench.swept.length;
    await bench.clock.advance(10 * INTERVAL_MS);
    expect(bench.swept).toHaveLength(before);
    await bench.met({ notOlderThanMs: bench.clock.now() });
    expect(bench.swept).toHaveLength(before + 1);
  });

  it('continue after a failed one', async () => {
    const bench = new Bench();
    bench.poller.start();
    await bench.sweepOnce();
    bench.failWith = new Error('no answer');
    await bench.sweepOnce();
    bench.failWith = undefined;
    await bench.sweepOnce();
    expect(bench.swept).toEqual(['complete', 'failed', 'partial']);
  });

  it('report what changed, appeared or disappeared', async () => {
    const bench = new Bench();
    await bench.met();
    bench.list.ids.push('new');
    await bench.met({ notOlderThanMs: bench.clock.now(), complete: true });
    bench.list.ids = bench.list.ids.filter((id) => id !== 'id-1');
    await bench.clock.advance(1);
    await bench.met({ notOlderThanMs: bench.clock.now(), complete: true });
    expect(bench.changes).toEqual([
      { ids: ['new'], names: ['name-of-new'] },
      { ids: ['id-1'], names: ['name-of-id-1'] },
    ]);
  });
});

describe('the pages of a sweep', () => {
  it('let as many edits go first as still allow the sweep to end within a third of the interval', async () => {
    const bench = new Bench(950);
    bench.poller.start();
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await bench.sweepOnce();
    // Eleven pages, each after seven other calls, at five calls a second.
    expect(bench.patience).toBe(7);
  });

  it('wait without a limit if a limit would cost edits more than reads by id do', async () => {
    const bench = new Bench(5_000);
    bench.poller.start();
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await bench.sweepOnce();
    expect(bench.patience).toBeUndefined();
  });
});

describe("the age of a poller's data", () => {
  it('is that of the newest pass, even if it ended at an apparent last page', async () => {
    const bench = new Bench(150);
    bench.poller.start();
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await bench.sweepOnce();
    expect(bench.swept).toEqual(['complete', 'partial', 'partial']);
    expect(bench.poller.readBeganMs).toBe(bench.poller.snapshot?.beganMs);
  });

  it('is unknown if the list cannot be read beyond its first page', async () => {
    const bench = new Bench(250, { heedsOffset: false });
    expect(await bench.met()).toMatchObject({ stuck: true });
    expect(bench.poller.readBeganMs).toBeUndefined();
  });
});

describe('a list with unreadable items', () => {
  it('proves no absence, reports the problem, and is as new as any other', async () => {
    const bench = new Bench();
    bench.list.malformed.add(1);
    const snapshot = await bench.met({ complete: true });
    expect(bench.poller.readBeganMs).toBe(snapshot.beganMs);
    expect(snapshot.provesAbsence).toBe(false);
    expect(snapshot.problems).toEqual(['name: is missing']);
    expect([...snapshot.byID.keys()]).toEqual(['id-0', 'id-2']);
    expect(bench.swept).toEqual(['partial']);
  });
});

describe('a poller that stops', () => {
  it('aborts the running pass, and gives the reason to the callers that wait', async () => {
    const bench = new Bench();
    bench.latencyMs = 10_000;
    const waiting = bench.need();
    await bench.clock.advance(1000);
    bench.poller.stop(new Error('the connection is gone'));
    await expect(bench.clock.runUntil(waiting)).rejects.toThrow('the connection is gone');
    expect(bench.failures, 'the end is no trouble').toEqual([]);
    bench.poller.start();
    await bench.clock.advance(10 * INTERVAL_MS);
    expect(bench.list.calls).toEqual([]);
    expect(bench.clock.pendingTimers).toBe(0);
  });
});

describe('a list beyond the memory limit', () => {
  it('is a failure that concludes nothing, and the snapshot at hand stays', async () => {
    const bench = new Bench(3, {}, 10_000);
    const good = await bench.met();
    bench.list.ids = Array.from({ length: 100 }, (_, n) => `new-${n}`);
    await bench.clock.advance(1_000);
    const failing = bench.met({ notOlderThanMs: bench.clock.now() });
    await expect(failing).rejects.toMatchObject({ reason: 'ProtocolError', sent: 'no' });
    expect(bench.poller.snapshot).toBe(good);
    expect(bench.changes).toEqual([]);
    bench.list.ids = bench.list.ids.slice(0, 3);
    expect((await bench.met({ notOlderThanMs: bench.clock.now() })).byID.size).toBe(3);
  });
});
