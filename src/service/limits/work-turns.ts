import type { Clock } from '../../ports/process/clock.ts';

/** A piece of work that takes longer is followed by a pause of its lane at once, and by a turn of everything else. */
export const LONG_MS = 50;
/** A lane pauses this many times as long as it worked: all of its answers together take a fifth of the time. */
export const PAUSE = 4;
/** No pause is longer; one that seems to be is due to a clock that was set back. */
const LONGEST_PAUSE_MS = 60_000;
/** A lane that has rested may work this long in short pieces before it has to pause. */
export const CREDIT_MS = 1_000;

/** The work on the answers of one namespace. */
interface Lane {
  /** The pauses that are due are over then; in the past for a lane that has rested. */
  freeMs: number;
  /** Ends when the newest of those who wait has had its turn. */
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
  /** Resolves when everything else has had its turn after work that took long. */
  #others: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True where work of a lane would begin at once. */
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

  /** Runs at once what belongs to a turn, and counts how long it took. */
  measured<T>(laneName: string, work: () => T): T {
    const startedMs = this.#clock.now();
    try {
      return work();
    } finally {
      this.spent(laneName, this.#clock.now() - startedMs);
    }
  }

  /** Counts so many milliseconds of work. */
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

  /** Lanes that have their whole credit again are as good as new. */
  #forgetRested(): void {
    const restedMs = this.#clock.now() - PAUSE * CREDIT_MS;
    for (const [name, { freeMs, last }] of this.#lanes)
      if (last === undefined && freeMs <= restedMs) this.#lanes.delete(name);
  }
}
