import type { Given } from '../reconcile/support/world.ts';
import type { ExcuseName } from '../support/oracle/finding.ts';
import type { Rogue } from '../support/oracle/rogue.ts';

/** A scenario with a due excuse, and the same scenario without the physical reason. */
export interface Story {
  readonly excuse: ExcuseName;
  readonly given?: Given;
  readonly play: (rogue: Rogue) => Promise<void>;
  /** The same scenario without the physical reason, to which the oracle objects. */
  readonly otherwise: Given | ((rogue: Rogue) => Promise<void>);
}

/** Passes this many minutes with a list in each. */
export async function listsFor(rogue: Rogue, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await rogue.world.pass(60);
    await rogue.list();
  }
}
