import { defined } from '../../base/defined.ts';
import { keptSize, type Taken, textSize } from '../limits/kept-room.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { Malformed } from '../../wire/decode.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { observedDeployment } from './observed-deployment.ts';
import { type FetchPage, type PageKnowledge, pass } from './pages.ts';
import {
  briefly,
  indexByName,
  indexUnreadable,
  isWanted,
  oldWhereSame,
  plainText,
  sameShown,
  type Snapshot,
  type UnreadableItem,
  type Wanted,
} from './snapshot.ts';

/** One pass over the list, before anything is read. */
export type Pass = Pick<Snapshot, 'number' | 'beganMs' | 'complete'>;

/** The parts of one sweep. */
export interface SweepOptions {
  readonly clock: Clock;
  readonly fetchPage: FetchPage;
  readonly pageSize: number;
  /** The snapshot before: what is shown as it was stays the same object. */
  readonly before: Snapshot | undefined;
  readonly knowledge: PageKnowledge;
  /** Chooses the deployments that are kept whole. */
  readonly wanted: Wanted;
  /** Says that so many bytes are read and kept by now. Throws a ConnectionError where that is too much. */
  readonly onTaken: (taken: Taken) => void;
  /** Runs the work on a page, which counts as work on answers. */
  readonly work: (task: () => void) => void;
  readonly onShown: (deployment: ObservedDeployment) => void;
  /** The first page was full, so others follow. */
  readonly onFullFirstPage: () => void;
}

/** Reads the list once, page by page, into a snapshot. Throws what a page failed with. */
export async function readSweep(
  about: Pass,
  options: SweepOptions,
): Promise<{ readonly snapshot: Snapshot; readonly knowledge: PageKnowledge }> {
  const { clock, pageSize, before, wanted, onShown, onTaken, onFullFirstPage } = options;
  const kept = new Kept(before);
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
        ...kept.shown(),
        stuck,
        provesAbsence: whole && kept.isReadable,
      };
      return { snapshot, knowledge };
    }
    const { items, malformed, bytes = 0 } = next.value;
    options.work(() => {
      kept.read(bytes);
      for (const item of malformed) kept.addUnreadable(item);
      for (const item of items) {
        const shown = observedDeployment(item);
        onShown(kept.add(shown, isWanted(wanted, shown)));
      }
    });
    onTaken(kept.taken);
    if (calls === 1 && items.length >= pageSize) onFullFirstPage();
  }
}

/** The bytes it takes to find a deployment by its id and its name. */
const BYTES_PER_ITEM = 300;

/** The findings of a sweep so far. */
class Kept {
  readonly #before: Snapshot | undefined;
  readonly #byID = new Map<string, ObservedDeployment>();
  readonly #brief = new Set<string>();
  readonly #twins = new Map<string, readonly ObservedDeployment[]>();
  readonly #unreadable: UnreadableItem[] = [];
  #read = 0;
  #kept = 0;

  constructor(before: Snapshot | undefined) {
    this.#before = before;
  }

  get taken(): Taken {
    return { read: this.#read, kept: this.#kept };
  }

  get isReadable(): boolean {
    return this.#unreadable.length === 0;
  }

  read(bytes: number): void {
    this.#read += bytes;
  }

  /** Keeps a deployment, whole or not; answers what it showed, as the same object as before where it is the same. */
  add(shown: ObservedDeployment, whole: boolean): ObservedDeployment {
    const id = shown.id.toLowerCase();
    const now = whole ? shown : briefly(shown);
    const text = plainText(now) ?? '';
    const kept = oldWhereSame(this.#before?.byID.get(id), now, text);
    this.#kept += BYTES_PER_ITEM + keptSize(text);
    const other = this.#byID.get(id);
    if (other !== undefined && !sameShown(other, kept))
      this.#twins.set(id, [...(this.#twins.get(id) ?? []), other]);
    this.#byID.set(id, kept);
    if (whole) this.#brief.delete(id);
    else this.#brief.add(id);
    return shown;
  }

  addUnreadable({ id, name, problem }: Malformed): void {
    const item = {
      ...defined({ id: id?.toLowerCase(), name }),
      problem,
    };
    this.#kept += BYTES_PER_ITEM + textSize(name ?? '');
    this.#unreadable.push(item);
  }

  shown(): Pick<Snapshot, 'problems' | 'unreadable' | 'byID' | 'brief' | 'twins' | 'byName'> {
    return {
      problems: this.#unreadable.map(({ problem }) => problem),
      unreadable: indexUnreadable(this.#unreadable),
      byID: this.#byID,
      brief: this.#brief,
      twins: this.#twins,
      byName: indexByName(this.#byID),
    };
  }
}
