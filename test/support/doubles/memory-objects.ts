import { isDeepStrictEqual } from 'node:util';
import { type Key, keyOf, keyText, type ObjectMeta } from '../../../src/api/metadata.ts';
import type { Clock } from '../../../src/ports/process/clock.ts';
import { countedUUIDs } from '../../../src/simulator/values/identifiers.ts';

/** A stored object with metadata, a spec and a status subresource. */
export interface StoredObject {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: unknown;
  readonly status?: unknown;
}

/**
 * Objects as an API server keeps them: a uid per creation, a generation that changes with the spec and with a deletion
 * that has to wait, a resource version that changes with every write, finalizers that delay deletion. Objects are
 * frozen; a change creates a new one.
 */
export class MemoryObjects<T extends StoredObject> {
  readonly #clock: Clock;
  readonly #newUUID = countedUUIDs('memory');
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<(key: Key) => void>();
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: Key): T | undefined {
    return this.at(keyText(key));
  }

  /** Returns an object by the text of its key. */
  at(text: string): T | undefined {
    return this.#objects.get(text);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  /** Calls `listener` after every change, until the returned function is called. */
  watch(listener: (key: Key) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Creates the object, or sets this spec, these labels and annotations on the existing one. */
  apply(manifest: T): T {
    const existing = this.get(keyOf(manifest));
    if (existing === undefined) return this.#create(manifest);
    const { labels: _labels, annotations: _annotations, ...kept } = existing.metadata;
    const { labels, annotations } = manifest.metadata;
    return this.#change(existing, {
      ...existing,
      spec: manifest.spec,
      metadata: {
        ...kept,
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      },
    });
  }

  /** Changes an object as a user would: spec, labels, annotations, finalizers. Throws if it does not exist. */
  edit(key: Key, change: (object: T) => T): T {
    const existing = this.get(key);
    if (existing === undefined) throw new Error(`there is no ${keyText(key)}`);
    const { status: _ignored, ...edited } = change(existing);
    const kept = existing.status === undefined ? edited : { ...edited, status: existing.status };
    return this.#change(existing, kept as T);
  }

  /** Deletes the object, or marks it as being deleted while finalizers hold it. */
  remove(key: Key): void {
    const existing = this.get(key);
    if (existing === undefined || existing.metadata.deletionTimestamp !== undefined) return;
    if ((existing.metadata.finalizers ?? []).length === 0) return this.#drop(key);
    const deletionTimestamp = new Date(this.#clock.now()).toISOString();
    const generation = (existing.metadata.generation ?? 0) + 1;
    this.#store({ ...existing, metadata: { ...existing.metadata, deletionTimestamp, generation } });
  }

  /** Writes only the status, whatever version the caller knew. An equal status changes nothing. */
  setStatus(key: Key, status: T['status']): T | undefined {
    const existing = this.get(key);
    if (existing === undefined || isDeepStrictEqual(existing.status, status)) return existing;
    return this.#store({ ...existing, status });
  }

  #create(manifest: T): T {
    const { status: _status, ...rest } = manifest;
    return this.#store({
      ...rest,
      metadata: {
        ...manifest.metadata,
        uid: this.#newUUID('uid'),
        generation: 1,
        creationTimestamp: new Date(this.#clock.now()).toISOString(),
      },
    } as T);
  }

  #change(before: T, after: T): T {
    const sameSpec = isDeepStrictEqual(before.spec, after.spec);
    const next = sameSpec ? after : moved(after, (before.metadata.generation ?? 0) + 1);
    const held = (next.metadata.finalizers ?? []).length > 0;
    if (next.metadata.deletionTimestamp !== undefined && !held) {
      this.#drop(keyOf(next));
      return next;
    }
    return isDeepStrictEqual(before, next) ? before : this.#store(next);
  }

  #store(object: T): T {
    this.#version += 1;
    const stored = frozen(
      structuredClone({
        ...object,
        metadata: { ...object.metadata, resourceVersion: String(this.#version) },
      }),
    );
    this.#objects.set(keyText(keyOf(stored)), stored);
    this.#tell(keyOf(stored));
    return stored;
  }

  #drop(key: Key): void {
    this.#version += 1;
    this.#objects.delete(keyText(key));
    this.#tell(key);
  }

  #tell(key: Key): void {
    for (const listener of [...this.#listeners]) listener(key);
  }
}

function moved<T extends StoredObject>(object: T, generation: number): T {
  return { ...object, metadata: { ...object.metadata, generation } };
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}
