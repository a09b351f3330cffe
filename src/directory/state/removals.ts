/** How long a manifest must be missing before `--prune` removes its resource. */
export const REMOVAL_GRACE_MS = 30_000;

/**
 * The most manifests that may be missing at once. More suggest a mistake, such as a wrong branch or a missing mount.
 */
const MOST_AT_ONCE = 10;

/** Fewer missing manifests than this are normal, whatever their share of all manifests. */
const FEW = 3;

/** A missing manifest, and the time from which its resource may be removed. */
export interface Removal {
  /** The text of the key. */
  readonly text: string;
  readonly dueMs: number;
}

/** The effect of one reading on the missing manifests. */
export interface RemovalsNoted {
  /** Newly missing, and not yet to be removed. */
  readonly begun: readonly Removal[];
  /** No longer missing, or at least not with certainty. */
  readonly ended: readonly string[];
  /** Missing for the whole grace time: the caller removes them now, and they are no longer tracked. */
  readonly due: readonly string[];
  /**
   * Missing for the whole grace time, but together with so many others that a person must first agree. Reported once.
   */
  readonly held: readonly string[];
}

/** The rules for removing resources. */
export interface RemovalRules {
  /** How long a manifest must be missing, in milliseconds. */
  readonly graceMs: number;
  /** True if any number may be removed at once. */
  readonly many: boolean;
}

/** The rules for a folder that is read once: a person sees the effect. */
export const AT_ONCE: RemovalRules = { graceMs: 0, many: true };

/**
 * Tracks the missing manifests, and decides alone which resources a reading may remove. A file that is being written,
 * moved or checked out is missing for a moment, and that removes nothing (H61).
 */
export class Removals {
  readonly #rules: RemovalRules;
  #due: ReadonlyMap<string, number> = new Map();
  #held: ReadonlySet<string> = new Set();

  constructor(rules: RemovalRules) {
    this.#rules = rules;
  }

  /** True while a manifest is missing and its resource stays unchanged. */
  isWaiting(text: string): boolean {
    return this.#due.has(text);
  }

  /**
   * Restarts the grace time of manifests that a reading contains, even if it may show half of a change: its gaps prove
   * nothing, but a manifest that it contains is not missing.
   */
  seen(isThere: (text: string) => boolean, nowMs: number): void {
    const again = nowMs + this.#rules.graceMs;
    this.#due = new Map([...this.#due].map(([text, dueMs]) => [text, isThere(text) ? again : dueMs]));
  }

  /**
   * Records the manifests that a reading lacks, and stops the grace time of the others. `present` is the number of
   * manifests that exist.
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
