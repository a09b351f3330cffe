import { DEFAULTS } from '../../model/connection/connection.ts';
import type { Identity } from '../../model/desired/desired-deployment.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { inconclusive, type Snapshot } from '../list/snapshot.ts';

/** The parts that judge absences. */
export interface AbsencesOptions {
  readonly clock: Clock;
  readonly intervalMs: () => number;
}

/** One pass over the list that did not show a deployment. */
type Pass = Pick<Snapshot, 'number' | 'beganMs'>;

/** A deployment that no pass has shown. */
interface Missing {
  /** The time of the last request for the deployment. */
  readonly askedMs: number;
  /** The time at which the newest sweep that looked for it began. */
  readonly lookedMs: number;
  /** The time since which no sweep proves its absence; undefined while it is proven. */
  readonly unprovenSinceMs: number | undefined;
  /** The time of the next look, unless a poll interval has its turn later. */
  readonly dueMs: number;
  /** The newest passes that prove its absence, newest first, at most two. */
  readonly without: readonly Pass[];
  /** Explains to people why sweeps prove nothing. */
  readonly why: string | undefined;
}

/** Two passes that agree. */
export interface AbsenceProof {
  /** The time at which the older sweep began. */
  readonly sinceMs: number;
  /** The time at which the newer sweep began. */
  readonly beganMs: number;
}

/** After this time without a request, a deployment is no longer wanted: a resource waits at most half an hour. */
const FORGOTTEN_AFTER_MS = 4 * DEFAULTS.heldAfterRejectionMs;

/**
 * Keeps the complete sweeps that did not show a deployment (N8), and decides when to read the list again for it: a
 * new question gets two sweeps at once, and all callers who keep waiting share one sweep per poll interval (R6).
 */
export class Absences {
  readonly #options: AbsencesOptions;
  readonly #missing = new Map<string, Missing>();
  /** The names of deployments that this process created and that no list has shown yet, by id in lower case. */
  readonly #unlisted = new Map<string, string>();
  #nextTurnMs = 0;
  #prunedMs = 0;

  constructor(options: AbsencesOptions) {
    this.#options = options;
  }

  /** True if no pass that began at `sinceMs` or later was checked for this deployment. */
  isNew(identity: Identity, sinceMs: number): boolean {
    const missing = this.#missing.get(textOf(identity));
    return missing === undefined || missing.lookedMs < sinceMs;
  }

  /**
   * Records that a pass does not show a deployment. Ignores a partial pass apart from the time of the question: another
   * caller had taken the turn of this poll interval, so it was no look in vain. The first pass for a deployment counts.
   */
  note(identity: Identity, snapshot: Snapshot): void {
    const { number, beganMs, complete, provesAbsence } = snapshot;
    const nowMs = this.#options.clock.now();
    const intervalMs = this.#options.intervalMs();
    this.#prune(nowMs);
    const key = textOf(identity);
    const before = this.#missing.get(key);
    if (!complete && before !== undefined) {
      this.#missing.set(key, { ...before, askedMs: nowMs });
      return;
    }
    const without = before?.without ?? [];
    const isNews = provesAbsence && number > (without[0]?.number ?? 0);
    const passes = isNews ? [{ number, beganMs }, ...without.slice(0, 1)] : without;
    const unprovenSinceMs = unprovenSince(before, { passes: passes.length, isNews, nowMs, intervalMs });
    this.#missing.set(key, {
      askedMs: nowMs,
      lookedMs: Math.max(beganMs, before?.lookedMs ?? 0),
      unprovenSinceMs,
      dueMs: nowMs + (unprovenSinceMs === undefined ? 0 : backoffMs({ unprovenSinceMs, nowMs, intervalMs })),
      without: passes,
      why: provesAbsence ? undefined : (inconclusive(snapshot) ?? before?.why),
    });
  }

  /** Records a created deployment, whose id the service returned. */
  made(id: string, name: string): void {
    this.#unlisted.set(id.toLowerCase(), name);
  }

  /** Records that a list shows a deployment, or that the service has deleted it. */
  settled(id: string): void {
    this.#unlisted.delete(id.toLowerCase());
  }

  /** True for a deployment that this process created and no list has shown since. */
  isUnlisted(identity: Identity): boolean {
    return identity.by === 'id'
      ? this.#unlisted.has(identity.id.toLowerCase())
      : [...this.#unlisted.values()].includes(identity.name);
  }

  /** Forgets the absence of a deployment that was seen. */
  forget(identity: Identity): void {
    this.#missing.delete(textOf(identity));
  }

  /** Returns the newest two complete passes without a deployment, if both began at `sinceMs` or later. */
  proof(identity: Identity, sinceMs: number): AbsenceProof | undefined {
    const [newer, older] = this.#missing.get(textOf(identity))?.without ?? [];
    if (newer === undefined || older === undefined || older.beganMs < sinceMs) return undefined;
    return { sinceMs: older.beganMs, beganMs: newer.beganMs };
  }

  /** Returns, for people, why sweeps prove nothing about a deployment. */
  why(identity: Identity): string | undefined {
    return this.#missing.get(textOf(identity))?.why;
  }

  /** Takes the turn of this poll interval for the waiting callers; false if it was already taken. */
  takeTurn(): boolean {
    const nowMs = this.#options.clock.now();
    if (nowMs < this.#nextTurnMs) return false;
    this.#nextTurnMs = nowMs + this.#options.intervalMs();
    return true;
  }

  /**
   * Returns when to look again for a deployment: at the next turn, and less and less often while lists prove nothing.
   */
  nextLookMs(identity: Identity): number {
    return Math.max(this.#nextTurnMs, this.#missing.get(textOf(identity))?.dueMs ?? 0);
  }

  #prune(nowMs: number): void {
    if (nowMs < this.#prunedMs + DEFAULTS.resyncMs) return;
    this.#prunedMs = nowMs;
    for (const [key, { askedMs }] of this.#missing)
      if (askedMs < nowMs - FORGOTTEN_AFTER_MS) this.#missing.delete(key);
  }
}

/**
 * Returns since when nothing is proven. The first pass that proves absence restarts that time, since the second pass
 * follows within a poll interval. Leaves out the time in which the service wanted no calls, so that no look was possible.
 */
function unprovenSince(
  before: Missing | undefined,
  {
    passes,
    isNews,
    nowMs,
    intervalMs,
  }: {
    readonly passes: number;
    readonly isNews: boolean;
    readonly nowMs: number;
    readonly intervalMs: number;
  },
): number | undefined {
  if (passes > 1) return undefined;
  if (isNews || before?.unprovenSinceMs === undefined) return nowMs;
  return before.unprovenSinceMs + Math.max(0, nowMs - before.dueMs - intervalMs);
}

/** Returns the time until the next look for a deployment whose absence no sweep proves. */
function backoffMs({
  unprovenSinceMs,
  nowMs,
  intervalMs,
}: Readonly<Record<'unprovenSinceMs' | 'nowMs' | 'intervalMs', number>>): number {
  return Math.min(Math.max(intervalMs, nowMs - unprovenSinceMs), DEFAULTS.resyncMs);
}

function textOf(identity: Identity): string {
  return identity.by === 'id' ? `id ${identity.id.toLowerCase()}` : `name ${identity.name}`;
}
