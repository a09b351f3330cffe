import type { Caller, PassedUp } from '../../ports/service/external-client.ts';

/** Urgencies, the most urgent last. */
const URGENCIES: readonly Caller['priority'][] = ['resync', 'rollout', 'user'];

/** The more urgent one of two. */
export function moreUrgent(a: Caller['priority'], b: Caller['priority']): Caller['priority'] {
  return URGENCIES.indexOf(a) < URGENCIES.indexOf(b) ? b : a;
}

/** Apart from each other by more turns than are ever dealt. */
const BETWEEN_URGENCIES = 2 ** 50;

/** Number of more urgent calls that may overtake a waiting call, so that no call waits for ever. */
export const PATIENCE = 50;

/** The place of those whose patience has ended, before everybody else. */
export const FIRST: number = URGENCIES.length * BETWEEN_URGENCIES;

/** A call that waits. */
interface Waiting {
  readonly namespace: string;
  /** So many more urgent calls may go before it, and so many did. */
  readonly patience: number;
  passedOver: number;
}

/** The calls of one urgency. */
interface Dealt {
  /** The turn that is being dealt. */
  now: number;
  /** The newest turn that a namespace was given. */
  readonly given: Map<string, number>;
  /** The calls that wait, in the order in which they came. */
  readonly waiting: Map<string, Waiting>;
  /** More urgent calls that began since one of these did. */
  passedOver: number;
}

/** One waiting call. */
export interface Turn {
  readonly id: string;
  /** The highest one goes first, and equals in their order. */
  readonly place: number;
  /** It begins. Answers the id of one whose patience has ended, who comes next. */
  begin(): string | undefined;
  /** Passes up the permit at this time; the result keeps the turn. */
  passUp(atMs: number): PassedUp;
  /** It does not wait any more; a second call does nothing. */
  end(): void;
}

/**
 * Distributes turns among namespaces within each urgency: the waiting namespace with the fewest calls since
 * it began to wait comes first, and in the same turn the only call of a namespace comes before several of another one. So
 * an edit that needs a read and then a PATCH has the next two permits. Less urgent work gets a turn after a number of more
 * urgent calls.
 */
export class Turns {
  readonly #dealt = new Map<Caller['priority'], Dealt>();
  #ids = 0;

  /**
   * Returns the turn of a call. A call that returns to a turn is placed right before calls that have the same turn.
   */
  next({ priority, namespace, patience = PATIENCE }: Caller, kept?: PassedUp): Turn {
    const dealt = this.#of(priority);
    const fresh = Math.max(dealt.now, dealt.given.get(namespace) ?? 0) + 1;
    const comesBack = kept?.priority === priority;
    const turn = comesBack ? Math.min(kept.turn, fresh) : fresh;
    if (!comesBack) dealt.given.set(namespace, turn);
    this.#ids += 1;
    const id = String(this.#ids);
    const isOnlyOne = [...dealt.waiting.values()].every((other) => other.namespace !== namespace);
    const within = comesBack ? 0.5 : isOnlyOne ? 0.25 : 0;
    dealt.waiting.set(id, { namespace, patience, passedOver: 0 });
    return {
      id,
      place: URGENCIES.indexOf(priority) * BETWEEN_URGENCIES - turn + within,
      begin: () => {
        dealt.now = Math.max(dealt.now, turn - 1);
        dealt.waiting.delete(id);
        dealt.passedOver = 0;
        return this.#impatient(priority);
      },
      passUp: (atMs) => ({ kind: 'passed up', atMs, priority, turn }),
      end: () => void dealt.waiting.delete(id),
    };
  }

  /** Called when nothing waits any more: the next one starts without a debt for the turns before. */
  clear(): void {
    this.#dealt.clear();
  }

  #of(priority: Caller['priority']): Dealt {
    const known = this.#dealt.get(priority) ?? {
      now: 0,
      given: new Map(),
      waiting: new Map(),
      passedOver: 0,
    };
    this.#dealt.set(priority, known);
    return known;
  }

  /** A call of this urgency began: who of those below waits for the last time. */
  #impatient(priority: Caller['priority']): string | undefined {
    let impatient: string | undefined;
    for (const lower of URGENCIES.slice(0, URGENCIES.indexOf(priority))) {
      const dealt = this.#dealt.get(lower);
      if (dealt === undefined || dealt.waiting.size === 0) continue;
      dealt.passedOver += 1;
      for (const one of dealt.waiting.values()) one.passedOver += 1;
      impatient = mostImpatient(dealt) ?? impatient;
    }
    return impatient;
  }
}

/** The first of those whose patience has ended. */
function mostImpatient({ waiting, passedOver }: Dealt): string | undefined {
  for (const [id, one] of waiting)
    if (one.passedOver >= one.patience && passedOver >= Math.min(one.patience, PATIENCE)) return id;
  return undefined;
}
