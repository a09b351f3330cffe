import type { Caller } from '../ports/external-client.ts';

const URGENCY: Readonly<Record<Caller['priority'], number>> = { user: 2, rollout: 1, resync: 0 };

/** Apart from each other by more turns than are ever dealt. */
const BETWEEN_URGENCIES = 2 ** 50;

/**
 * Deals turns among namespaces within each urgency: of those who wait, the one that has had the fewest calls since it
 * began to wait comes first. Gives numbers for a queue that takes the highest one first, and equals in their order.
 */
export class Turns {
  /** Of each urgency: the turn that is being dealt, and the newest that a namespace was given. */
  readonly #dealt = new Map<Caller['priority'], { now: number; readonly given: Map<string, number> }>();

  /** The place of a call in the queue, and what to do when it begins. */
  next({ priority, namespace }: Caller): { readonly place: number; readonly begin: () => void } {
    const dealt = this.#dealt.get(priority) ?? { now: 0, given: new Map<string, number>() };
    this.#dealt.set(priority, dealt);
    const turn = Math.max(dealt.now, dealt.given.get(namespace) ?? 0) + 1;
    dealt.given.set(namespace, turn);
    return {
      place: URGENCY[priority] * BETWEEN_URGENCIES - turn,
      begin: () => {
        dealt.now = Math.max(dealt.now, turn - 1);
      },
    };
  }

  /** Nobody waits any more: who comes next owes nothing for what others had before. */
  clear(): void {
    this.#dealt.clear();
  }
}
