import type { Level } from '../../model/external/patch-body.ts';

/** The number of whole bodies before a body that omits something; it doubles with each observed loss. */
const WHOLE_BODIES = 3;

/**
 * The levels at which a trial may omit something if the lost level is unknown, as after a restart: no revision
 * depends on them.
 */
const HARMLESS: ReadonlySet<Level> = new Set<Level>(['blocks', 'sourceConfig']);

/**
 * Decides when to omit something although the service is believed to empty it (R12). Whole bodies omit nothing and so
 * cannot disprove this; without trials, a false belief would last for ever.
 */
export class Trials {
  #wholeBodies = 0;
  #losses = 0;
  readonly #levels = new Set<Level>();

  /** Records a body that omitted nothing. */
  wroteWhole(): void {
    this.#wholeBodies += 1;
  }

  /** Records that a write lost something that it omitted at these levels. */
  lost(levels: readonly Level[]): void {
    for (const level of levels) this.#levels.add(level);
    this.#wholeBodies = 0;
    this.#losses += 1;
  }

  /** Forgets everything: the service is another one. */
  forget(): void {
    this.#wholeBodies = 0;
    this.#losses = 0;
    this.#levels.clear();
  }

  /**
   * Returns the levels at which the next body may omit something. `losses` is the number of all observed losses;
   * `encouraged` says that the last trial lost nothing.
   */
  due(losses: number, encouraged: boolean): ReadonlySet<Level> | undefined {
    const needed = WHOLE_BODIES * 2 ** (Math.max(losses, this.#losses) - 1);
    if (!encouraged && this.#wholeBodies < needed) return undefined;
    return this.#levels.size === 0 ? HARMLESS : this.#levels;
  }
}
