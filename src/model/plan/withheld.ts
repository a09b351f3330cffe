import { SYNCED_REASONS, type SyncedReason } from '../../api/condition.ts';
import type { Plan, Withheld } from './plan.ts';

/** The content of a condition. */
interface Told {
  readonly reason: SyncedReason;
  readonly message: string;
}

const RANK = new Map(SYNCED_REASONS.map((reason, rank) => [reason, rank]));

/** The most withheld parts that a message names; the others are only counted. */
const PARTS_TOLD = 3;

function rankOf(reason: SyncedReason): number {
  return RANK.get(reason) ?? RANK.size;
}

/** Sums up withheld parts: returns the reason that comes first in the table of reasons, and the texts of all parts. */
export function toldOf(withheld: readonly Withheld[]): Told | undefined {
  const ranked = withheld.toSorted((a, b) => rankOf(a.reason) - rankOf(b.reason));
  const [first] = ranked;
  if (first === undefined) return undefined;
  const more = ranked.length > PARTS_TOLD ? [`and ${ranked.length - PARTS_TOLD} more`] : [];
  const texts = [...ranked.slice(0, PARTS_TOLD).map(({ message }) => message), ...more];
  return { reason: first.reason, message: texts.join('; ') };
}

/**
 * Joins the condition of the withheld parts with that of the other parts: returns the reason that comes first, and both
 * texts.
 */
export function toldBeside<T extends Told>(rest: T, withheld: readonly Withheld[]): T {
  const told = toldOf(withheld);
  if (told === undefined || rankOf(told.reason) >= rankOf(rest.reason)) return rest;
  return { ...rest, reason: told.reason, message: `${told.message}; ${rest.message}` };
}

/** Adds the message about withheld parts to a plan that waits. */
export function waitingBeside(plan: Plan | undefined, withheld: readonly Withheld[]): Plan | undefined {
  const waits = plan?.kind === 'wait' || plan?.kind === 'blocked' || plan?.kind === 'nothing';
  return waits ? toldBeside(plan, withheld) : plan;
}
