import type { LeaseRecord } from '../../model/election/election-step.ts';

/** A Lease as it is stored. */
export interface StoredLease {
  /** Changes with every write. */
  readonly version: string;
  readonly record: LeaseRecord;
}

/** Stores one Lease. Both calls throw any failure and give up when `signal` aborts. */
export interface LeaseStore {
  /** Returns the current Lease, or undefined if it does not exist. */
  read(signal: AbortSignal): Promise<StoredLease | undefined>;
  /**
   * Writes the Lease if it still has this version or, for `undefined`, creates it if none exists. Otherwise writes
   * nothing and returns 'changed'. An error does not say whether the Lease was written.
   */
  write(
    record: LeaseRecord,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<StoredLease | 'changed'>;
}

/** Reads the Leases of other shards, named as `namespace/name`. */
export interface ShardLeases {
  /**
   * Reads a Lease and returns for how many milliseconds its holder may still have it, by our own clock since we first
   * saw it in this state. Returns 0 if it was released or has not changed for its duration. Throws if it cannot be
   * read.
   */
  leftMs(lease: string): Promise<number>;
}
