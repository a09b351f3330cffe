import { compact } from '../../base/compact.ts';
import { sharedText } from '../../base/shared-text.ts';
import { PlaceIndex } from '../../base/place-index.ts';
import { memoryOf, type NamespaceBytes } from '../objects/namespace-bytes.ts';
import { identityOf } from '../objects/object-text.ts';
import type { KubernetesObject } from '../objects/resource-type.ts';

/** One object before and after a change; absent before it existed, or after it was gone. */
export interface CacheChange<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/**
 * Names of secondary indexes, each with the function that returns the keys of an object; the function must not throw.
 */
export type Indexers<T, Index extends string> = Readonly<Record<Index, (object: T) => readonly string[]>>;

/** An object ready to be stored: all slow work is done. */
export interface Prepared<T> {
  readonly object: T;
  readonly at: string;
  /** The keys under which each index finds the object. */
  readonly values: readonly (readonly string[])[];
}

/**
 * Stores objects by namespace and name, with secondary indexes. The objects are frozen, so callers cannot change them.
 */
export class ObjectCache<T extends KubernetesObject, Index extends string> {
  readonly #objects = new Map<string, T>();
  readonly #kept: NamespaceBytes | undefined;
  /** The object that was prepared last: neighbours in a list often share a part of their specs. */
  #neighbour: T | undefined;
  /** The size that each object adds to its namespace, measured when it was prepared. */
  readonly #bytes = new Map<string, number>();
  readonly #indexes: readonly {
    name: Index;
    values: (object: T) => readonly string[];
    found: PlaceIndex;
  }[];

  /** Keeps only the identity of an object if `kept` has no room in its namespace. */
  constructor(indexers: Indexers<T, Index>, kept?: NamespaceBytes) {
    this.#kept = kept;
    const names = Object.keys(indexers) as Index[];
    this.#indexes = names.map((name) => ({ name, values: indexers[name], found: new PlaceIndex() }));
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(place(namespace, name));
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  /** Returns the objects that an index finds under `value`. */
  byIndex(index: Index, value: string): readonly T[] {
    const places = this.#indexes.find((entry) => entry.name === index)?.found.find(value) ?? [];
    return places.map((at) => this.#objects.get(at)).filter((object) => object !== undefined);
  }

  /**
   * Prepares the object that `decode` makes, and changes nothing yet. Does not decode an object again that is cached
   * at this version. Consumes the given object.
   */
  prepare<Raw extends KubernetesObject>(object: Raw, decode: (object: Raw) => T): Prepared<T> {
    const at = placeOf(object);
    const before = this.#objects.get(at);
    const isKnown = before !== undefined && sameVersion(before, object);
    // There may now be room for an object that was left out.
    if (isKnown && before.tooLarge === undefined) return { object: before, at, values: [] };
    const after = compact(this.#fitting(object, decode, before), before ?? this.#neighbour);
    this.#neighbour = after;
    return { object: after, at, values: this.#indexes.map(({ values }) => values(after)) };
  }

  #fitting<Raw extends KubernetesObject>(object: Raw, decode: (object: Raw) => T, before: T | undefined): T {
    const whole = decode(object);
    const kept = this.#kept;
    if (kept === undefined) return whole;
    const { namespace = '' } = object.metadata;
    const at = placeOf(object);
    const counted = this.#bytes.get(at) ?? 0;
    const fits =
      whole.tooLarge !== undefined ||
      kept.hasRoom(namespace, memoryOf(whole) - counted) ||
      isNoLarger(whole, before);
    // `Raw` is a type parameter; every type that it stands for works if all fields except the identity are absent.
    const fitting = fits ? whole : decode(identityOf(object, noRoomText(namespace, kept)) as unknown as Raw);
    const bytes = memoryOf(fitting);
    kept.add(namespace, bytes - counted);
    this.#bytes.set(at, bytes);
    return fitting;
  }

  /**
   * Stores an object. The same version of the same object changes nothing. An object with another uid is reported as
   * the end of the old one and the beginning of the new one.
   */
  put({ object: after, at, values }: Prepared<T>): readonly CacheChange<T>[] {
    const before = this.#objects.get(at);
    if (before !== undefined && sameVersion(before, after) && before.tooLarge === after.tooLarge) return [];
    this.#objects.set(at, after);
    this.#index(at, before, values);
    if (before === undefined || before.metadata.uid === after.metadata.uid) return [{ before, after }];
    return [
      { before, after: undefined },
      { before: undefined, after },
    ];
  }

  /** Removes an object, unless another object now has its name. */
  remove(object: KubernetesObject): readonly CacheChange<T>[] {
    const at = placeOf(object);
    const before = this.#objects.get(at);
    if (before === undefined || before.metadata.uid !== object.metadata.uid) return [];
    this.#unindex(at, before);
    this.#objects.delete(at);
    this.#uncount(at);
    return [{ before, after: undefined }];
  }

  /** Makes one namespace, or everything for '', equal to `items`. */
  replace(namespace: string, items: readonly Prepared<T>[]): readonly CacheChange<T>[] {
    const kept = new Set(items.map(({ at }) => at));
    const inScope = (object: T): boolean => namespace === '' || object.metadata.namespace === namespace;
    const gone = [...this.#objects].filter(([at, object]) => !kept.has(at) && inScope(object));
    const changes = gone.flatMap(([, object]) => this.remove(object));
    for (const item of items) changes.push(...this.put(item));
    // Failed lists have prepared objects that were never stored.
    for (const at of this.#bytes.keys()) {
      if (!kept.has(at) && (namespace === '' || namespaceOf(at) === namespace)) this.#uncount(at);
    }
    return changes;
  }

  #uncount(at: string): void {
    this.#kept?.add(namespaceOf(at), -(this.#bytes.get(at) ?? 0));
    this.#bytes.delete(at);
  }

  /** Updates the indexes. Most changes do not affect them. */
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
  return sharedText(`${namespace}/${name}`);
}

function namespaceOf(at: string): string {
  return at.slice(0, at.indexOf('/'));
}

function noRoomText(namespace: string, { most }: NamespaceBytes): string {
  const bound = `${Math.floor(most / 1024 / 1024)} MiB`;
  return `the resources of namespace ${namespace} take all of the ${bound} of memory that one namespace may take; the controller reads this one again after a change, once there is room`;
}

/** True for an object that was kept whole and is no larger now, except for its status, which is ours. */
function isNoLarger(now: KubernetesObject, before: KubernetesObject | undefined): boolean {
  if (before === undefined || before.tooLarge !== undefined) return false;
  const bare = (object: KubernetesObject): number => memoryOf({ ...object, status: null });
  return bare(now) <= bare(before);
}

function placeOf(object: KubernetesObject): string {
  return place(object.metadata.namespace ?? '', object.metadata.name);
}

function sameVersion(a: KubernetesObject, b: KubernetesObject): boolean {
  const { resourceVersion, uid } = a.metadata;
  if (resourceVersion === undefined || uid !== b.metadata.uid) return false;
  return resourceVersion === b.metadata.resourceVersion;
}
