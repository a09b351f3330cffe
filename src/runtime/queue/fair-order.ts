import type { Key } from '../../api/metadata.ts';
import { Lane } from './lane.ts';
import type { LaneItem } from './lane.ts';
import { LinkedList } from './linked-list.ts';
import { PATIENCE, PRIORITIES } from './priorities.ts';

/** How keys are divided among lanes. */
export interface LaneRules {
  /** The lane of a key, asked when it begins to wait and at every add after that; undefined where it needs no limit. */
  readonly laneOf: (key: Key) => string | undefined;
  /**
   * How many keys of a lane run at once, at least 1, and half as many of one namespace; asked again at every add to the
   * lane and whenever one is taken.
   */
  readonly laneLimit: (lane: string) => number;
  /** How many keys run at once in all lanes. */
  readonly places: number;
  /**
   * So many of the places are for lanes in which nothing runs. A lane takes a second place, and any other, only while it
   * has fewer than are free beside these: so lanes that are full of passes that hang leave room for others (H59).
   */
  readonly reserved: number;
}

/**
 * Who comes next. The most urgent key of any lane with room; among lanes of equal urgency they take turns, in a
 * lane the namespaces take turns and none has more than half of it, in a namespace first come is first served. A move
 * costs no more with more that waits.
 */
export class FairOrder<T extends LaneItem<T>> {
  readonly #rules: LaneRules;
  readonly #lanes = new Map<string, Lane<T>>();
  readonly #noLane = new Lane<T>(undefined);
  /** Lanes that have room and something waiting, by the urgency of what is next in them. */
  readonly #ready: readonly LinkedList<Lane<T>>[] = PRIORITIES.map(() => new LinkedList<Lane<T>>());
  readonly #passedOver: number[] = PRIORITIES.map(() => 0);
  #size = 0;
  #running = 0;

  constructor(rules: LaneRules) {
    this.#rules = rules;
  }

  /** How many keys wait, those behind a lane's limit included. */
  get size(): number {
    return this.#size;
  }

  /** Lets an item wait with its `level`. */
  add(item: T): void {
    const lane = this.#laneOf(item.key);
    lane.add(item);
    this.#size += 1;
    this.#place(lane);
  }

  /** A waiting item was asked for again: it moves where its lane is another one now, or `level` more urgent. */
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

  /** The items that wait in a lane, the most urgent first, at most so many. */
  upNext(lane: string, most: number): readonly T[] {
    return this.#lanes.get(lane)?.upNext(most) ?? [];
  }

  /** True for an item that would wait in a lane. */
  isIn(lane: string, { key }: T): boolean {
    return this.#rules.laneOf(key) === lane;
  }

  /** Takes the next item that may run now. Its lane counts it as running until `finished`. */
  take(): T | undefined {
    for (let lane = this.#nextLane(); lane !== undefined; lane = this.#nextLane()) {
      // Its limit may have been lowered since it was found to have room for something as urgent.
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

  /** Puts a lane among those that may run, or takes it out; an empty one is forgotten. */
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
   * The first lane that may have another place. Something runs in those before it: they are no more than there are
   * places.
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
