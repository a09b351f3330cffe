/** Places that namespaces share: at most `most` in all, and at most `mostOfOne` for one namespace. */
export class Shares {
  readonly #most: number;
  readonly #mostOfOne: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  constructor(most: number, mostOfOne: number) {
    this.#most = most;
    this.#mostOfOne = mostOfOne;
  }

  /** Takes a place; false if none is left for this namespace. */
  take(namespace: string): boolean {
    const taken = this.#taken.get(namespace) ?? 0;
    if (this.#total >= this.#most || taken >= this.#mostOfOne) return false;
    this.#taken.set(namespace, taken + 1);
    this.#total += 1;
    return true;
  }

  /** Returns a place that was taken before. */
  give(namespace: string): void {
    const taken = this.#taken.get(namespace) ?? 0;
    if (taken === 0) throw new Error(`namespace ${namespace} has taken no place`);
    if (taken === 1) this.#taken.delete(namespace);
    else this.#taken.set(namespace, taken - 1);
    this.#total -= 1;
  }
}
