import { SYNCED_REASONS, type SyncedReason } from '../api/condition.ts';
import type { Plan, Withheld } from './plan-kinds.ts';

/** What a condition says. */
interface Told {
  readonly reason: SyncedReason;
  readonly message: string;
}

const RANK = new Map(SYNCED_REASONS.map((reason, rank) => [reason, rank]));

/** Withheld parts told one by one; the rest is counted. */
const PARTS_TOLD = 3;

function rankOf(reason: SyncedReason): number {
  return RANK.get(reason) ?? RANK.size;
}

/** What is told of withheld parts: the reason that stands first in the table of reasons, and the texts of all. */
export function toldOf(withheld: readonly Withheld[]): Told | undefined {
  const ranked = withheld.toSorted((a, b) => rankOf(a.reason) - rankOf(b.reason));
  const [first] = ranked;
  if (first === undefined) return undefined;
  const more = ranked.length > PARTS_TOLD ? [`and ${ranked.length - PARTS_TOLD} more`] : [];
  const texts = [...ranked.slice(0, PARTS_TOLD).map(({ message }) => message), ...more];
  return { reason: first.reason, message: texts.join('; ') };
}

/** What is told where parts are withheld and something is to be said of the rest: the reason that stands first, both texts. */
export function toldBeside<T extends Told>(rest: T, withheld: readonly Withheld[]): T {
  const told = toldOf(withheld);
  if (told === undefined || rankOf(told.reason) >= rankOf(rest.reason)) return rest;
  return { ...rest, reason: told.reason, message: `${told.message}; ${rest.message}` };
}

/** A plan that waits, with what is withheld told beside it. */
export function waitingBeside(plan: Plan | undefined, withheld: readonly Withheld[]): Plan | undefined {
  const waits = plan?.kind === 'wait' || plan?.kind === 'blocked' || plan?.kind === 'nothing';
  return waits ? toldBeside(plan, withheld) : plan;
}
