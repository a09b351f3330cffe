import { type Key, keyText } from '../../api/metadata.ts';
import {
  changedSince,
  differenceOf,
  placeOf,
  type ReviewedWrite,
  type SavedPlan,
} from '../../views/plans/saved-plan.ts';
import type { HeldBack } from '../../ports/service/write-gate.ts';

const NOT_ITS_TURN: HeldBack = { kind: 'postponed', againInMs: 3_600_000 };

/**
 * The writes of a reviewed plan. They are sent one after the other, and each is compared with the plan again at its
 * turn, since somebody may have changed the service after the first write.
 */
export class ReviewedWrites {
  readonly #plan: SavedPlan;
  /** The reviewed writes by namespace and name. */
  readonly #reviewed: ReadonlyMap<string, ReviewedWrite>;
  readonly #wake: (key: Key) => void;
  /** The writes that still wait for their turn, in order. */
  readonly #turns = new Map<string, Key>();
  #current: string | undefined;

  constructor(plan: SavedPlan, wake: (key: Key) => void) {
    this.#plan = plan;
    this.#reviewed = new Map(plan.writes.map((write) => [placeOf(write), write]));
    this.#wake = wake;
  }

  /** Returns differences from the reviewed writes, one line each. */
  changedSince(now: readonly ReviewedWrite[]): readonly string[] {
    return changedSince(this.#plan, now);
  }

  /** Wakes the first of these keys; each further one wakes when the pass of the previous one has ended. */
  begin(keys: readonly Key[]): void {
    for (const key of keys) this.#turns.set(keyText(key), key);
    this.#next();
  }

  ended(key: Key): void {
    if (this.#current === keyText(key)) this.#next();
  }

  /**
   * Returns undefined if it is the turn of a resource and exactly this write was reviewed; otherwise holds the write
   * back.
   */
  holdsBack(key: Key, write: ReviewedWrite | undefined): HeldBack | undefined {
    if (this.#turns.has(keyText(key))) return NOT_ITS_TURN;
    const why = differenceOf(this.#reviewed.get(placeOf(key)), write);
    if (why === undefined) return undefined;
    const message = `this is not what was reviewed: ${why}; plan again`;
    return { kind: 'waiting', reason: 'AwaitingApproval', message };
  }

  #next(): void {
    const [next] = this.#turns;
    this.#current = next?.[0];
    if (next === undefined) return;
    this.#turns.delete(next[0]);
    this.#wake(next[1]);
  }
}
