import { Compactor } from './compact.ts';
import { PlaceIndex } from '../model/place-index.ts';
import type { KubernetesObject } from './resources.ts';

/** One object before and after; absent before it existed, or after it was gone. */
export interface CacheChange<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Names of secondary indexes, and what each finds an object under; must not throw. */
export type Indexers<T, Index extends string> = Readonly<Record<Index, (object: T) => readonly string[]>>;

/** An object ready to be put in: all work that takes time is done. */
export interface Prepared<T> {
  readonly object: T;
  readonly at: string;
  /** What each index finds it under. */
  readonly values: readonly (readonly string[])[];
}

/** Objects by namespace and name, with secondary indexes. Objects are frozen: what is handed out cannot change. */
export class ObjectCache<T extends KubernetesObject, Index extends string> {
  readonly #objects = new Map<string, T>();
  readonly #compactor = new Compactor();
  readonly #indexes: readonly {
    name: Index;
    values: (object: T) => readonly string[];
    found: PlaceIndex;
  }[];

  constructor(indexers: Indexers<T, Index>) {
    const names = Object.keys(indexers) as Index[];
    this.#indexes = names.map((name) => ({ name, values: indexers[name], found: new PlaceIndex() }));
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(place(namespace, name));
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  /** Objects that an index finds under `value`. */
  byIndex(index: Index, value: string): readonly T[] {
    const places = this.#indexes.find((entry) => entry.name === index)?.found.find(value) ?? [];
    return places.map((at) => this.#objects.get(at)).filter((object) => object !== undefined);
  }

  /**
   * Does the work of putting in what `decode` makes of an object, and changes nothing yet. What is there already, at
   * this version, is not made again. The object is used up.
   */
  prepare<Raw extends KubernetesObject>(object: Raw, decode: (object: Raw) => T): Prepared<T> {
    const at = placeOf(object);
    const before = this.#objects.get(at);
    if (before !== undefined && sameVersion(before, object)) return { object: before, at, values: [] };
    const after = this.#compactor.compact(decode(object), before);
    return { object: after, at, values: this.#indexes.map(({ values }) => values(after)) };
  }

  /**
   * Puts an object in. Nothing changes for the same version of the same object; one with another uid is told as
   * the end of the old and the beginning of the new.
   */
  put({ object: after, at, values }: Prepared<T>): readonly CacheChange<T>[] {
    const before = this.#objects.get(at);
    if (before !== undefined && sameVersion(before, after)) return [];
    this.#objects.set(at, after);
    this.#index(at, before, values);
    if (before === undefined || before.metadata.uid === after.metadata.uid) return [{ before, after }];
    return [
      { before, after: undefined },
      { before: undefined, after },
    ];
  }

  /** Takes an object out, unless another one has its name by now. */
  remove(object: KubernetesObject): readonly CacheChange<T>[] {
    const at = placeOf(object);
    const before = this.#objects.get(at);
    if (before === undefined || before.metadata.uid !== object.metadata.uid) return [];
    this.#unindex(at, before);
    this.#objects.delete(at);
    return [{ before, after: undefined }];
  }

  /** Makes one namespace, or for '' everything, equal to `items`. */
  replace(namespace: string, items: readonly Prepared<T>[]): readonly CacheChange<T>[] {
    const kept = new Set(items.map(({ at }) => at));
    const inScope = (object: T): boolean => namespace === '' || object.metadata.namespace === namespace;
    const gone = [...this.#objects].filter(([at, object]) => !kept.has(at) && inScope(object));
    return [...gone.flatMap(([, object]) => this.remove(object)), ...items.flatMap((item) => this.put(item))];
  }

  /** Most changes leave all indexes as they are. */
  #index(at: string, before: T | undefined, values: Prepared<T>['values']): void {
    for (const [number, index] of this.#indexes.entries()) {
      const now = values[number] ?? [];
      const old = before === undefined ? [] : index.values(before);
      if (old.length === now.length && old.every((value, place) => value === now[place])) continue;
      for (const value of old) index.found.remove(value, at);
      for (const value of now) index.found.add(value, at);
    }
  }

  #unindex(at: string, object: T): void {
    for (const { values, found } of this.#indexes) {
      for (const value of values(object)) found.remove(value, at);
    }
  }
}

function place(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function placeOf(object: KubernetesObject): string {
  return place(object.metadata.namespace ?? '', object.metadata.name);
}

function sameVersion(a: KubernetesObject, b: KubernetesObject): boolean {
  const { resourceVersion, uid } = a.metadata;
  if (resourceVersion === undefined || uid !== b.metadata.uid) return false;
  return resourceVersion === b.metadata.resourceVersion;
}
