import type { Key } from '../../api/metadata.ts';
import { Lane } from './lane.ts';
import type { LaneItem } from './lane.ts';
import { LinkedList } from './linked-list.ts';
import { PATIENCE, PRIORITIES } from './priorities.ts';

/** The rules that divide keys among lanes. */
export interface LaneRules {
  /**
   * Returns the lane of a key, or undefined if it needs no limit. Called when the key begins to wait and at every later
   * add.
   */
  readonly laneOf: (key: Key) => string | undefined;
  /**
   * Returns how many keys of a lane run at once, at least 1. One namespace may have half of that, rounded up. Called at
   * every add to the lane and whenever one of its keys is taken.
   */
  readonly laneLimit: (lane: string) => number;
  /** How many keys run at once in all lanes. */
  readonly places: number;
  /**
   * The number of places for lanes in which nothing runs. A lane that already runs keys takes another place only while
   * it runs fewer keys than there are free places beyond these. So lanes full of hanging passes leave room for others
   * (H59).
   */
  readonly reserved: number;
}

/**
 * Decides which key runs next: the most urgent key of any lane with room. Lanes of equal urgency take turns. Within a
 * lane, namespaces take turns, and none has more than half of the lane. Within a namespace, the first to come is the
 * first to run. The cost of an operation does not grow with the number of waiting keys.
 */
export class FairOrder<T extends LaneItem<T>> {
  readonly #rules: LaneRules;
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #noLane = new Lane<T>(undefined);
  /** Lanes that have room and a waiting key, by the urgency of their next key. */
  readonly #ready: readonly LinkedList<Lane<T>>[] = PRIORITIES.map(() => new LinkedList<Lane<T>>());
  readonly #passedOver: number[] = PRIORITIES.map(() => 0);
  #size = 0;
  #running = 0;

  constructor(rules: LaneRules) {
    this.#rules = rules;
  }

  /** The number of waiting keys, including those behind the limit of a lane. */
  get size(): number {
    return this.#size;
  }

  /** Adds a waiting item with its current `level`. */
  add(item: T): void {
    const lane = this.#laneOf(item.key);
    lane.add(item);
    this.#size += 1;
    this.#place(lane);
  }

  /** Updates a waiting item that was added again: moves it if its lane has changed or `level` is more urgent. */
  renew(item: T, level: number): void {
    const before = item.lane;
    if (before === undefined) return;
    const after = this.#laneOf(item.key);
    if (after !== before || level < item.level) {
      before.remove(item);
      item.level = Math.min(item.level, level);
      after.add(item);
      this.#place(before);
    }
    this.#place(after);
  }

  /** Returns at most `most` items that wait in a lane, the most urgent first. */
  upNext(lane: string, most: number): readonly T[] {
    return this.#lanes.get(lane)?.upNext(most) ?? [];
  }

  /** True for an item that would wait in this lane. */
  isIn(lane: string, { key }: T): boolean {
    return this.#rules.laneOf(key) === lane;
  }

  /** Takes the next item that may run now. The item counts as running in its lane until `finished`. */
  take(): T | undefined {
    for (let lane = this.#nextLane(); lane !== undefined; lane = this.#nextLane()) {
      // Its limit may be lower now than when it was found to have room for a key of this urgency.
      const found = lane.list;
      this.#place(lane);
      if (lane.list !== found) continue;
      const item = lane.take(this.#limitOf(lane));
      lane.list?.remove(lane);
      this.#place(lane);
      if (item === undefined) continue;
      this.#size -= 1;
      this.#running += 1;
      return item;
    }
    return undefined;
  }

  /** Frees the room that a taken item had in its lane. */
  finished(item: T): void {
    const lane = item.lane;
    if (lane === undefined) return;
    item.lane = undefined;
    this.#running -= 1;
    lane.finished(item);
    this.#place(lane);
  }

  #laneOf(key: Key): Lane<T> {
    const name = this.#rules.laneOf(key);
    if (name === undefined) return this.#noLane;
    let lane = this.#lanes.get(name);
    if (lane === undefined) {
      lane = new Lane<T>(name);
      this.#lanes.set(name, lane);
    }
    return lane;
  }

  /** Adds a lane to those that may run, or removes it. Forgets an empty lane. */
  #place(lane: Lane<T>): void {
    if (lane.running === 0 && lane.waiting === 0 && lane.name !== undefined) this.#lanes.delete(lane.name);
    const urgency = lane.urgency(this.#limitOf(lane));
    const place = urgency === undefined ? undefined : this.#ready[urgency];
    if (lane.list === place) return;
    lane.list?.remove(lane);
    place?.push(lane);
  }

  #limitOf(lane: Lane<T>): number {
    return lane.name === undefined ? Number.POSITIVE_INFINITY : Math.max(1, this.#rules.laneLimit(lane.name));
  }

  #nextLane(): Lane<T> | undefined {
    const first = this.#ready.map((lanes) => this.#firstIn(lanes));
    let chosen = first.findIndex((lane) => lane !== undefined);
    for (let level = first.length - 1; level > chosen; level -= 1) {
      if ((this.#passedOver[level] ?? 0) >= PATIENCE && first[level] !== undefined) chosen = level;
    }
    if (chosen < 0) return undefined;
    for (let lower = chosen + 1; lower < first.length; lower += 1) {
      this.#passedOver[lower] = first[lower] === undefined ? 0 : (this.#passedOver[lower] ?? 0) + 1;
    }
    this.#passedOver[chosen] = 0;
    return first[chosen];
  }

  /**
   * Returns the first lane that may take another place. Every lane before it runs a key, so the search passes at most
   * as many lanes as there are places.
   */
  #firstIn(lanes: LinkedList<Lane<T>>): Lane<T> | undefined {
    const { places, reserved } = this.#rules;
    const free = places - this.#running;
    for (const lane of lanes) {
      if (lane.name === undefined || lane.running === 0 || lane.running < free - reserved) return lane;
    }
    return undefined;
  }
}
