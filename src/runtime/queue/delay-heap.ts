/** The members of an item in a `DelayHeap`. `heapIndex` is -1 outside the heap, and only the heap writes it. */
export interface Delayed {
  dueAtMs: number;
  heapIndex: number;
}

/** A binary heap ordered by due time that can remove any item. Adding and removing an item are O(log n). */
export class DelayHeap<T extends Delayed> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The item that is due first. */
  get first(): T | undefined {
    return this.#items[0];
  }

  /** Yields the items that are due by a time, in no particular order. */
  *dueBy(ms: number, place = 0): Generator<T> {
    const item = this.#items[place];
    if (item === undefined || item.dueAtMs > ms) return;
    yield item;
    yield* this.dueBy(ms, 2 * place + 1);
    yield* this.dueBy(ms, 2 * place + 2);
  }

  /** Adds an item, or moves a known one to the place of its current `dueAtMs`. */
  put(item: T): void {
    if (item.heapIndex < 0) {
      item.heapIndex = this.#items.length;
      this.#items.push(item);
    }
    this.#settle(item);
  }

  /** Removes an item. Does nothing if the heap does not contain it. */
  remove(item: T): void {
    const place = item.heapIndex;
    if (place < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#set(place, last);
    this.#settle(last);
  }

  /** Makes every item due earlier by `ms`, which keeps their order. */
  bringForward(ms: number): void {
    for (const item of this.#items) item.dueAtMs -= ms;
  }

  /** Removes every item. */
  clear(): void {
    for (const item of this.#items) item.heapIndex = -1;
    this.#items.length = 0;
  }

  #settle(item: T): void {
    this.#rise(item);
    this.#sink(item);
  }

  #rise(item: T): void {
    while (item.heapIndex > 0) {
      const place = item.heapIndex;
      const parent = this.#items[(place - 1) >>> 1];
      if (parent === undefined || parent.dueAtMs <= item.dueAtMs) return;
      const parentPlace = parent.heapIndex;
      this.#set(place, parent);
      this.#set(parentPlace, item);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const place = item.heapIndex;
      const left = this.#items[2 * place + 1];
      const right = this.#items[2 * place + 2];
      const child = right !== undefined && left !== undefined && right.dueAtMs < left.dueAtMs ? right : left;
      if (child === undefined || child.dueAtMs >= item.dueAtMs) return;
      const childPlace = child.heapIndex;
      this.#set(place, child);
      this.#set(childPlace, item);
    }
  }

  #set(place: number, item: T): void {
    this.#items[place] = item;
    item.heapIndex = place;
  }
}
