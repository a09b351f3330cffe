import type { Key } from '../../api/metadata.ts';
import { LinkedList } from './linked-list.ts';
import type { Linked } from './linked-list.ts';
import { PATIENCE, PRIORITIES } from './priorities.ts';

/** The members of an item that waits in a lane. */
export interface LaneItem<T extends LaneItem<T>> extends Linked<T> {
  readonly key: Key;
  /** Its urgency; changed only while it waits nowhere. */
  level: number;
  /** Where it waits or runs; the lane and the order alone write it. */
  lane: Lane<T> | undefined;
}

/** The waiting keys of one namespace, first come first served. */
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
 * Namespaces that take turns, within one lane and one priority, in rounds: who begins to wait has its turn in the round
 * under way, and so comes before those that had theirs; none has two in one round. One of them may be held back: it
 * has its turns later.
 */
class Level<T extends LaneItem<T>> {
  readonly #byNamespace = new Map<string, NamespaceLine<T>>();
  /** Those whose turn in this round is to come. */
  #owed = new LinkedList<NamespaceLine<T>>();
  /** Those that had it, also where nothing of theirs waits any more: should it, they are known. */
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

  /** Those that wait, a namespace at a time. */
  *[Symbol.iterator](): Generator<T> {
    for (const { items } of this.#byNamespace.values()) yield* items;
  }

  /** Whether a key waits of a namespace that is not held back. */
  hasOne(heldBack: string | undefined): boolean {
    if (heldBack === undefined) return this.#waiting > 0;
    return this.#waiting > (this.#byNamespace.get(heldBack)?.items.size ?? 0);
  }

  /** Takes the first key of the namespace whose turn it is, of those that are not held back. */
  take(heldBack: string | undefined): T | undefined {
    const line = this.#next(heldBack);
    const item = line?.items.first;
    if (line === undefined || item === undefined) return undefined;
    this.#owed.remove(line);
    this.#served.push(line);
    this.remove(item);
    return item;
  }

  /** The namespace whose turn it is; where all had theirs, another round begins. */
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

  /** Called when nothing waits any more: the next one starts without a debt for the turns before. */
  #end(): void {
    this.passedOver = 0;
    for (const line of this.#byNamespace.values()) this.#forget(line);
  }
}

/** Of so many keys at once, how many may be of one namespace: the other half is there for those who come next. */
function shareOf(limit: number): number {
  return Math.ceil(limit / 2);
}

/** The waiting and running keys that share one limit: those of one connection. */
export class Lane<T extends LaneItem<T>> implements Linked<Lane<T>> {
  readonly name: string | undefined;
  running = 0;
  waiting = 0;
  readonly #runningOf = new Map<string, number>();
  /** Made when something waits in them: most lanes are made for one key, and forgotten after it. */
  readonly #levels: (Level<T> | undefined)[] = PRIORITIES.map(() => undefined);

  previous: Lane<T> | undefined = undefined;
  next: Lane<T> | undefined = undefined;
  list: LinkedList<Lane<T>> | undefined = undefined;

  /** Without a name: keys that belong to no lane, and so have no limit. */
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

  /** The items that wait, the most urgent first, at most `most`. */
  upNext(most: number): readonly T[] {
    const found: T[] = [];
    for (const level of this.#levels)
      for (const item of level ?? []) {
        if (found.length >= most) return found;
        found.push(item);
      }
    return found;
  }

  /** The level of the most urgent key that may run, of `limit` (1 or more) at once; undefined where none may. */
  urgency(limit: number): number | undefined {
    if (this.waiting === 0 || this.running >= limit) return undefined;
    const heldBack = this.#heldBack(limit);
    const level = this.#levels.findIndex((one) => one?.hasOne(heldBack));
    return level < 0 ? undefined : level;
  }

  /** Takes the lane's next key, of `limit` at once: the most urgent one, or one that has been passed over too often. */
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

  /** Gives back the place of a key that was taken. */
  finished({ key: { namespace } }: T): void {
    this.running -= 1;
    const left = (this.#runningOf.get(namespace) ?? 1) - 1;
    if (left > 0) this.#runningOf.set(namespace, left);
    else this.#runningOf.delete(namespace);
  }

  /** The namespace that has its share; where two have theirs there is no room for a third. */
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
