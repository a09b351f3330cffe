import type { Key } from '../../api/metadata.ts';

/**
 * Maps keys to values. Looks up the parts of a key one after another, because joining them into one string would cost
 * more than everything else that the queue does with a key.
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

  /** Removes a key, and a namespace with its last key. Kinds are few, so they stay. */
  delete({ kind, namespace, name }: Key): void {
    const namespaces = this.#kinds.get(kind);
    const names = namespaces?.get(namespace);
    if (namespaces === undefined || names === undefined) return;
    names.delete(name);
    if (names.size === 0) namespaces.delete(namespace);
  }
}
