import type { ObservedDeployment } from '../model/observation.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallPriority } from '../ports/external-client.ts';
import { observedDeployment } from './mapping.ts';
import { NO_PAGE_KNOWLEDGE, type Page, type PageKnowledge, pass } from './pages.ts';
import { changesBetween, indexByName, type Snapshot, type SnapshotChange } from './snapshot.ts';

/** Every so many steady sweeps one is complete, whatever the pages look like. */
const COMPLETE_EVERY = 10;

/** Share by which the poll interval varies, so that connections do not sweep in step. */
const JITTER = 0.2;

/** What a caller needs to know. */
export interface Need {
  readonly notOlderThanMs: number;
  /** The pass must prove absence. */
  readonly complete: boolean;
  readonly priority: CallPriority;
}

/** What a poller works with. */
export interface PollerOptions {
  readonly clock: Clock;
  readonly fetchPage: (offset: number, priority: CallPriority, signal: AbortSignal) => Promise<Page>;
  readonly intervalMs: () => number;
  readonly pageSize: () => number;
  readonly onChange: (change: SnapshotChange) => void;
  /** A steady sweep failed; those who wait for it are told by their own rejection. */
  readonly onFailure: (error: unknown) => void;
  readonly onSwept: (result: 'complete' | 'partial' | 'failed') => void;
}

interface Sweep {
  readonly beganMs: number;
  readonly complete: boolean;
  readonly result: Promise<Snapshot>;
}

/** The only writer of a connection's snapshot: one pass over the list at a time, shared by everyone who needs it. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #ending = new AbortController();
  #snapshot: Snapshot | undefined;
  #running: Sweep | undefined;
  #knowledge: PageKnowledge = NO_PAGE_KNOWLEDGE;
  #steady = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** What the newest pass showed. */
  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** A snapshot that satisfies a need: the one at hand, the one being made, or a new one. */
  async ensure(need: Need): Promise<Snapshot> {
    for (;;) {
      if (
        this.#snapshot !== undefined &&
        satisfies(this.#snapshot.beganMs, this.#snapshot.provesAbsence, need)
      ) {
        return this.#snapshot;
      }
      const running = this.#running;
      if (running === undefined)
        return this.#begin(need.complete || this.#snapshot === undefined, need.priority);
      if (satisfies(running.beganMs, running.complete, need)) return running.result;
      await running.result.catch(() => undefined);
    }
  }

  /** Begins to sweep at the poll interval; a second call does nothing. */
  start(): void {
    if (this.#cancelTimer === undefined && !this.#ending.signal.aborted) this.#schedule();
  }

  /** Sweeps no more at the interval; those who ask are still served. */
  pause(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Ends for good; a pass under way is aborted. */
  stop(): void {
    this.pause();
    this.#ending.abort(new Error('the connection was closed'));
  }

  #schedule(): void {
    const { clock, intervalMs } = this.#options;
    const ms = intervalMs() * (1 - JITTER + 2 * JITTER * clock.random());
    this.#cancelTimer = clock.after(ms, () => void this.#steadySweep());
  }

  async #steadySweep(): Promise<void> {
    try {
      this.#steady += 1;
      if (this.#running === undefined) await this.#begin(this.#steady % COMPLETE_EVERY === 0, 'resync');
      else await this.#running.result;
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#options.onFailure(error);
    }
    if (this.#cancelTimer !== undefined) this.#schedule();
  }

  #begin(complete: boolean, priority: CallPriority): Promise<Snapshot> {
    const beganMs = this.#options.clock.now();
    const result = this.#sweep(beganMs, complete, priority).finally(() => {
      this.#running = undefined;
    });
    this.#running = { beganMs, complete, result };
    return result;
  }

  async #sweep(beganMs: number, complete: boolean, priority: CallPriority): Promise<Snapshot> {
    const { clock, fetchPage, pageSize, onSwept } = this.#options;
    try {
      const byID = new Map<string, ObservedDeployment>();
      let malformed = 0;
      const pages = pass((offset) => fetchPage(offset, priority, this.#ending.signal), {
        complete,
        pageSize: pageSize(),
        knowledge: this.#knowledge,
      });
      for (;;) {
        const next = await pages.next();
        if (next.done === true) {
          this.#knowledge = next.value.knowledge;
          const { complete: whole, stuck } = next.value;
          return this.#swap({
            ...{ beganMs, endedMs: clock.now(), malformed, byID, byName: indexByName(byID), stuck },
            provesAbsence: whole && malformed === 0,
          });
        }
        malformed += next.value.malformed;
        for (const item of next.value.items) byID.set(item.id, observedDeployment(item));
      }
    } catch (error) {
      onSwept('failed');
      throw error;
    }
  }

  /** Readers see the old snapshot or the new one, never a half of each. */
  #swap(seen: Snapshot): Snapshot {
    const before = this.#snapshot;
    this.#snapshot = seen;
    this.#options.onSwept(seen.provesAbsence ? 'complete' : 'partial');
    const change = changesBetween(before, seen);
    if (change.ids.length > 0) this.#options.onChange(change);
    return seen;
  }
}

function satisfies(beganMs: number, provesAbsence: boolean, need: Need): boolean {
  return beganMs >= need.notOlderThanMs && (!need.complete || provesAbsence);
}
