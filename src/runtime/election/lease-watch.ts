import { leaseLeftMs, type SeenLease, seenLease } from '../../model/election/election-step.ts';
import type { Instant } from '../../base/instant.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { LeaseStore, ShardLeases } from '../../ports/stores/lease-store.ts';
import { withinTime } from '../controller/within-time.ts';

/** The options of a watch over the Leases of other processes. */
export interface LeaseWatchOptions {
  readonly storeOf: (lease: string) => LeaseStore;
  readonly clock: Clock;
  readonly instant: () => Instant;
  /** How long a missing Lease counts as held: its holder may be about to create it again. */
  readonly leaseMs: number;
  /** The time limit for reading a Lease once. */
  readonly timeoutMs: number;
}

/** Reads the Leases of other processes, and remembers since when each one has been unchanged. */
export class LeaseWatch implements ShardLeases {
  readonly #options: LeaseWatchOptions;
  readonly #seen = new Map<string, SeenLease>();

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
  }

  async leftMs(lease: string): Promise<number> {
    const { storeOf, clock, instant, timeoutMs } = this.#options;
    const found = await withinTime({ clock, ms: timeoutMs }, (signal) => storeOf(lease).read(signal));
    const now = instant();
    const seen = seenLease(this.#seen.get(lease), found, now) ?? this.#missing(lease, now);
    this.#seen.set(lease, seen);
    return leaseLeftMs(seen, now);
  }

  /** Returns a record for a missing Lease, whose holder may be about to create it again. */
  #missing(lease: string, since: Instant): SeenLease {
    const record = {
      holder: lease,
      durationMs: this.#options.leaseMs,
      acquiredMs: 0,
      renewedMs: 0,
      transitions: 0,
    };
    return { version: undefined, record, since };
  }
}
