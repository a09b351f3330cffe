/** The links of an item in a `LinkedList`. Only the list writes them. An item is in one list at a time. */
export interface Linked<T extends Linked<T>> {
  previous: T | undefined;
  next: T | undefined;
  list: LinkedList<T> | undefined;
}

/** A list whose items hold their own links, so that removing any item takes constant time. */
export class LinkedList<T extends Linked<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get first(): T | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  /** Appends an item that is in no list. */
  push(item: T): void {
    item.list = this;
    item.previous = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.next = item;
    this.#last = item;
    this.#size += 1;
  }

  /** Removes an item of this list. */
  remove(item: T): void {
    if (item.previous === undefined) this.#first = item.next;
    else item.previous.next = item.next;
    if (item.next === undefined) this.#last = item.previous;
    else item.next.previous = item.previous;
    item.previous = undefined;
    item.next = undefined;
    item.list = undefined;
    this.#size -= 1;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let item = this.#first; item !== undefined; item = item.next) yield item;
  }
}
