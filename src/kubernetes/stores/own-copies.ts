import { compareResourceVersions } from '../objects/compare-resource-versions.ts';
import type { KubernetesObject } from '../objects/resource-type.ts';

interface Own<T> {
  readonly copy: T;
  /**
   * The version that the cache held when the copy was made. If versions have no order, it is the only one known to be
   * older.
   */
  readonly cachedVersion: string | undefined;
}

/**
 * Keeps the objects that our own writes and reads returned, until the watch has caught up. A decision on an older
 * cached copy would repeat a write.
 */
export class OwnCopies<T extends KubernetesObject> {
  readonly #copies = new Map<string, Own<T>>();

  /** The number of copies that are newer than the watch. */
  get size(): number {
    return this.#copies.size;
  }

  /** Keeps an answer of the API server beside the cached object, unless the watch was faster. */
  remember(copy: T, cached: T | undefined): void {
    const known = this.newest(copy, cached);
    if (known !== undefined && known.metadata.uid === copy.metadata.uid && !isNewer(copy, known)) return;
    this.#copies.set(place(copy), { copy, cachedVersion: cached?.metadata.resourceVersion });
  }

  /** Returns the newer one of the cached object and our own copy. An object that the cache no longer has is gone. */
  newest(name: KubernetesObject, cached: T | undefined): T | undefined {
    const at = place(name);
    const own = this.#copies.get(at);
    if (own === undefined) return cached;
    if (cached !== undefined && cached.metadata.uid === own.copy.metadata.uid && outranks(own, cached)) {
      return own.copy;
    }
    this.#copies.delete(at);
    return cached;
  }

  /** Drops our copy, because the object is being deleted. */
  forget(object: KubernetesObject): void {
    this.#copies.delete(place(object));
  }
}

function outranks(own: Own<KubernetesObject>, cached: KubernetesObject): boolean {
  const ours = own.copy.metadata.resourceVersion ?? '';
  const theirs = cached.metadata.resourceVersion ?? '';
  const order = compareResourceVersions(theirs, ours);
  return order === undefined ? theirs === own.cachedVersion : order < 0;
}

function isNewer(copy: KubernetesObject, known: KubernetesObject): boolean {
  const order = compareResourceVersions(
    copy.metadata.resourceVersion ?? '',
    known.metadata.resourceVersion ?? '',
  );
  return order === undefined || order > 0;
}

function place(object: KubernetesObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}
