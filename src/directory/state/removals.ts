/** How long a manifest must be away before `--prune` removes its resource. */
export const REMOVAL_GRACE_MS = 30_000;

/** More at once are rather a mistake: a wrong branch, a mount that is not there. */
const MOST_AT_ONCE = 10;

/** Fewer are an ordinary day, whatever their share is. */
const FEW = 3;

/** A manifest that is away, and the time from which on its resource may be removed. */
export interface Removal {
  /** The text of its key. */
  readonly text: string;
  readonly dueMs: number;
}

/** The effect of one reading on the manifests that are away. */
export interface RemovalsNoted {
  /** Away for the first time, and not to be removed yet. */
  readonly begun: readonly Removal[];
  /** Not away any more, or at least not for certain. */
  readonly ended: readonly string[];
  /** Away for the whole grace time: to be removed now, and not noted any more. */
  readonly due: readonly string[];
  /** Away for the whole grace time with so many others that a person has to agree; reported once. */
  readonly held: readonly string[];
}

/** How removals are made. */
export interface RemovalRules {
  /** How long a manifest must be away. */
  readonly graceMs: number;
  /** Any number may be removed at once. */
  readonly many: boolean;
}

/** Of a folder that is read once: a person sees what that means. */
export const AT_ONCE: RemovalRules = { graceMs: 0, many: true };

/**
 * The manifests that are away, and since when. A file that is written in place, moved or checked out is away for a
 * moment, which removes nothing (H61). The one place that decides what a reading may remove.
 */
export class Removals {
  readonly #rules: RemovalRules;
  #due: ReadonlyMap<string, number> = new Map();
  #held: ReadonlySet<string> = new Set();

  constructor(rules: RemovalRules) {
    this.#rules = rules;
  }

  /** True while a manifest is away and its resource stays as it was. */
  isWaiting(text: string): boolean {
    return this.#due.has(text);
  }

  /**
   * Starts the grace time again for manifests that a reading shows. A reading that may be half of a change is enough for that:
   * what it lacks proves nothing, and what it shows is not away.
   */
  seen(isThere: (text: string) => boolean, nowMs: number): void {
    const again = nowMs + this.#rules.graceMs;
    this.#due = new Map([...this.#due].map(([text, dueMs]) => [text, isThere(text) ? again : dueMs]));
  }

  /**
   * Records the manifests that are missing at a reading; the time of one that is back starts again. `present`
   * is the number of manifests that exist.
   */
  note(missing: readonly string[], present: number, nowMs: number): RemovalsNoted {
    const before = this.#due;
    const { graceMs, many } = this.#rules;
    const away = missing.map((text) => ({ text, dueMs: before.get(text) ?? nowMs + graceMs }));
    const over = away.filter(({ dueMs }) => dueMs <= nowMs).map(({ text }) => text);
    const isHeld = !many && isTooMany(away.length, present);
    const waiting = isHeld ? away : away.filter(({ dueMs }) => dueMs > nowMs);
    const heldBefore = this.#held;
    this.#due = new Map(waiting.map(({ text, dueMs }) => [text, dueMs]));
    this.#held = new Set(isHeld ? over : []);
    const still = new Set(missing);
    return {
      begun: away.filter(({ text, dueMs }) => dueMs > nowMs && !before.has(text)),
      ended: [...before.keys()].filter((text) => !still.has(text)),
      due: isHeld ? [] : over,
      held: [...this.#held].filter((text) => !heldBefore.has(text)),
    };
  }
}

function isTooMany(away: number, present: number): boolean {
  return away > MOST_AT_ONCE || (away >= FEW && away > present);
}
