import type { ObservedDeployment } from '../model/observation.ts';
import type { Clock } from '../ports/clock.ts';
import { observedDeployment } from './mapping.ts';
import { type FetchPage, type PageKnowledge, pass } from './pages.ts';
import {
  indexByName,
  indexUnreadable,
  oldWhereSame,
  sameShown,
  type Snapshot,
  type UnreadableItem,
} from './snapshot.ts';

/** One pass over the list, before anything is read. */
export type Pass = Pick<Snapshot, 'number' | 'beganMs' | 'complete'>;

/** What one pass works with. */
export interface SweepOptions {
  readonly clock: Clock;
  readonly fetchPage: FetchPage;
  readonly pageSize: number;
  /** The snapshot before: what is shown as it was stays the same object. */
  readonly before: Snapshot | undefined;
  readonly knowledge: PageKnowledge;
  readonly onShown: (deployment: ObservedDeployment) => void;
  /** The first page was full, so others follow. */
  readonly onFullFirstPage: () => void;
}

/** Reads the list once, page by page, into a snapshot. Throws what a page failed with. */
export async function readSweep(
  about: Pass,
  options: SweepOptions,
): Promise<{ readonly snapshot: Snapshot; readonly knowledge: PageKnowledge }> {
  const { clock, pageSize, before, onShown, onFullFirstPage } = options;
  const byID = new Map<string, ObservedDeployment>();
  const unreadable: UnreadableItem[] = [];
  const twins = new Map<string, readonly ObservedDeployment[]>();
  let calls = 0;
  const fetch: FetchPage = (offset, limit) => {
    calls += 1;
    return options.fetchPage(offset, limit);
  };
  const pages = pass(fetch, { complete: about.complete, pageSize, knowledge: options.knowledge });
  for (;;) {
    const next = await pages.next();
    if (next.done === true) {
      const { complete: whole, stuck, knowledge } = next.value;
      const snapshot = {
        ...about,
        complete: about.complete || whole,
        endedMs: clock.now(),
        calls,
        problems: unreadable.map(({ problem }) => problem),
        unreadable: indexUnreadable(unreadable),
        byID,
        twins,
        byName: indexByName(byID),
        stuck,
        provesAbsence: whole && unreadable.length === 0,
      };
      return { snapshot, knowledge };
    }
    const { items, malformed } = next.value;
    for (const { id, name, problem } of malformed)
      unreadable.push({
        ...(id === undefined ? {} : { id: id.toLowerCase() }),
        ...(name === undefined ? {} : { name }),
        problem,
      });
    for (const item of items) {
      const id = item.id.toLowerCase();
      const shown = oldWhereSame(before?.byID.get(id), observedDeployment(item));
      const other = byID.get(id);
      if (other !== undefined && !sameShown(other, shown)) twins.set(id, [...(twins.get(id) ?? []), other]);
      byID.set(id, shown);
      onShown(shown);
    }
    if (calls === 1 && items.length >= pageSize) onFullFirstPage();
  }
}
