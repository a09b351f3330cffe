import { beforeEach, describe, expect, it } from 'vitest';
import { LeadershipLostError } from '../../../src/runtime/election/leader-elector.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { Replica } from '../../support/worlds/electorate.ts';
import { MemoryLease } from '../../support/doubles/memory-lease.ts';

const HANGS = { delayMs: 3_600_000, fails: 'never' } as const;
const FAILS = { delayMs: 0, fails: 'before' } as const;

let clock: VirtualClock;
let lease: MemoryLease;
let first: Replica;
let second: Replica;

beforeEach(async () => {
  clock = new VirtualClock({ startMs: 0 });
  lease = new MemoryLease();
  first = new Replica('first', lease, clock);
  second = new Replica('second', lease, clock);
  const leads = first.start();
  await clock.runUntil(leads);
  void second.start();
  await clock.advance(0);
});

describe('two replicas', () => {
  it('agree on one, and the other stands by', async () => {
    await clock.advance(60_000);
    expect([first.acts, second.acts]).toEqual([true, false]);
    expect(lease.record).toMatchObject({ holder: 'first', transitions: 0 });
    expect([first.told, second.told]).toEqual([[true], []]);
    expect(second.logger.messages('info')).toEqual(['standing by']);
  });

  it('hand over at once when the leader is stopped, after everything else', async () => {
    const ended = first.end();
    await clock.advance(2_000);
    await ended;
    expect([first.acts, second.acts]).toEqual([false, true]);
    expect(lease.record).toMatchObject({ holder: 'second', transitions: 1 });
    expect(first.told).toEqual([true, false]);
    expect(first.elector.closed.reason).not.toBeInstanceOf(LeadershipLostError);
  });

  it('do not hand over at once if requests may still be running', async () => {
    await first.end(0);
    await clock.advance(10_000);
    expect([first.acts, second.acts]).toEqual([false, false]);
    await clock.advance(7_000);
    expect(second.acts).toBe(true);
  });

  it('change a lease duration after the last sign of the leader, if it is gone', async () => {
    await clock.advance(30_000);
    first.pause();
    await clock.advance(12_000);
    expect(second.acts).toBe(false);
    await clock.advance(5_400);
    expect(second.acts).toBe(true);
  });

  it('never lead both: who continues after its time finds the fence closed (H60)', async () => {
    await clock.advance(30_000);
    first.pause();
    await clock.advance(20_000);
    first.resume();
    expect([first.acts, second.acts]).toEqual([false, true]);
    expect(first.elector.closed.reason).toBeInstanceOf(LeadershipLostError);
    expect(first.told).toEqual([true, false]);
  });
});

describe('a leader that cannot renew', () => {
  it.each([
    ['nobody is there', FAILS],
    ['nobody answers', HANGS],
  ])('stops at the renew deadline, not before: %s (H60)', async (_, fate) => {
    await clock.advance(3_999);
    first.fate = () => fate;
    await clock.advance(7_900);
    expect(first.acts).toBe(true);
    expect(first.elector.closed.aborted).toBe(false);
    await clock.advance(500);
    expect(first.elector.closed.reason).toBeInstanceOf(LeadershipLostError);
    expect(first.acts).toBe(false);
  });

  it('continues if one of its attempts succeeds in time', async () => {
    await clock.advance(4_100);
    let calls = 0;
    first.fate = () => {
      calls += 1;
      return calls % 3 === 0 ? { delayMs: 10, fails: 'never' } : HANGS;
    };
    await clock.advance(120_000);
    expect(first.acts).toBe(true);
    expect(calls).toBeGreaterThan(30);
  });

  it('continues if its renewals arrive and only some answers are lost', async () => {
    await clock.advance(4_100);
    let calls = 0;
    first.fate = () => ({ delayMs: 10, fails: (calls += 1) % 4 === 1 ? 'after' : 'never' });
    await clock.advance(60_000);
    expect(first.acts).toBe(true);
    expect(lease.record?.holder).toBe('first');
  });

  it('counts from the start of its last successful renewal, not from the answer', async () => {
    await clock.advance(3_900);
    first.fate = () => ({ delayMs: 3_000, fails: 'never' });
    await clock.advance(200);
    first.fate = () => FAILS;
    await clock.advance(9_800);
    expect(first.acts).toBe(true);
    await clock.advance(200);
    expect(first.acts).toBe(false);
  });

  it('logs that once', async () => {
    first.fate = () => FAILS;
    await clock.advance(9_000);
    expect(first.logger.messages('warn')).toEqual(['the Lease cannot be read or written']);
  });
});

describe('a leader', () => {
  it('on a machine that slept stops as soon as it wakes, although its timers are not due', async () => {
    await clock.advance(30_000);
    first.pause(true);
    await clock.advance(20_000);
    first.resume();
    await clock.advance(500);
    expect(first.elector.closed.reason).toBeInstanceOf(LeadershipLostError);
    expect(second.acts).toBe(true);
  });

  it('creates a deleted Lease again, and the other replica does not take over', async () => {
    await clock.advance(30_000);
    lease.remove();
    await clock.advance(60_000);
    expect([first.acts, second.acts]).toEqual([true, false]);
  });

  it('stops if another replica took the Lease by force', async () => {
    const stored = await lease.read(new AbortController().signal);
    if (stored === undefined) throw new Error('there is no Lease');
    await lease.write({ ...stored.record, holder: 'intruder' }, stored.version, new AbortController().signal);
    await clock.advance(2_100);
    expect(first.elector.closed.reason).toMatchObject({ message: expect.stringContaining('intruder') });
  });
});

it('a replica that is stopped before its first write is answered releases the lease that it may hold', async () => {
  const empty = new MemoryLease();
  const replica = new Replica('only', empty, clock);
  let calls = 0;
  replica.fate = () => ((calls += 1) === 2 ? { delayMs: 0, fails: 'after' } : { delayMs: 0, fails: 'never' });
  void replica.start();
  await clock.advance(100);
  expect([replica.acts, empty.record?.holder]).toEqual([false, 'only']);
  await clock.runUntil(replica.end());
  expect(empty.record?.holder).toBe('');
});
