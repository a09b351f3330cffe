import type { Caller, PassedUp } from '../../ports/service/external-client.ts';

/** Urgencies, the most urgent last. */
const URGENCIES: readonly Caller['priority'][] = ['resync', 'rollout', 'user'];

/** Returns the more urgent one of two urgencies. */
export function moreUrgent(a: Caller['priority'], b: Caller['priority']): Caller['priority'] {
  return URGENCIES.indexOf(a) < URGENCIES.indexOf(b) ? b : a;
}

/** The distance between the places of two urgencies: more turns than are ever given. */
const BETWEEN_URGENCIES = 2 ** 50;

/** Number of more urgent calls that may overtake a waiting call, so that no call waits for ever. */
export const PATIENCE = 50;

/** The place of calls whose patience has ended; it is before all others. */
export const FIRST: number = URGENCIES.length * BETWEEN_URGENCIES;

/** A waiting call. */
interface Waiting {
  readonly namespace: string;
  /** The number of more urgent calls that may overtake it; `passedOver` counts those that did. */
  readonly patience: number;
  passedOver: number;
}

/** The turns of one urgency. */
interface Dealt {
  /** The current turn. */
  now: number;
  /** The newest turn of each namespace. */
  readonly given: Map<string, number>;
  /** The waiting calls, in the order of their arrival. */
  readonly waiting: Map<string, Waiting>;
  /** The number of more urgent calls that began since one of these did. */
  passedOver: number;
}

/** One waiting call. */
export interface Turn {
  readonly id: string;
  /** The position of the call: the highest place goes first, and equal places keep their order. */
  readonly place: number;
  /**
   * Records that the call begins. Returns the id of the call that comes next because its patience has ended, if any.
   */
  begin(): string | undefined;
  /** Passes up the permit at `atMs`; the result keeps the turn. */
  passUp(atMs: number): PassedUp;
  /** Records that the call no longer waits; a second call does nothing. */
  end(): void;
}

/**
 * Distributes turns among namespaces within each urgency. The waiting namespace with the fewest calls since it began to
 * wait comes first; within one turn, the only call of a namespace comes before those of a namespace with several. So an
 * edit that needs a read and then a PATCH has the next two permits. Less urgent work gets a turn after a number of more
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

  /** Forgets all turns. Called when no call waits any more, so that the next call starts without a debt. */
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

  /** Records that a call of this urgency began. Returns the first less urgent call whose patience has ended. */
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

/** Returns the first call whose patience has ended. */
function mostImpatient({ waiting, passedOver }: Dealt): string | undefined {
  for (const [id, one] of waiting)
    if (one.passedOver >= one.patience && passedOver >= Math.min(one.patience, PATIENCE)) return id;
  return undefined;
}
