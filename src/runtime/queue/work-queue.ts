import { keyText } from '../../api/metadata.ts';
import type { Key } from '../../api/metadata.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import type { QueueReporter, QueueState } from '../../ports/process/metrics.ts';
import { DelayHeap } from './delay-heap.ts';
import { FairOrder } from './fair-order.ts';
import type { LaneRules } from './fair-order.ts';
import { KeyMap } from './key-map.ts';
import { LinkedList } from './linked-list.ts';
import { levelOf, OvertakenError } from './priorities.ts';
import { WorkItem } from './work-item.ts';

/** The options of a work queue. Without lane rules, no key is limited. */
export interface WorkQueueOptions extends Partial<LaneRules> {
  readonly clock: Clock;
  readonly reporter?: QueueReporter;
}

interface Waiter {
  readonly resolve: (key: Key | undefined) => void;
}

/**
 * A queue of keys to process. A key waits at most once, however often it is added, and never runs twice at once: if it
 * is added while it runs, it waits again when it is done. `FairOrder` decides which key is next.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #reporter: QueueReporter | undefined;
  readonly #items = new KeyMap<WorkItem>();
  readonly #order: FairOrder<WorkItem>;
  readonly #delays = new DelayHeap<WorkItem>();
  readonly #running = new LinkedList<WorkItem>();
  readonly #waiters = new Set<Waiter>();
  #timer: { readonly dueAtMs: number; readonly cancel: () => void } | undefined;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#reporter = options.reporter;
    this.#order = new FairOrder({
      laneOf: options.laneOf ?? (() => undefined),
      laneLimit: options.laneLimit ?? (() => Number.POSITIVE_INFINITY),
      places: options.places ?? Number.POSITIVE_INFINITY,
      reserved: options.reserved ?? 0,
    });
  }

  /** The number of keys that wait to run now, without delayed and running ones. */
  get size(): number {
    return this.#order.size;
  }

  /** Returns at most `most` next keys of a lane: those that wait, then those whose delay ends within `ms`. */
  upNext(lane: string, most: number, ms = 0): readonly Key[] {
    const waiting = this.#order.upNext(lane, most);
    const delayed = ms > 0 ? this.#delays.dueBy(this.#clock.now() + ms) : [];
    const found = [...waiting];
    for (const item of delayed) {
      if (found.length >= most) break;
      if (item.state === 'idle' && this.#order.isIn(lane, item)) found.push(item);
    }
    return found.map(({ key }) => key);
  }

  /** Returns the state for metrics, in time proportional to the number of running keys. */
  state(): QueueState {
    const nowMs = this.#clock.now();
    let longestMs = 0;
    let totalMs = 0;
    for (const item of this.#running) {
      const runningMs = nowMs - item.sinceMs;
      totalMs += runningMs;
      longestMs = Math.max(longestMs, runningMs);
    }
    return {
      waiting: this.#order.size,
      delayed: this.#delays.size,
      running: this.#running.size,
      unfinishedSeconds: totalMs / 1000,
      longestRunningSeconds: longestMs / 1000,
    };
  }

  /**
   * Queues a key to run as soon as possible. Cancels its delay. Raises the priority of a waiting key if the new one is
   * more urgent, and asks for its lane again, which may have changed.
   */
  add(key: Key, priority: CallPriority = 'user'): void {
    if (this.#closed) return;
    const item = this.#itemOf(key);
    this.#delays.remove(item);
    this.#want(item, levelOf(priority));
    this.#handOut();
  }

  /**
   * Queues a key to run after `ms`. Of two delays, keeps the earlier one and the more urgent priority. Does nothing for
   * a key that already waits or will run again: that run decides the next delay.
   */
  addAfter(key: Key, ms: number, priority: CallPriority): void {
    if (!(ms > 0)) {
      this.add(key, priority);
      return;
    }
    if (this.#closed) return;
    const item = this.#itemOf(key);
    if (item.state === 'waiting' || item.dirty) return;
    const level = levelOf(priority);
    const dueAtMs = this.#clock.now() + ms;
    item.dueAtMs = item.delayed ? Math.min(item.dueAtMs, dueAtMs) : dueAtMs;
    item.delayedLevel = item.delayed ? Math.min(item.delayedLevel, level) : level;
    this.#delays.put(item);
    this.#armTimer();
  }

  /**
   * Resolves with the next key as soon as one can run; the caller must then call `done`. Resolves with undefined after
   * a shutdown or an abort.
   */
  get(signal?: AbortSignal): Promise<Key | undefined> {
    if (this.#closed || signal?.aborted) return Promise.resolve(undefined);
    const item = this.#take();
    if (item !== undefined) return Promise.resolve(item.key);
    return new Promise((resolve) => {
      const onAbort = (): void => {
        this.#waiters.delete(waiter);
        resolve(undefined);
      };
      const waiter: Waiter = {
        resolve: (key) => {
          signal?.removeEventListener('abort', onAbort);
          resolve(key);
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /**
   * Returns a signal that aborts with an OvertakenError when a running key is added with a more urgent priority than it
   * runs with, and when the queue shuts down. Returns undefined for a key that does not run.
   */
  overtaken(key: Key): AbortSignal | undefined {
    const item = this.#items.get(key);
    if (item?.state !== 'running') return undefined;
    item.overtaking ??= new AbortController();
    if (this.#closed || (item.dirty && item.level < item.runLevel))
      item.overtaking.abort(new OvertakenError());
    return item.overtaking.signal;
  }

  /** Ends the run of a key, which waits again if it was added in the meantime. Throws for a key that does not run. */
  done(key: Key): void {
    const item = this.#items.get(key);
    if (item?.state !== 'running') throw new Error(`${keyText(key)} is done but was not running`);
    this.#running.remove(item);
    this.#reporter?.finished((this.#clock.now() - item.sinceMs) / 1000);
    item.state = 'idle';
    item.overtaking = undefined;
    this.#order.finished(item);
    if (item.dirty) {
      item.dirty = false;
      this.#wait(item);
    } else if (!item.delayed) {
      this.#items.delete(item.key);
    }
    this.#handOut();
  }

  /**
   * Stops the queue: it hands out and accepts no more keys, and every waiting `get` ends. Running keys are overtaken
   * and still need `done`.
   */
  shutdown(): void {
    this.#closed = true;
    for (const { overtaking } of this.#running) overtaking?.abort(new OvertakenError());
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#delays.clear();
    for (const waiter of this.#waiters) waiter.resolve(undefined);
    this.#waiters.clear();
  }

  #itemOf(key: Key): WorkItem {
    let item = this.#items.get(key);
    if (item === undefined) {
      item = new WorkItem(key);
      this.#items.set(key, item);
    }
    return item;
  }

  #want(item: WorkItem, level: number): void {
    if (item.state === 'idle') {
      item.level = level;
      this.#reporter?.added();
      this.#wait(item);
    } else if (item.state === 'waiting') {
      this.#order.renew(item, level);
    } else if (item.dirty) {
      item.level = Math.min(item.level, level);
    } else {
      item.dirty = true;
      item.level = level;
      this.#reporter?.added();
    }
    if (item.state === 'running' && level < item.runLevel) item.overtaking?.abort(new OvertakenError());
  }

  #wait(item: WorkItem): void {
    item.state = 'waiting';
    item.sinceMs = this.#clock.now();
    this.#order.add(item);
  }

  #take(): WorkItem | undefined {
    const item = this.#order.take();
    if (item === undefined) return undefined;
    const nowMs = this.#clock.now();
    this.#reporter?.started((nowMs - item.sinceMs) / 1000);
    item.state = 'running';
    item.runLevel = item.level;
    item.sinceMs = nowMs;
    this.#running.push(item);
    return item;
  }

  #handOut(): void {
    for (const waiter of this.#waiters) {
      const item = this.#take();
      if (item === undefined) return;
      this.#waiters.delete(waiter);
      waiter.resolve(item.key);
    }
  }

  #armTimer(): void {
    const first = this.#delays.first;
    if (first === undefined || (this.#timer !== undefined && this.#timer.dueAtMs <= first.dueAtMs)) return;
    this.#timer?.cancel();
    const dueAtMs = first.dueAtMs;
    const cancel = this.#clock.after(dueAtMs - this.#clock.now(), () => this.#delaysEnd(dueAtMs));
    this.#timer = { dueAtMs, cancel };
  }

  /** Handles the end of the timer, even if the clock was set back meanwhile: no key waits for the clock to catch up. */
  #delaysEnd(timerDueAtMs: number): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    if (nowMs < timerDueAtMs) this.#delays.bringForward(timerDueAtMs - nowMs);
    for (
      let item = this.#delays.first;
      item !== undefined && item.dueAtMs <= nowMs;
      item = this.#delays.first
    ) {
      this.#delays.remove(item);
      this.#want(item, item.delayedLevel);
    }
    this.#armTimer();
    this.#handOut();
  }
}
