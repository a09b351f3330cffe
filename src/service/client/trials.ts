import type { Level } from '../../model/external/patch-body.ts';

/** So many whole bodies go before one leaves something out; twice as many for each loss that was seen. */
const WHOLE_BODIES = 3;

/** Where something may be left out when it is not known where it was lost, as after a restart: no revision depends on it. */
const HARMLESS: ReadonlySet<Level> = new Set<Level>(['blocks', 'sourceConfig']);

/**
 * When to leave something out although the service is believed to empty it (R12). Whole bodies leave nothing out that could
 * be seen to stay, so that a belief that came of an accident would last for ever.
 */
export class Trials {
  #wholeBodies = 0;
  #losses = 0;
  readonly #levels = new Set<Level>();

  /** A body went that left nothing out. */
  wroteWhole(): void {
    this.#wholeBodies += 1;
  }

  /** A write lost something that it left out at these levels. */
  lost(levels: readonly Level[]): void {
    for (const level of levels) this.#levels.add(level);
    this.#wholeBodies = 0;
    this.#losses += 1;
  }

  /** Another service, of which nothing is known. */
  forget(): void {
    this.#wholeBodies = 0;
    this.#losses = 0;
    this.#levels.clear();
  }

  /** Where the next body may leave something out: `losses` is how often one was seen in all, `encouraged` that the last trial lost nothing. */
  due(losses: number, encouraged: boolean): ReadonlySet<Level> | undefined {
    const needed = WHOLE_BODIES * 2 ** (Math.max(losses, this.#losses) - 1);
    if (!encouraged && this.#wholeBodies < needed) return undefined;
    return this.#levels.size === 0 ? HARMLESS : this.#levels;
  }
}
