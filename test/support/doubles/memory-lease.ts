import type { LeaseRecord } from '../../../src/model/election/election-step.ts';
import type { LeaseStore, StoredLease } from '../../../src/ports/stores/lease-store.ts';

/** A Lease in memory. If two writers saw the same version, one of them wins. */
export class MemoryLease implements LeaseStore {
  #stored: StoredLease | undefined;
  #versions = 0;

  /** The stored record. */
  get record(): LeaseRecord | undefined {
    return this.#stored?.record;
  }

  async read(signal: AbortSignal): Promise<StoredLease | undefined> {
    signal.throwIfAborted();
    return this.#stored;
  }

  async write(
    record: LeaseRecord,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<StoredLease | 'changed'> {
    signal.throwIfAborted();
    if (this.#stored?.version !== version) return 'changed';
    this.#versions += 1;
    return (this.#stored = { version: String(this.#versions), record });
  }

  /** Removes the Lease, as an administrator may at any time. */
  remove(): void {
    this.#stored = undefined;
  }
}
