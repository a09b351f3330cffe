import type { KubernetesObject } from './resources.ts';

/** One object before and after; absent before it existed, or after it was gone. */
export interface CacheChange<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** Names of secondary indexes, and what each finds an object under; must not throw. */
export type Indexers<T, Index extends string> = Readonly<Record<Index, (object: T) => readonly string[]>>;

/** Objects by namespace and name, with secondary indexes. Objects are frozen: what is handed out cannot change. */
export class ObjectCache<T extends KubernetesObject, Index extends string> {
  readonly #objects = new Map<string, T>();
  readonly #indexes: readonly {
    name: Index;
    values: (object: T) => readonly string[];
    found: Map<string, Set<string>>;
  }[];

  constructor(indexers: Indexers<T, Index>) {
    const names = Object.keys(indexers) as Index[];
    this.#indexes = names.map((name) => ({ name, values: indexers[name], found: new Map() }));
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(place(namespace, name));
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  /** Objects that an index finds under `value`. */
  byIndex(index: Index, value: string): readonly T[] {
    const places = this.#indexes.find((entry) => entry.name === index)?.found.get(value) ?? [];
    return [...places].map((at) => this.#objects.get(at)).filter((object) => object !== undefined);
  }

  /**
   * Puts an object in. Nothing changes for the same version of the same object; one with another uid is told as
   * the end of the old and the beginning of the new.
   */
  put(object: T): readonly CacheChange<T>[] {
    const at = placeOf(object);
    const before = this.#objects.get(at);
    if (before !== undefined && sameVersion(before, object)) return [];
    if (before !== undefined) this.#unindex(at, before);
    const after = deepFreeze(object);
    this.#objects.set(at, after);
    this.#index(at, after);
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
  replace(namespace: string, items: readonly T[]): readonly CacheChange<T>[] {
    const kept = new Set(items.map(placeOf));
    const inScope = (object: T): boolean => namespace === '' || object.metadata.namespace === namespace;
    const gone = this.list().filter((object) => inScope(object) && !kept.has(placeOf(object)));
    return [...gone.flatMap((object) => this.remove(object)), ...items.flatMap((object) => this.put(object))];
  }

  #index(at: string, object: T): void {
    for (const { values, found } of this.#indexes) {
      for (const value of values(object)) {
        const places = found.get(value);
        if (places === undefined) found.set(value, new Set([at]));
        else places.add(at);
      }
    }
  }

  #unindex(at: string, object: T): void {
    for (const { values, found } of this.#indexes) {
      for (const value of values(object)) {
        const places = found.get(value);
        places?.delete(at);
        if (places?.size === 0) found.delete(value);
      }
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

/** The same value, which nobody can change any more. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
