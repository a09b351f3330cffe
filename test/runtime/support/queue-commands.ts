import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Key } from '../../../src/api/metadata.ts';
import { PRIORITIES } from '../../../src/runtime/queue/priorities.ts';
import { WorkQueue } from '../../../src/runtime/queue/work-queue.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { LANES, type QueueModel } from './queue-model.ts';

const KEYS: readonly Key[] = ['a', 'b', 'cc', 'dd', 'eee', 'fff', 'g', 'hh'].map((name, n) => ({
  kind: 'Deployment',
  namespace: `ns-${n % 3}`,
  name,
}));

/** A real queue with workers that wait for it, and the keys that they received. */
export class QueueUnderTest {
  readonly clock = new VirtualClock({ startMs: 0 });
  readonly queue: WorkQueue;
  readonly #workers: AbortController[] = [];
  readonly #given: Key[] = [];
  sentAway = 0;

  constructor({ rules }: QueueModel) {
    const { clock } = this;
    this.queue = new WorkQueue({
      clock,
      laneOf: (key) => rules.laneOf(key),
      laneLimit: (lane) => rules.limitOf(lane),
    });
  }

  workerComes(): void {
    const leave = new AbortController();
    this.#workers.push(leave);
    void this.queue.get(leave.signal).then((key) => {
      this.#workers.splice(this.#workers.indexOf(leave), 1);
      if (key === undefined) this.sentAway += 1;
      else this.#given.push(key);
    });
  }

  workerLeaves(): void {
    this.#workers[0]?.abort();
  }

  /** Compares with the model, after every pending event has occurred. */
  async settle(model: QueueModel): Promise<void> {
    await this.clock.settle();
    for (const key of this.#given.splice(0)) model.handedOut(key);
    expect(this.#workers.length, 'workers that wait').toBe(model.idleWorkers);
    if (model.idleWorkers > 0) expect(model.runnable, 'a worker waits, so nothing may').toEqual([]);
    if (!model.closed) expect(this.queue.state()).toMatchObject(model.counts);
    expect(this.clock.pendingTimers).toBeLessThanOrEqual(model.closed ? 0 : 1);
  }
}

/** A command that is played on both, and prints what it does. */
function command(
  text: string,
  play: (model: QueueModel, real: QueueUnderTest) => void | Promise<void>,
): fc.AsyncCommand<QueueModel, QueueUnderTest> {
  return {
    check: () => true,
    run: async (model, real) => {
      await play(model, real);
      await real.settle(model);
    },
    toString: () => text,
  };
}

const anyKey = fc.constantFrom(...KEYS);
const anyLevel = fc.integer({ min: 0, max: PRIORITIES.length - 1 });

const add = fc.tuple(anyKey, anyLevel).map(([key, level]) =>
  command(`add ${key.name} as ${PRIORITIES[level]}`, (model, real) => {
    model.add(key, level);
    real.queue.add(key, PRIORITIES[level]);
  }),
);

const addAfter = fc.tuple(anyKey, fc.integer({ min: 1, max: 30 }), anyLevel).map(([key, ms, level]) =>
  command(`add ${key.name} after ${ms} ms as ${PRIORITIES[level]}`, (model, real) => {
    model.addAfter(key, real.clock.now() + ms, level);
    real.queue.addAfter(key, ms, PRIORITIES[level]!);
  }),
);

const workerComes = fc.constant(
  command('a worker comes', (model, real) => {
    if (!model.closed) model.idleWorkers += 1;
    real.workerComes();
  }),
);

const workerLeaves = fc.constant(
  command('a worker leaves', (model, real) => {
    if (model.idleWorkers > 0) model.idleWorkers -= 1;
    real.workerLeaves();
  }),
);

const done = fc.nat(KEYS.length - 1).map((nth) =>
  command(`running key ${nth} is done`, (model, real) => {
    const key = model.running[nth % Math.max(1, model.running.length)];
    if (key === undefined) return;
    model.done(key);
    real.queue.done({ ...key });
  }),
);

/** Stops the time wherever a delay ends, since keys are handed out at once there. */
const advance = fc.integer({ min: 1, max: 40 }).map((ms) =>
  command(`${ms} ms pass`, async (model, real) => {
    const endMs = real.clock.now() + ms;
    while (model.nextDueMs <= endMs) {
      const dueMs = model.nextDueMs;
      model.delaysEnd(dueMs);
      await real.clock.advanceTo(dueMs);
      await real.settle(model);
    }
    await real.clock.advanceTo(endMs);
  }),
);

const move = fc.tuple(anyKey, fc.constantFrom(...LANES, undefined), fc.boolean()).map(([key, lane, told]) =>
  command(`${key.name} moves to lane ${lane ?? 'none'}${told ? ' and is added' : ''}`, (model, real) => {
    model.rules.move(key, lane);
    if (!told) return;
    model.add(key, 0);
    real.queue.add(key, 'user');
  }),
);

/**
 * When a limit is raised, a waiting key is added, as the operator does when a connection changes. A lowered limit needs
 * no add.
 */
const limit = fc.tuple(fc.constantFrom(...LANES), fc.integer({ min: 0, max: 4 })).map(([lane, count]) =>
  command(`lane ${lane} is limited to ${count}`, (model, real) => {
    const raised = count > model.rules.limitOf(lane);
    model.rules.limit(lane, count);
    const key = raised ? model.waitingIn(lane) : undefined;
    if (key === undefined) return;
    model.add(key, PRIORITIES.length - 1);
    real.queue.add(key, 'resync');
  }),
);

const shutdown = fc.constant(
  command('the queue is shut down', (model, real) => {
    model.shutdown();
    real.queue.shutdown();
  }),
);

/** Every command that can occur while a queue works. */
export const WORKING = [
  add,
  add,
  addAfter,
  workerComes,
  workerComes,
  workerLeaves,
  done,
  done,
  advance,
  move,
  limit,
];

/** The same commands and the shutdown, which may occur at any moment. */
export const WORKING_AND_ENDING = [...WORKING, shutdown];

/** Lets every key end: with enough workers for every key, and enough time for every delay. */
export async function drain(model: QueueModel, real: QueueUnderTest): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    const endMs = model.nextDueMs;
    if (Number.isFinite(endMs)) {
      model.delaysEnd(endMs);
      await real.clock.advanceTo(endMs);
    }
    if (!model.closed && model.idleWorkers === 0) {
      model.idleWorkers += 1;
      real.workerComes();
    }
    await real.settle(model);
    const [key] = model.running;
    if (key === undefined && !Number.isFinite(model.nextDueMs)) return;
    if (key === undefined) continue;
    model.done(key);
    real.queue.done(key);
    await real.settle(model);
  }
  throw new Error('the queue does not come to rest');
}
