import type { Caller, PassedUp } from '../../ports/service/external-client.ts';

/** Urgencies, the most urgent last. */
const URGENCIES: readonly Caller['priority'][] = ['resync', 'rollout', 'user'];

/** The more urgent one of two. */
export function moreUrgent(a: Caller['priority'], b: Caller['priority']): Caller['priority'] {
  return URGENCIES.indexOf(a) < URGENCIES.indexOf(b) ? b : a;
}

/** Apart from each other by more turns than are ever dealt. */
const BETWEEN_URGENCIES = 2 ** 50;

/** So many more urgent calls go before one of those that they overtake: what can wait does not wait for ever. */
export const PATIENCE = 50;

/** The place of those whose patience has ended, before everybody else. */
export const FIRST: number = URGENCIES.length * BETWEEN_URGENCIES;

/** The calls of one urgency. */
interface Dealt {
  /** The turn that is being dealt. */
  now: number;
  /** The newest turn that a namespace was given. */
  readonly given: Map<string, number>;
  /** Those who wait, in the order in which they came, each with the more urgent calls that may go before it. */
  readonly waiting: Map<string, { readonly patience: number; passedOver: number }>;
  /** More urgent calls that began since one of these did. */
  passedOver: number;
}

/** One call among those that wait. */
export interface Turn {
  readonly id: string;
  /** The highest one goes first, and equals in their order. */
  readonly place: number;
  /** It begins. Answers the id of one whose patience has ended, who comes next. */
  begin(): string | undefined;
  /** It does not begin although it could, at this time; what it answers keeps the turn. */
  passUp(atMs: number): PassedUp;
  /** It does not wait any more; a second call does nothing. */
  end(): void;
}

/**
 * Distributes turns among namespaces within each urgency: the waiting namespace with the fewest calls since
 * it began to wait comes first. Less urgent work gets a turn after a number of more urgent calls.
 */
export class Turns {
  readonly #dealt = new Map<Caller['priority'], Dealt>();
  #ids = 0;

  /** The turn of a call; one that comes back to a turn goes right before those that have the same one. */
  next({ priority, namespace, patience = PATIENCE }: Caller, kept?: PassedUp): Turn {
    const dealt = this.#of(priority);
    const fresh = Math.max(dealt.now, dealt.given.get(namespace) ?? 0) + 1;
    const comesBack = kept?.priority === priority;
    const turn = comesBack ? Math.min(kept.turn, fresh) : fresh;
    if (!comesBack) dealt.given.set(namespace, turn);
    this.#ids += 1;
    const id = String(this.#ids);
    dealt.waiting.set(id, { patience, passedOver: 0 });
    return {
      id,
      place: URGENCIES.indexOf(priority) * BETWEEN_URGENCIES - turn + (comesBack ? 0.5 : 0),
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
