/** The Leases of other shards, named as `namespace/name`. */
export interface ShardLeases {
  /**
   * How many milliseconds a Lease may still be its holder's, by a look at it now and by our own clock since we first
   * saw it so; 0: it was given back, or has not changed for its duration. Throws where it cannot be read.
   */
  leftMs(lease: string): Promise<number>;
}
