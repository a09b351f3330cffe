import type { Key } from '../../api/metadata.ts';
import { LinkedList } from './linked-list.ts';
import type { Linked } from './linked-list.ts';
import { PATIENCE, PRIORITIES } from './priorities.ts';

/** The members of an item that waits in a lane. */
export interface LaneItem<T extends LaneItem<T>> extends Linked<T> {
  readonly key: Key;
  /** The urgency. It changes only while the item does not wait. */
  level: number;
  /** The lane in which the item waits or runs. Only the lane and the order write it. */
  lane: Lane<T> | undefined;
}

/** The waiting keys of one namespace, in the order in which they came. */
class NamespaceLine<T extends LaneItem<T>> implements Linked<NamespaceLine<T>> {
  readonly name: string;
  readonly items = new LinkedList<T>();
  previous: NamespaceLine<T> | undefined = undefined;
  next: NamespaceLine<T> | undefined = undefined;
  list: LinkedList<NamespaceLine<T>> | undefined = undefined;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * The waiting keys of one lane and one priority. Their namespaces take turns in rounds. A namespace that begins to wait
 * has a turn in the current round, before those that have had theirs. None has two turns in one round. A namespace that
 * is held back has its turns later.
 */
class Level<T extends LaneItem<T>> {
  readonly #byNamespace = new Map<string, NamespaceLine<T>>();
  /** Namespaces whose turn in this round is still to come. */
  #owed = new LinkedList<NamespaceLine<T>>();
  /** Namespaces that have had their turn, even if they no longer wait, so that a new key gives them no second turn. */
  #served = new LinkedList<NamespaceLine<T>>();
  #waiting = 0;
  passedOver = 0;

  add(item: T): void {
    this.#waiting += 1;
    const namespace = item.key.namespace;
    let line = this.#byNamespace.get(namespace);
    if (line === undefined) {
      line = new NamespaceLine<T>(namespace);
      this.#byNamespace.set(namespace, line);
      this.#owed.push(line);
    }
    line.items.push(item);
  }

  remove(item: T): void {
    const line = this.#byNamespace.get(item.key.namespace);
    if (line === undefined) return;
    line.items.remove(item);
    this.#waiting -= 1;
    if (line.items.size === 0 && line.list === this.#owed) this.#forget(line);
    if (this.#waiting === 0) this.#end();
  }

  /** Yields the waiting items, one namespace after another. */
  *[Symbol.iterator](): Generator<T> {
    for (const { items } of this.#byNamespace.values()) yield* items;
  }

  /** True if a key waits in a namespace that is not held back. */
  hasOne(heldBack: string | undefined): boolean {
    if (heldBack === undefined) return this.#waiting > 0;
    return this.#waiting > (this.#byNamespace.get(heldBack)?.items.size ?? 0);
  }

  /** Takes the first key of the namespace whose turn it is. Skips the namespace that is held back. */
  take(heldBack: string | undefined): T | undefined {
    const line = this.#next(heldBack);
    const item = line?.items.first;
    if (line === undefined || item === undefined) return undefined;
    this.#owed.remove(line);
    this.#served.push(line);
    this.remove(item);
    return item;
  }

  /** Returns the namespace whose turn it is. Begins another round if all have had their turn. */
  #next(heldBack: string | undefined): NamespaceLine<T> | undefined {
    for (;;) {
      const first = this.#owed.first;
      const line = first !== undefined && first.name === heldBack ? first.next : first;
      if (line === undefined && this.#served.size === 0) return undefined;
      if (line === undefined) [this.#owed, this.#served] = [this.#served, this.#owed];
      else if (line.items.size > 0) return line;
      else this.#forget(line);
    }
  }

  #forget(line: NamespaceLine<T>): void {
    line.list?.remove(line);
    this.#byNamespace.delete(line.name);
  }

  /** Resets the state when no key waits, so that later keys start without a debt for earlier turns. */
  #end(): void {
    this.passedOver = 0;
    for (const line of this.#byNamespace.values()) this.#forget(line);
  }
}

/** Returns how many of `limit` keys may be of one namespace. The other half stays free for other namespaces. */
function shareOf(limit: number): number {
  return Math.ceil(limit / 2);
}

/** The waiting and running keys that share one limit: those of one connection. */
export class Lane<T extends LaneItem<T>> implements Linked<Lane<T>> {
  readonly name: string | undefined;
  running = 0;
  waiting = 0;
  readonly #runningOf = new Map<string, number>();
  /** Created when a key first waits at that level: most lanes hold only one key before they are forgotten. */
  readonly #levels: (Level<T> | undefined)[] = PRIORITIES.map(() => undefined);

  previous: Lane<T> | undefined = undefined;
  next: Lane<T> | undefined = undefined;
  list: LinkedList<Lane<T>> | undefined = undefined;

  /** A lane without a name holds the keys that belong to no lane and have no limit. */
  constructor(name: string | undefined) {
    this.name = name;
  }

  add(item: T): void {
    item.lane = this;
    this.waiting += 1;
    (this.#levels[item.level] ??= new Level<T>()).add(item);
  }

  remove(item: T): void {
    this.waiting -= 1;
    this.#levels[item.level]?.remove(item);
  }

  /** Returns at most `most` waiting items, the most urgent first. */
  upNext(most: number): readonly T[] {
    const found: T[] = [];
    for (const level of this.#levels)
      for (const item of level ?? []) {
        if (found.length >= most) return found;
        found.push(item);
      }
    return found;
  }

  /**
   * Returns the level of the most urgent key that may run if `limit` (1 or more) may run at once, or undefined if none
   * may.
   */
  urgency(limit: number): number | undefined {
    if (this.waiting === 0 || this.running >= limit) return undefined;
    const heldBack = this.#heldBack(limit);
    const level = this.#levels.findIndex((one) => one?.hasOne(heldBack));
    return level < 0 ? undefined : level;
  }

  /** Takes the next key if `limit` may run at once: the most urgent one, or one that was passed over too often. */
  take(limit: number): T | undefined {
    const urgency = this.urgency(limit);
    if (urgency === undefined) return undefined;
    const heldBack = this.#heldBack(limit);
    const chosen = this.#impatient(heldBack) ?? urgency;
    const level = this.#levels[chosen];
    const item = level?.take(heldBack);
    if (level === undefined || item === undefined) return undefined;
    level.passedOver = 0;
    for (const lower of this.#levels.slice(chosen + 1)) if (lower?.hasOne(heldBack)) lower.passedOver += 1;
    const { namespace } = item.key;
    this.waiting -= 1;
    this.running += 1;
    this.#runningOf.set(namespace, (this.#runningOf.get(namespace) ?? 0) + 1);
    return item;
  }

  /** Frees the place of a key that was taken. */
  finished({ key: { namespace } }: T): void {
    this.running -= 1;
    const left = (this.#runningOf.get(namespace) ?? 1) - 1;
    if (left > 0) this.#runningOf.set(namespace, left);
    else this.#runningOf.delete(namespace);
  }

  /** Returns the namespace that has used its share. If two have used theirs, the lane has no room at all. */
  #heldBack(limit: number): string | undefined {
    const share = shareOf(limit);
    if (this.running < share) return undefined;
    for (const [namespace, running] of this.#runningOf) if (running >= share) return namespace;
    return undefined;
  }

  #impatient(heldBack: string | undefined): number | undefined {
    for (let level = this.#levels.length - 1; level > 0; level -= 1) {
      const one = this.#levels[level];
      if (one !== undefined && one.passedOver >= PATIENCE && one.hasOne(heldBack)) return level;
    }
    return undefined;
  }
}
