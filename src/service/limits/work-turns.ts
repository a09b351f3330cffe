import type { Clock } from '../../ports/process/clock.ts';

/**
 * After work that takes longer, in milliseconds, its lane pauses at once, and all other tasks of the process get a
 * turn.
 */
export const LONG_MS = 50;
/** A lane pauses this many times as long as it worked, so all of its answers together take a fifth of the time. */
export const PAUSE = 4;
/** The longest pause, in milliseconds; a longer one would come from a clock that was set back. */
const LONGEST_PAUSE_MS = 60_000;
/** The milliseconds that a lane may work in short pieces after a rest, before it has to pause. */
export const CREDIT_MS = 1_000;

/** The work on the answers of one namespace. */
interface Lane {
  /** The time at which the due pauses are over; in the past for a lane that has rested. */
  freeMs: number;
  /** Settles when the newest waiting work has had its turn. */
  last: Promise<unknown> | undefined;
}

/**
 * Divides the time of the process among the namespaces whose answers are read, since reading an answer blocks
 * everything else. Without contention work begins at once. A lane whose work takes long pauses for a multiple of that
 * time, whatever its answers contain and however many connections it has.
 */
export class WorkTurns {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Lane>();
  /** Resolves when all other tasks of the process have had a turn after long work. */
  #others: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True if work of a lane would begin at once. */
  isFree(laneName: string): boolean {
    return this.#mayGo(this.#lane(laneName));
  }

  /** Runs synchronous work when it is the turn of its lane. Throws what the work throws. */
  async run<T>(laneName: string, work: () => T): Promise<T> {
    const lane = this.#lane(laneName);
    if (this.#mayGo(lane)) return this.measured(laneName, work);
    const turn = (lane.last ?? Promise.resolve()).then(() => this.#inTurn(laneName, lane, work));
    const last = turn.catch(() => undefined);
    lane.last = last;
    try {
      return await turn;
    } finally {
      if (lane.last === last) lane.last = undefined;
    }
  }

  /** Runs work that belongs to a turn at once, and counts its duration. */
  measured<T>(laneName: string, work: () => T): T {
    const startedMs = this.#clock.now();
    try {
      return work();
    } finally {
      this.spent(laneName, this.#clock.now() - startedMs);
    }
  }

  /** Counts `ms` milliseconds of work. */
  spent(laneName: string, ms: number): void {
    if (ms <= 0) return;
    const lane = this.#lane(laneName);
    const nowMs = this.#clock.now();
    const isLong = ms > LONG_MS;
    const freeMs = Math.max(lane.freeMs, isLong ? nowMs : nowMs - PAUSE * CREDIT_MS) + PAUSE * ms;
    lane.freeMs = Math.min(freeMs, nowMs + LONGEST_PAUSE_MS);
    if (!isLong || this.#others !== undefined) return;
    const others = this.#clock.turn();
    this.#others = others;
    void others.then(() => (this.#others = undefined));
  }

  async #inTurn<T>(laneName: string, lane: Lane, work: () => T): Promise<T> {
    for (;;) {
      const waitMs = lane.freeMs - this.#clock.now();
      if (waitMs > 0 && waitMs <= LONGEST_PAUSE_MS) await this.#clock.sleep(waitMs);
      else if (this.#others === undefined) return this.measured(laneName, work);
      else await this.#others;
    }
  }

  #mayGo({ freeMs, last }: Lane): boolean {
    return last === undefined && this.#others === undefined && freeMs <= this.#clock.now();
  }

  #lane(name: string): Lane {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    this.#forgetRested();
    const lane = { freeMs: Number.NEGATIVE_INFINITY, last: undefined };
    this.#lanes.set(name, lane);
    return lane;
  }

  /** Forgets lanes that have their whole credit again, since they equal new ones. */
  #forgetRested(): void {
    const restedMs = this.#clock.now() - PAUSE * CREDIT_MS;
    for (const [name, { freeMs, last }] of this.#lanes)
      if (last === undefined && freeMs <= restedMs) this.#lanes.delete(name);
  }
}
