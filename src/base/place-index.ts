/**
 * A secondary index that maps a value to its places. Most values have only one place, which is stored without a set.
 */
export class PlaceIndex {
  readonly #places = new Map<string, string | Set<string>>();

  /** Adds a place to a value. */
  add(value: string, at: string): void {
    const known = this.#places.get(value);
    if (known === undefined) this.#places.set(value, at);
    else if (typeof known !== 'string') known.add(at);
    else if (known !== at) this.#places.set(value, new Set([known, at]));
  }

  /** Removes a place from a value. */
  remove(value: string, at: string): void {
    const known = this.#places.get(value);
    if (known === undefined) return;
    if (typeof known !== 'string') known.delete(at);
    if (known === at || (typeof known !== 'string' && known.size === 0)) this.#places.delete(value);
  }

  /** Returns the places of a value, in the order in which they were added. */
  find(value: string): readonly string[] {
    const known = this.#places.get(value);
    if (known === undefined) return [];
    return typeof known === 'string' ? [known] : [...known];
  }
}
