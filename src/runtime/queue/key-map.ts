import type { Key } from '../../api/metadata.ts';

/**
 * Values by key. The parts of a key are looked up one after the other, since putting them together into one text costs
 * more than everything else that happens to a key in the queue.
 */
export class KeyMap<V> {
  readonly #kinds = new Map<string, Map<string, Map<string, V>>>();

  get({ kind, namespace, name }: Key): V | undefined {
    return this.#kinds.get(kind)?.get(namespace)?.get(name);
  }

  set({ kind, namespace, name }: Key, value: V): void {
    let namespaces = this.#kinds.get(kind);
    if (namespaces === undefined) {
      namespaces = new Map();
      this.#kinds.set(kind, namespaces);
    }
    let names = namespaces.get(namespace);
    if (names === undefined) {
      names = new Map();
      namespaces.set(namespace, names);
    }
    names.set(name, value);
  }

  /** Kinds are few and stay; a namespace goes with its last key. */
  delete({ kind, namespace, name }: Key): void {
    const namespaces = this.#kinds.get(kind);
    const names = namespaces?.get(namespace);
    if (namespaces === undefined || names === undefined) return;
    names.delete(name);
    if (names.size === 0) namespaces.delete(namespace);
  }
}
