import { describe, expect, it } from 'vitest';
import type { Key } from '../../../src/api/metadata.ts';
import type { CallPriority } from '../../../src/ports/service/external-client.ts';
import { OvertakenError } from '../../../src/runtime/queue/priorities.ts';
import { WorkQueue } from '../../../src/runtime/queue/work-queue.ts';
import type { WorkQueueOptions } from '../../../src/runtime/queue/work-queue.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';

/** Returns `team-a/one` as a key. In these tests the part of the namespace before a `:` is the lane. */
function key(text: string): Key {
  const [namespace = '', name = ''] = text.split('/');
  return { kind: 'Deployment', namespace, name };
}

const textOf = (found: Key | undefined): string | undefined =>
  found === undefined ? undefined : `${found.namespace}/${found.name}`;

function queueWith(options: Partial<WorkQueueOptions> = {}): { queue: WorkQueue; clock: VirtualClock } {
  const clock = new VirtualClock();
  return { queue: new WorkQueue({ clock, ...options }), clock };
}

/** Returns the next key, or undefined if none may run now. */
async function next(queue: WorkQueue): Promise<string | undefined> {
  const abort = new AbortController();
  const got = queue.get(abort.signal);
  abort.abort();
  return textOf(await got);
}

/** Runs keys one after the other until none may run. */
async function runAll(queue: WorkQueue): Promise<string[]> {
  const ran: string[] = [];
  for (let text = await next(queue); text !== undefined; text = await next(queue)) {
    ran.push(text);
    queue.done(key(text));
  }
  return ran;
}

describe('the next keys of a lane', () => {
  const laneOf = ({ namespace }: Key): string => namespace.split(':')[0] ?? '';
  const lanes = { laneOf, laneLimit: () => 1, places: 8, reserved: 0 };

  it('are the waiting ones, the most urgent first, and then those due soon', () => {
    const { queue } = queueWith(lanes);
    queue.add(key('a:x/resync'), 'resync');
    queue.add(key('a:x/user'), 'user');
    queue.add(key('b:x/other'), 'user');
    queue.addAfter(key('a:x/soon'), 5_000, 'resync');
    queue.addAfter(key('a:x/later'), 20_000, 'resync');
    queue.addAfter(key('b:x/soon'), 5_000, 'resync');
    const texts = (most: number, ms?: number) => queue.upNext('a', most, ms).map(textOf);
    expect(texts(10)).toEqual(['a:x/user', 'a:x/resync']);
    expect(texts(10, 10_000)).toEqual(['a:x/user', 'a:x/resync', 'a:x/soon']);
    expect(texts(1, 10_000)).toEqual(['a:x/user']);
    expect(queue.upNext('c', 10)).toEqual([]);
  });
});

describe('one run per key', () => {
  it('hands out a key once however often it is added', async () => {
    const { queue } = queueWith();
    for (let n = 0; n < 5; n += 1) queue.add(key('a/one'));
    expect(queue.size).toBe(1);
    expect(await runAll(queue)).toEqual(['a/one']);
  });

  it('runs a key again that was added while it ran, and never twice at the same time', async () => {
    const { queue } = queueWith();
    queue.add(key('a/one'));
    expect(await next(queue)).toBe('a/one');
    queue.add(key('a/one'));
    queue.add(key('a/one'));
    expect(await next(queue)).toBeUndefined();
    queue.done(key('a/one'));
    expect(await runAll(queue)).toEqual(['a/one']);
  });

  it('wakes waiting workers, first come first served', async () => {
    const { queue } = queueWith();
    const first = queue.get();
    const second = queue.get();
    queue.add(key('a/one'));
    queue.add(key('a/two'));
    expect([textOf(await first), textOf(await second)]).toEqual(['a/one', 'a/two']);
  });

  it('gives no key to a worker that stopped waiting', async () => {
    const { queue } = queueWith();
    const abort = new AbortController();
    const impatient = queue.get(abort.signal);
    const patient = queue.get();
    abort.abort();
    queue.add(key('a/one'));
    expect(await impatient).toBeUndefined();
    expect(textOf(await patient)).toBe('a/one');
  });

  it('refuses done for a key that does not run', () => {
    const { queue } = queueWith();
    queue.add(key('a/one'));
    expect(() => queue.done(key('a/one'))).toThrow(/not running/);
  });
});

describe('delays', () => {
  it('hands out a delayed key when it is due, not before', async () => {
    const { queue, clock } = queueWith();
    queue.addAfter(key('a/one'), 1_000, 'resync');
    await clock.advance(999);
    expect(await next(queue)).toBeUndefined();
    await clock.advance(1);
    expect(await next(queue)).toBe('a/one');
  });

  const orders = [
    { name: 'the earlier delay comes second', delaysMs: [5_000, 1_000] },
    { name: 'the earlier delay comes first', delaysMs: [1_000, 5_000] },
  ];
  it.each(orders)('keeps the earlier of two delays when $name', async ({ delaysMs }) => {
    const { queue, clock } = queueWith();
    for (const ms of delaysMs) queue.addAfter(key('a/one'), ms, 'rollout');
    await clock.advance(1_000);
    expect(await runAll(queue)).toEqual(['a/one']);
    await clock.advance(60_000);
    expect(await runAll(queue)).toEqual([]);
  });

  it('lets an immediate add cancel the delay', async () => {
    const { queue, clock } = queueWith();
    queue.addAfter(key('a/one'), 1_000, 'resync');
    queue.add(key('a/one'));
    expect(await runAll(queue)).toEqual(['a/one']);
    await clock.advance(60_000);
    expect(await runAll(queue)).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('sets no delay for a key that runs at once anyway', async () => {
    const { queue, clock } = queueWith();
    queue.add(key('a/waiting'));
    queue.addAfter(key('a/waiting'), 1_000, 'resync');
    expect(await next(queue)).toBe('a/waiting');
    queue.add(key('a/waiting'));
    queue.addAfter(key('a/waiting'), 1_000, 'resync');
    queue.done(key('a/waiting'));
    expect(await runAll(queue)).toEqual(['a/waiting']);
    await clock.advance(60_000);
    expect(await runAll(queue)).toEqual([]);
  });

  it('keeps a delay that was added during the run', async () => {
    const { queue, clock } = queueWith();
    queue.add(key('a/one'));
    expect(await next(queue)).toBe('a/one');
    queue.addAfter(key('a/one'), 1_000, 'resync');
    queue.done(key('a/one'));
    expect(queue.state().delayed).toBe(1);
    await clock.advance(1_000);
    expect(await runAll(queue)).toEqual(['a/one']);
  });

  it('holds back a key whose delay ends during its run until the run ends', async () => {
    const { queue, clock } = queueWith();
    queue.add(key('a/one'));
    expect(await next(queue)).toBe('a/one');
    queue.addAfter(key('a/one'), 1_000, 'resync');
    await clock.advance(2_000);
    expect(await next(queue)).toBeUndefined();
    queue.done(key('a/one'));
    expect(await runAll(queue)).toEqual(['a/one']);
  });

  it('hands out many delayed keys in the order of their time, with one timer at most', async () => {
    const { queue, clock } = queueWith();
    for (const ms of [700, 300, 900, 100, 500]) queue.addAfter(key(`a/${ms}`), ms, 'rollout');
    expect(clock.pendingTimers).toBeLessThanOrEqual(1);
    await clock.advance(1_000);
    expect(await runAll(queue)).toEqual(['a/100', 'a/300', 'a/500', 'a/700', 'a/900']);
  });

  it('follows its timer if the clock is set back meanwhile', async () => {
    const clock = new VirtualClock();
    let setBackMs = 0;
    const shaken = {
      now: () => clock.now() - setBackMs,
      after: clock.after.bind(clock),
      sleep: clock.sleep.bind(clock),
      turn: clock.turn.bind(clock),
      random: () => 0,
    };
    const queue = new WorkQueue({ clock: shaken });
    queue.addAfter(key('a/one'), 1_000, 'resync');
    queue.addAfter(key('a/two'), 5_000, 'resync');
    setBackMs = 3_600_000;
    await clock.advance(1_000);
    expect(await next(queue)).toBe('a/one');
    await clock.advance(3_999);
    expect(await next(queue)).toBeUndefined();
    await clock.advance(1);
    expect(await next(queue)).toBe('a/two');
  });
});

describe('priorities', () => {
  it('hands out edits before rollouts before resyncs', async () => {
    const { queue } = queueWith();
    queue.add(key('a/resync'), 'resync');
    queue.add(key('a/rollout'), 'rollout');
    queue.add(key('a/user'), 'user');
    expect(await runAll(queue)).toEqual(['a/user', 'a/rollout', 'a/resync']);
  });

  it('raises a waiting key and never lowers it', async () => {
    const { queue } = queueWith();
    queue.add(key('a/first'), 'resync');
    queue.add(key('a/second'), 'resync');
    queue.add(key('a/second'), 'user');
    queue.add(key('a/second'), 'resync');
    expect(queue.size).toBe(2);
    expect(await runAll(queue)).toEqual(['a/second', 'a/first']);
  });

  it('raises the next run of a running key', async () => {
    const { queue } = queueWith();
    queue.add(key('a/one'));
    await next(queue);
    queue.add(key('a/one'), 'resync');
    queue.add(key('a/one'), 'user');
    queue.add(key('a/other'), 'rollout');
    queue.done(key('a/one'));
    expect(await runAll(queue)).toEqual(['a/one', 'a/other']);
  });

  it('gives a delayed key the higher priority of its two delays', async () => {
    const { queue, clock } = queueWith();
    queue.addAfter(key('a/one'), 2_000, 'rollout');
    queue.addAfter(key('a/one'), 1_000, 'resync');
    await clock.advance(1_000);
    queue.add(key('a/other'), 'resync');
    queue.add(key('a/another'), 'rollout');
    expect(await runAll(queue)).toEqual(['a/one', 'a/another', 'a/other']);
  });

  const lower: CallPriority[] = ['rollout', 'resync'];
  it.each(lower)('lets a %s wait behind endless edits, but not for ever', async (priority) => {
    const { queue } = queueWith();
    queue.add(key('a/patient'), priority);
    const ran: (string | undefined)[] = [];
    for (let n = 0; n < 30; n += 1) {
      queue.add(key(`a/edit-${n}`));
      const text = await next(queue);
      ran.push(text);
      queue.done(key(text!));
    }
    expect(ran.indexOf('a/patient')).toBeGreaterThan(5);
  });

  it.each([{ lanes: 'one lane' }, { lanes: 'lanes of their own' }])(
    'gives less urgent keys one turn in eleven and no more, in $lanes',
    async ({ lanes }) => {
      const { queue } = queueWith({ laneOf: (k) => (lanes === 'one lane' ? 'one' : k.namespace) });
      const ran: (string | undefined)[] = [];
      for (let n = 0; n < 132; n += 1) {
        queue.add(key(`edits/${n}`));
        queue.add(key(`resyncs/${n}`), 'resync');
        const text = await next(queue);
        ran.push(text);
        queue.done(key(text!));
      }
      expect(ran.filter((text) => text?.startsWith('resyncs'))).toHaveLength(12);
    },
  );

  it('lets no lane starve behind the endless edits of another one', async () => {
    const { queue } = queueWith({ laneOf: (k) => k.namespace, laneLimit: () => 1 });
    for (const lane of ['one', 'two', 'three']) queue.add(key(`${lane}/resync`), 'resync');
    const ran: (string | undefined)[] = [];
    for (let n = 0; n < 60; n += 1) {
      queue.add(key(`busy/edit-${n}`));
      const text = await next(queue);
      ran.push(text);
      queue.done(key(text!));
    }
    expect(ran).toEqual(expect.arrayContaining(['one/resync', 'two/resync', 'three/resync']));
  });

  it('lets no resync starve in a lane with a limit of one while other lanes compete', async () => {
    const { queue } = queueWith({ laneOf: (k) => k.namespace, laneLimit: () => 1 });
    queue.add(key('busy/patient'), 'resync');
    const ran: (string | undefined)[] = [];
    for (let n = 0; n < 200 && !ran.includes('busy/patient'); n += 1) {
      queue.add(key(`busy/edit-${n}`));
      queue.add(key(`other/resync-${n}`), 'resync');
      const text = await next(queue);
      ran.push(text);
      queue.done(key(text!));
    }
    expect(ran).toContain('busy/patient');
  });

  it('takes a more urgent key of another lane if a limit was lowered after a lane was found to have room', async () => {
    let limit = 4;
    const { queue } = queueWith({
      laneOf: (k) => (k.name === 'elsewhere' ? 'wide' : 'narrow'),
      laneLimit: (lane) => (lane === 'narrow' ? limit : 4),
    });
    queue.add(key('a/runs'));
    expect(await next(queue)).toBe('a/runs');
    queue.add(key('a/held-back'));
    queue.add(key('b/rollout'), 'rollout');
    queue.add(key('c/elsewhere'));
    limit = 2;
    expect(await next(queue)).toBe('c/elsewhere');
    expect(await next(queue)).toBe('b/rollout');
  });
});

describe('fairness', () => {
  it('lets namespaces take turns, each first come first served', async () => {
    const { queue } = queueWith();
    for (const text of ['bulk/1', 'bulk/2', 'bulk/3', 'bulk/4', 'single/1', 'pair/1', 'pair/2'])
      queue.add(key(text));
    expect(await runAll(queue)).toEqual([
      'bulk/1',
      'single/1',
      'pair/1',
      'bulk/2',
      'pair/2',
      'bulk/3',
      'bulk/4',
    ]);
  });

  it('lets a namespace that begins to wait go before one that was just served', async () => {
    const { queue } = queueWith();
    for (const text of ['bulk/1', 'bulk/2', 'bulk/3', 'bulk/4']) queue.add(key(text));
    expect(await next(queue)).toBe('bulk/1');
    queue.add(key('lone/1'));
    queue.add(key('lone/2'));
    expect(await runAll(queue)).toEqual(['lone/1', 'bulk/2', 'lone/2', 'bulk/3', 'bulk/4']);
  });

  it('gives no namespace a second turn in a round, however often it begins to wait again', async () => {
    const { queue } = queueWith();
    for (const text of ['bulk/1', 'bulk/2', 'bulk/3', 'again/1', 'other/1']) queue.add(key(text));
    const ran: string[] = [];
    for (let text = await next(queue); text !== undefined; text = await next(queue)) {
      ran.push(text);
      queue.done(key(text));
      if (text.startsWith('again/') && ran.length < 6) queue.add(key(`again/${ran.length}`));
    }
    expect(ran).toEqual(['bulk/1', 'again/1', 'other/1', 'bulk/2', 'again/2', 'bulk/3', 'again/5']);
  });

  it('keeps half of a lane for other namespaces than the one that fills the first half', async () => {
    const { queue } = queueWith({ laneOf: () => 'lane', laneLimit: () => 5 });
    for (const text of ['bulk/1', 'bulk/2', 'bulk/3', 'bulk/4']) queue.add(key(text));
    for (const name of ['bulk/1', 'bulk/2', 'bulk/3', undefined]) expect(await next(queue)).toBe(name);
    queue.add(key('lone/1'), 'resync');
    expect(await next(queue)).toBe('lone/1');
    for (const text of ['pair/1', 'pair/2']) queue.add(key(text));
    expect([await next(queue), await next(queue)]).toEqual(['pair/1', undefined]);
    queue.done(key('lone/1'));
    expect([await next(queue), await next(queue)]).toEqual(['pair/2', undefined]);
    queue.done(key('bulk/2'));
    expect(await next(queue)).toBe('bulk/4');
  });

  it('still owes one turn to the namespace that was held back', async () => {
    const { queue } = queueWith({ laneOf: () => 'lane', laneLimit: () => 2 });
    for (const text of ['bulk/1', 'bulk/2', 'bulk/3']) queue.add(key(text));
    expect(await next(queue)).toBe('bulk/1');
    const others = ['x/1', 'y/1', 'x/2', 'y/2', 'x/3', 'y/3', 'x/4', 'y/4'];
    for (const text of others) queue.add(key(text));
    for (const text of others.slice(0, 6)) {
      expect(await next(queue)).toBe(text);
      queue.done(key(text));
    }
    queue.done(key('bulk/1'));
    expect(await runAll(queue)).toEqual(['bulk/2', 'x/4', 'y/4', 'bulk/3']);
  });

  it('leaves a place for another lane, however many are full of keys that do not end (C2)', async () => {
    const { queue } = queueWith({ laneOf: (k) => k.namespace, laneLimit: () => 8, places: 16, reserved: 8 });
    const running = new Map<string, number>();
    for (let lane = 0; lane < 7; lane += 1) {
      for (let n = 0; n < 8; n += 1) queue.add(key(`hanging-${lane}/${n}`));
      for (let text = await next(queue); text !== undefined; text = await next(queue)) {
        const name = key(text).namespace;
        running.set(name, (running.get(name) ?? 0) + 1);
      }
    }
    // A namespace takes half of its lane. Beyond its first place, a lane takes no place if it has as many as are free.
    expect([...running.values()]).toEqual([4, 2, 1, 1, 1, 1, 1]);
    queue.add(key('healthy/1'), 'resync');
    expect(await next(queue)).toBe('healthy/1');
    queue.done(key('healthy/1'));
    for (const text of ['hanging-0/0', 'hanging-0/1', 'hanging-0/2', 'hanging-0/3']) queue.done(key(text));
    // The place beside the reserved ones goes to the lane in which nothing runs, of the four waiting lanes.
    expect(await next(queue)).toBe('hanging-0/4');
    expect(await next(queue)).toBeUndefined();
  });

  it('never hands out more keys of a lane than its limit, while other lanes continue', async () => {
    const { queue } = queueWith({
      laneOf: (k) => k.namespace,
      laneLimit: (lane) => (lane === 'slow' ? 4 : 1),
    });
    for (const text of ['slow/1', 'slow/2', 'slow/3', 'quick/1', 'quick/2']) queue.add(key(text));
    const taken = [await next(queue), await next(queue), await next(queue)];
    expect(new Set(taken)).toEqual(new Set(['slow/1', 'slow/2', 'quick/1']));
    expect(await next(queue)).toBeUndefined();
    expect(queue.size).toBe(2);
    queue.done(key('quick/1'));
    expect(await next(queue)).toBe('quick/2');
    queue.done(key('slow/2'));
    expect(await next(queue)).toBe('slow/3');
  });

  it('lets lanes of equal urgency take turns', async () => {
    const { queue } = queueWith({ laneOf: (k) => k.namespace, laneLimit: () => 10 });
    for (const text of ['x/1', 'x/2', 'x/3', 'y/1', 'y/2', 'z/1']) queue.add(key(text));
    expect(await runAll(queue)).toEqual(['x/1', 'y/1', 'z/1', 'x/2', 'y/2', 'x/3']);
  });

  it('follows a changed limit, with a minimum of one', async () => {
    let limit = 0;
    const { queue } = queueWith({ laneOf: () => 'lane', laneLimit: () => limit });
    for (const text of ['a/1', 'a/2', 'a/3']) queue.add(key(text));
    expect(await next(queue)).toBe('a/1');
    expect(await next(queue)).toBeUndefined();
    limit = 4;
    queue.done(key('a/1'));
    expect([await next(queue), await next(queue)]).toEqual(['a/2', 'a/3']);
  });

  it('applies a lowered limit at once, even if more keys run already', async () => {
    let limit = 3;
    const { queue } = queueWith({ laneOf: () => 'lane', laneLimit: () => limit });
    for (const text of ['a/1', 'a/2', 'a/3', 'a/4']) queue.add(key(text));
    expect([await next(queue), await next(queue)]).toEqual(['a/1', 'a/2']);
    limit = 1;
    expect(await next(queue)).toBeUndefined();
    queue.done(key('a/1'));
    expect(await next(queue)).toBeUndefined();
    queue.done(key('a/2'));
    expect(await next(queue)).toBe('a/3');
  });

  it('applies a raised limit when a waiting key is added again', async () => {
    let limit = 1;
    const { queue } = queueWith({ laneOf: () => 'lane', laneLimit: () => limit });
    for (const text of ['a/1', 'a/2', 'a/3']) queue.add(key(text));
    expect([await next(queue), await next(queue)]).toEqual(['a/1', undefined]);
    limit = 6;
    queue.add(key('a/3'));
    expect([await next(queue), await next(queue)]).toEqual(['a/2', 'a/3']);
  });

  it('lets a key behind a slow service continue as soon as it belongs to another lane', async () => {
    const laneOf = new Map([['moving', 'slow']]);
    const { queue } = queueWith({ laneOf: (k) => laneOf.get(k.name) ?? 'slow', laneLimit: () => 1 });
    for (const text of ['a/hangs', 'a/waits', 'a/moving']) queue.add(key(text));
    expect([await next(queue), await next(queue)]).toEqual(['a/hangs', undefined]);
    laneOf.set('moving', 'quick');
    queue.add(key('a/moving'));
    expect([await next(queue), await next(queue)]).toEqual(['a/moving', undefined]);
  });

  it('counts a running key for the lane in which it began', async () => {
    let lane = 'old';
    const { queue } = queueWith({ laneOf: (k) => (k.name === 'moves' ? lane : 'old'), laneLimit: () => 1 });
    for (const text of ['a/moves', 'a/stays']) queue.add(key(text));
    expect(await next(queue)).toBe('a/moves');
    lane = 'new';
    queue.add(key('a/moves'));
    expect(await next(queue)).toBeUndefined();
    queue.done(key('a/moves'));
    expect(new Set([await next(queue), await next(queue)])).toEqual(new Set(['a/moves', 'a/stays']));
  });

  it('does not limit keys without a lane', async () => {
    const { queue } = queueWith({ laneOf: () => undefined, laneLimit: () => 1 });
    for (const text of ['a/1', 'a/2', 'a/3']) queue.add(key(text));
    expect([await next(queue), await next(queue), await next(queue)]).toEqual(['a/1', 'a/2', 'a/3']);
  });
});

describe('shutdown', () => {
  it('hands out no more keys, releases waiting workers, accepts no keys, and lets running keys end', async () => {
    const { queue, clock } = queueWith();
    queue.add(key('a/running'));
    expect(await next(queue)).toBe('a/running');
    queue.addAfter(key('a/later'), 1_000, 'resync');
    const waiting = queue.get();
    queue.shutdown();
    expect(await waiting).toBeUndefined();
    queue.add(key('a/new'));
    queue.addAfter(key('a/new'), 10, 'user');
    queue.done(key('a/running'));
    await clock.advance(60_000);
    expect(await queue.get()).toBeUndefined();
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not hand out waiting keys', async () => {
    const { queue } = queueWith();
    queue.add(key('a/one'));
    queue.shutdown();
    expect(await queue.get()).toBeUndefined();
  });
});

describe('the reports of a queue', () => {
  it('cover adds, waits and runs, and the state is correct', async () => {
    const told: string[] = [];
    const { queue, clock } = queueWith({
      reporter: {
        added: () => told.push('added'),
        started: (seconds) => told.push(`started after ${seconds}`),
        finished: (seconds) => told.push(`finished after ${seconds}`),
        retried: () => told.push('retried'),
      },
    });
    queue.add(key('a/one'));
    queue.add(key('a/one'));
    queue.addAfter(key('a/later'), 60_000, 'resync');
    await clock.advance(2_000);
    await next(queue);
    await clock.advance(3_000);
    expect(queue.state()).toEqual({
      waiting: 0,
      delayed: 1,
      running: 1,
      unfinishedSeconds: 3,
      longestRunningSeconds: 3,
    });
    queue.done(key('a/one'));
    expect(told).toEqual(['added', 'started after 2', 'finished after 3']);
  });
});

describe('an overtaken run', () => {
  async function running(as: CallPriority): Promise<WorkQueue> {
    const { queue } = queueWith();
    queue.add(key('a/one'), as);
    expect(await next(queue)).toBe('a/one');
    return queue;
  }

  it('is signalled when its key is added with a higher urgency, and only then', async () => {
    const queue = await running('rollout');
    const overtaken = queue.overtaken(key('a/one'));
    queue.add(key('a/one'), 'resync');
    queue.add(key('a/one'), 'rollout');
    expect(overtaken?.aborted).toBe(false);
    queue.add(key('a/one'), 'user');
    expect(overtaken?.reason).toBeInstanceOf(OvertakenError);
  });

  it('is also signalled if the key was added before the run asked', async () => {
    const queue = await running('rollout');
    queue.add(key('a/one'), 'user');
    expect(queue.overtaken(key('a/one'))?.aborted).toBe(true);
  });

  it('is never a run of the highest urgency, until the queue is shut down', async () => {
    const queue = await running('user');
    const overtaken = queue.overtaken(key('a/one'));
    queue.add(key('a/one'), 'user');
    expect(overtaken?.aborted).toBe(false);
    queue.shutdown();
    expect(overtaken?.aborted).toBe(true);
  });

  it('is any run that asks after the queue was shut down', async () => {
    const queue = await running('user');
    queue.shutdown();
    expect(queue.overtaken(key('a/one'))?.aborted).toBe(true);
  });

  it('is no longer overtaken after it ends', async () => {
    const queue = await running('rollout');
    const before = queue.overtaken(key('a/one'));
    queue.add(key('a/one'), 'rollout');
    queue.done(key('a/one'));
    expect(await next(queue)).toBe('a/one');
    queue.add(key('a/one'), 'user');
    expect(before?.aborted).toBe(false);
    expect(queue.overtaken(key('a/one'))?.aborted).toBe(true);
  });
});
