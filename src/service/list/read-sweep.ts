import { compact } from '../../base/compact.ts';
import { defined } from '../../base/defined.ts';
import { keptSize, type Taken, textSize } from '../limits/kept-room.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { Malformed } from '../../wire/decode.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { observedDeployment } from './observed-deployment.ts';
import { type FetchPage, type KnownPage, type Page, type PageKnowledge, pass } from './pages.ts';
import {
  briefly,
  indexByName,
  indexUnreadable,
  isWanted,
  oldWhereSame,
  pageKey,
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
  /** Reads a page; the result may refer to a known page that it repeats. */
  readonly fetchPage: (offset: number, limit: number, known: KnownPage | undefined) => Promise<Page>;
  readonly pageSize: number;
  /** The previous snapshot. A deployment that did not change stays the same object. */
  readonly before: Snapshot | undefined;
  readonly knowledge: PageKnowledge;
  /** Chooses the deployments that are kept whole. */
  readonly wanted: Wanted;
  /** Called with the bytes that are read and kept so far. Throws a ConnectionError if that is too much. */
  readonly onTaken: (taken: Taken) => void;
  /** Runs the work on a page, which counts as work on answers. */
  readonly work: (task: () => void) => void;
  readonly onShown: (deployment: ObservedDeployment) => void;
  /** Called with the lower-case id of a deployment that a page shows differently than the previous snapshot. */
  readonly onMoved: (id: string) => void;
  /** Called when the first page was full, so that others follow. */
  readonly onFullFirstPage: () => void;
}

/** Reads the list once, page by page, into a snapshot. Throws the error of a page. */
export async function readSweep(
  about: Pass,
  options: SweepOptions,
): Promise<{ readonly snapshot: Snapshot; readonly knowledge: PageKnowledge }> {
  const { clock, pageSize, before, wanted, onShown, onTaken, onFullFirstPage } = options;
  const kept = new Kept(before, wanted, options.onMoved);
  let calls = 0;
  let key = '';
  const fetch: FetchPage = (offset, limit) => {
    calls += 1;
    key = pageKey(offset, limit);
    return options.fetchPage(offset, limit, kept.known(key));
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
    const page = next.value;
    options.work(() => {
      for (const shown of kept.add(key, page)) onShown(shown);
    });
    onTaken(kept.taken);
    if (calls === 1 && (page.repeats?.ids ?? page.items).length >= pageSize) onFullFirstPage();
  }
}

/** The bytes that the entries for the id and the name of a deployment occupy. */
const BYTES_PER_ITEM = 300;

/** The results of a sweep so far. */
class Kept {
  readonly #before: Snapshot | undefined;
  readonly #byID = new Map<string, ObservedDeployment>();
  readonly #brief = new Set<string>();
  readonly #twins = new Map<string, readonly ObservedDeployment[]>();
  readonly #unreadable: UnreadableItem[] = [];
  readonly #pages = new Map<string, KnownPage>();
  /** The deployment that was kept last, since neighbours in the list often share a part. */
  #neighbour: ObservedDeployment | undefined;
  #read = 0;
  #kept = 0;

  readonly #wanted: Wanted;
  readonly #onMoved: SweepOptions['onMoved'];

  constructor(before: Snapshot | undefined, wanted: Wanted, onMoved: SweepOptions['onMoved']) {
    this.#before = before;
    this.#wanted = wanted;
    this.#onMoved = onMoved;
  }

  /**
   * Returns the page of the previous sweep if all wanted parts of it are kept, so that the page need not be decoded
   * again.
   */
  known(key: string): KnownPage | undefined {
    const page = this.#before?.pages.get(key);
    const isKept = (id: string): boolean => {
      const old = this.#before?.byID.get(id);
      return old !== undefined && this.#before?.brief.has(id) === !isWanted(this.#wanted, old);
    };
    const ids = page?.ids.map((id) => id.toLowerCase()) ?? [];
    const hasTwin = ids.some((id) => this.#byID.has(id) || this.#before?.twins.has(id) === true);
    return !hasTwin && ids.every(isKept) ? page : undefined;
  }

  /** Keeps a page and returns its deployments. */
  add(key: string, page: Page): readonly ObservedDeployment[] {
    const { items, malformed, offset, bytes = 0, digest, repeats } = page;
    this.#read += bytes;
    for (const item of malformed) this.#addUnreadable(item);
    const keptBytes = this.#kept;
    const shown = repeats === undefined ? items.map(observedDeployment) : this.#again(repeats);
    if (repeats === undefined) for (const one of shown) this.#addShown(one);
    const ids = repeats?.ids ?? items.map(({ id }) => id);
    if (digest !== undefined && malformed.length === 0)
      this.#pages.set(key, { digest, ids, offset, kept: this.#kept - keptBytes });
    return shown;
  }

  /** Keeps a page that shows the same as in the previous sweep, and returns its deployments. */
  #again({ ids, kept }: KnownPage): readonly ObservedDeployment[] {
    this.#kept += kept;
    return ids.flatMap((shownID) => {
      const id = shownID.toLowerCase();
      const old = this.#before?.byID.get(id);
      if (old === undefined) return [];
      this.#byID.set(id, old);
      if (this.#before?.brief.has(id) === true) this.#brief.add(id);
      return [old];
    });
  }

  get taken(): Taken {
    return { read: this.#read, kept: this.#kept };
  }

  get isReadable(): boolean {
    return this.#unreadable.length === 0;
  }

  /** Keeps a deployment, whole if it is wanted. If it has not changed, keeps the earlier object. */
  #addShown(shown: ObservedDeployment): void {
    const whole = isWanted(this.#wanted, shown);
    const id = shown.id.toLowerCase();
    const now = whole ? shown : briefly(shown);
    const text = plainText(now) ?? '';
    const old = this.#before?.byID.get(id);
    const kept = compact(oldWhereSame(old, now, text), this.#neighbour);
    if (old !== undefined && kept !== old) this.#onMoved(id);
    this.#neighbour = kept;
    this.#kept += BYTES_PER_ITEM + keptSize(text);
    const other = this.#byID.get(id);
    if (other !== undefined && !sameShown(other, kept))
      this.#twins.set(id, [...(this.#twins.get(id) ?? []), other]);
    this.#byID.set(id, kept);
    if (whole) this.#brief.delete(id);
    else this.#brief.add(id);
  }

  #addUnreadable({ id, name, problem }: Malformed): void {
    const item = {
      ...defined({ id: id?.toLowerCase(), name }),
      problem,
    };
    this.#kept += BYTES_PER_ITEM + textSize(name ?? '');
    this.#unreadable.push(item);
  }

  shown(): Pick<Snapshot, 'problems' | 'unreadable' | 'byID' | 'brief' | 'twins' | 'byName' | 'pages'> {
    return {
      problems: this.#unreadable.map(({ problem }) => problem),
      unreadable: indexUnreadable(this.#unreadable),
      byID: this.#byID,
      brief: this.#brief,
      twins: this.#twins,
      byName: indexByName(this.#byID),
      pages: this.#pages,
    };
  }
}
