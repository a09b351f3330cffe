import type { LeaseRecord } from '../../model/election/election-step.ts';

/** A Lease as it is stored. */
export interface StoredLease {
  /** Changes with every write. */
  readonly version: string;
  readonly record: LeaseRecord;
}

/** Where one Lease lives. Both calls throw what went wrong on the way, and give up when `signal` aborts. */
export interface LeaseStore {
  /** The Lease as it is at this moment, or undefined where there is none. */
  read(signal: AbortSignal): Promise<StoredLease | undefined>;
  /**
   * Writes the Lease if it still has this version, or creates it if there was none (`undefined`). Otherwise
   * writes nothing and returns 'changed'. An error does not say whether the Lease was written.
   */
  write(
    record: LeaseRecord,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<StoredLease | 'changed'>;
}

/** The Leases of other shards, named as `namespace/name`. */
export interface ShardLeases {
  /**
   * How many milliseconds a Lease may still be its holder's, by a look at it now and by our own clock since we first
   * saw it so; 0: it was given back, or has not changed for its duration. Throws where it cannot be read.
   */
  leftMs(lease: string): Promise<number>;
}
