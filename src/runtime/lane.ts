import type { Key } from '../api/metadata.ts';
import { LinkedList } from './linked-list.ts';
import type { Linked } from './linked-list.ts';
import { PATIENCE, PRIORITIES } from './priority.ts';

/** What an item needs to wait in a lane. */
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
 * under way, and so comes before those that had theirs; nobody has two in one round.
 */
class Level<T extends LaneItem<T>> {
  readonly #byNamespace = new Map<string, NamespaceLine<T>>();
  /** Those whose turn in this round is to come. */
  #owed = new LinkedList<NamespaceLine<T>>();
  /** Those that had it, also where nothing of theirs waits any more: should it, they are known. */
  #served = new LinkedList<NamespaceLine<T>>();
  #waiting = 0;
  passedOver = 0;

  get empty(): boolean {
    return this.#waiting === 0;
  }

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
    if (this.empty) this.#end();
  }

  /** Takes the first key of the namespace whose turn it is. */
  take(): T | undefined {
    const line = this.#next();
    const item = line?.items.first;
    if (line === undefined || item === undefined) return undefined;
    this.#owed.remove(line);
    this.#served.push(line);
    this.remove(item);
    return item;
  }

  /** The namespace whose turn it is; where all had theirs, another round begins. */
  #next(): NamespaceLine<T> | undefined {
    for (;;) {
      if (this.#owed.size === 0) [this.#owed, this.#served] = [this.#served, this.#owed];
      const line = this.#owed.first;
      if (line === undefined || line.items.size > 0) return line;
      this.#forget(line);
    }
  }

  #forget(line: NamespaceLine<T>): void {
    line.list?.remove(line);
    this.#byNamespace.delete(line.name);
  }

  /** Nobody waits any more: who comes next owes nothing for what others had before. */
  #end(): void {
    this.passedOver = 0;
    for (const line of this.#byNamespace.values()) this.#forget(line);
  }
}

/** The waiting and running keys that share one limit: those of one connection. */
export class Lane<T extends LaneItem<T>> implements Linked<Lane<T>> {
  readonly name: string | undefined;
  running = 0;
  waiting = 0;
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

  /** The level of the most urgent key that waits. */
  get urgency(): number {
    let level = 0;
    while (level < this.#levels.length && (this.#levels[level]?.empty ?? true)) level += 1;
    return level;
  }

  /** Takes the lane's next key: the most urgent one, or one that has been passed over too often. */
  take(): T | undefined {
    const chosen = this.#impatient() ?? this.urgency;
    const level = this.#levels[chosen];
    const item = level?.take();
    if (level === undefined || item === undefined) return undefined;
    level.passedOver = 0;
    for (let lower = chosen + 1; lower < this.#levels.length; lower += 1) {
      const passed = this.#levels[lower];
      if (passed !== undefined && !passed.empty) passed.passedOver += 1;
    }
    this.waiting -= 1;
    this.running += 1;
    return item;
  }

  #impatient(): number | undefined {
    for (let level = this.#levels.length - 1; level > 0; level -= 1) {
      if ((this.#levels[level]?.passedOver ?? 0) >= PATIENCE) return level;
    }
    return undefined;
  }
}
