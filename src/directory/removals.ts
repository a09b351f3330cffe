/** How long a manifest must be away before `--prune` removes its resource. */
export const REMOVAL_GRACE_MS = 30_000;

/** A manifest that is away, and the time from which on its resource may be removed. */
export interface Removal {
  /** The text of its key. */
  readonly text: string;
  readonly dueMs: number;
}

/** What one reading did to the manifests that are away. */
export interface RemovalsNoted {
  /** Away for the first time, and not to be removed yet. */
  readonly begun: readonly Removal[];
  /** Not away any more, or at least not for certain. */
  readonly ended: readonly string[];
  /** Away for the whole grace time: to be removed now, and not noted any more. */
  readonly due: readonly string[];
}

/**
 * The manifests that are away, and since when. A file that is written in place, moved or checked out is away for a
 * moment, which removes nothing (H61). The one place that decides what a reading may remove.
 */
export class Removals {
  readonly #graceMs: number;
  #due: ReadonlyMap<string, number> = new Map();

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** True while a manifest is away and its resource stays as it was. */
  isWaiting(text: string): boolean {
    return this.#due.has(text);
  }

  /** Takes over what is away at a reading; what was away before and is not among it counts from the start again. */
  note(missing: readonly string[], nowMs: number): RemovalsNoted {
    const before = this.#due;
    const away = missing.map((text) => ({ text, dueMs: before.get(text) ?? nowMs + this.#graceMs }));
    const waiting = away.filter(({ dueMs }) => dueMs > nowMs);
    this.#due = new Map(waiting.map(({ text, dueMs }) => [text, dueMs]));
    const still = new Set(missing);
    return {
      begun: waiting.filter(({ text }) => !before.has(text)),
      ended: [...before.keys()].filter((text) => !still.has(text)),
      due: away.filter(({ dueMs }) => dueMs <= nowMs).map(({ text }) => text),
    };
  }
}
