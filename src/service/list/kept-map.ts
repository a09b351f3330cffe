import { ConnectionError } from '../../model/connection/failure.ts';
import { type KeptShare, keptSize } from '../limits/kept-room.ts';
import { plainText } from './snapshot.ts';

interface Kept<T> {
  readonly value: T;
  readonly size: number;
}

/**
 * A map from ids of deployments to remembered values. It is bounded in bytes, since the service decides how large the
 * values are.
 */
export class KeptMap<T> {
  readonly #share: KeptShare;
  readonly #kept = new Map<string, Kept<T>>();
  #size = 0;

  constructor(share: KeptShare) {
    this.#share = share;
  }

  get(id: string): T | undefined {
    return this.#kept.get(id)?.value;
  }

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  /** Returns all entries with their ids. */
  entries(): readonly (readonly [id: string, value: T])[] {
    return [...this.#kept].map(([id, { value }]) => [id, value]);
  }

  /** Stores a value in place of an older one. Returns false, and stores nothing, if there is no room. */
  set(id: string, value: T): boolean {
    this.delete(id);
    const size = keptSize(plainText(value) ?? '');
    try {
      this.#share.take({ read: 0, kept: this.#size + size });
    } catch (error) {
      if (error instanceof ConnectionError) return false;
      throw error;
    }
    this.#size += size;
    this.#kept.set(id, { value, size });
    return true;
  }

  /** Removes a value. True if there was one. */
  delete(id: string): boolean {
    const kept = this.#kept.get(id);
    if (kept === undefined) return false;
    this.#size -= kept.size;
    this.#share.take({ read: 0, kept: this.#size });
    return this.#kept.delete(id);
  }

  /** Forgets everything. */
  clear(): void {
    this.#kept.clear();
    this.#size = 0;
    this.#share.leave();
  }
}
