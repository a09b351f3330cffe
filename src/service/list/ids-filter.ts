import type { ObservedDeployment } from '../../model/external/observation.ts';
import { DEFAULTS } from '../../model/connection/connection.ts';
import { ConnectionError } from '../../model/connection/failure.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import { refusesParameters } from './deployment-list.ts';
import { observedDeployment } from './observed-deployment.ts';
import { isTooMuchAnswered } from '../limits/own-errors.ts';
import type { Page } from './pages.ts';

/** One deployment read by itself. */
export interface SingleRead {
  readonly deployment: ObservedDeployment;
  readonly beganMs: number;
}

/** The parts of the filter. */
export interface IDsFilterOptions {
  readonly clock: Clock;
  /** The settings that name the parameter. */
  readonly parameter: () => string;
  /** Called when the filter becomes unused for a while; `note` says why. */
  readonly onDropped: () => void;
  /**
   * Reads the deployments with the ids that `takeIDs` returns. Calls `takeIDs` for every try, when there is a permit.
   */
  readonly fetch: (takeIDs: () => readonly string[], priority: CallPriority) => Promise<Page>;
  /** Returns up to `most` ids that will be requested next with this urgency: a call has room for them. */
  readonly upNext: (priority: CallPriority, most: number) => readonly string[];
  /** Keeps the result of a call. */
  readonly onRead: (read: SingleRead) => void;
}

/** The result of one call; undefined if it proves nothing. */
type Found = ReadonlyMap<string, SingleRead> | undefined;

/** The calls of one urgency, which run one after the other. */
interface Lane {
  /** The ids of the next call. Callers may add ids until the call has its permit. */
  gathering: { readonly ids: Set<string>; readonly found: Promise<Found> } | undefined;
  last: Promise<unknown>;
}

/**
 * Reads single deployments through the ids filter of the list (4.3), in one call for all ids of the same urgency. It
 * returns only deployments that the service has shown. If an id is missing, a read of the whole list must decide. If
 * the service ignores or refuses the filter, the operator does not use it for ten minutes (N19, N27, N29).
 */
export class IDsFilter {
  readonly #options: IDsFilterOptions;
  #droppedMs: number | undefined;
  #mostIDs: number = DEFAULTS.idsPerQuery;
  readonly #lanes: Readonly<Record<CallPriority, Lane>>;

  constructor(options: IDsFilterOptions) {
    this.#options = options;
    const lane = (): Lane => ({ gathering: undefined, last: Promise.resolve() });
    this.#lanes = { user: lane(), rollout: lane(), resync: lane() };
  }

  /**
   * Reads the deployment with this id. Returns `not shown` if the answer lacks it, and undefined if there is no
   * usable answer. Never rejects.
   */
  async read(id: string, priority: CallPriority): Promise<SingleRead | 'not shown' | undefined> {
    if (!this.#isUsable()) return undefined;
    const lane = this.#lanes[priority];
    const { ids, found } = (lane.gathering ??= this.#gather(lane, priority));
    ids.add(id.toLowerCase());
    if (ids.size >= this.#mostIDs) lane.gathering = undefined;
    const reads = await found;
    return reads && (reads.get(id.toLowerCase()) ?? 'not shown');
  }

  /** Says, for people, that the service ignores or refuses the filter; undefined while the filter is used. */
  get note(): string | undefined {
    if (this.#droppedMs === undefined) return undefined;
    const parameter = `${this.#options.parameter()} (spec.list.parameters.ids)`;
    return `the list does not filter by the parameter ${parameter}, so reading a single deployment takes a read of the whole list`;
  }

  /**
   * Records that a read of the list has shown a deployment which the filter did not find: the filter has another
   * meaning.
   */
  distrust(): void {
    this.#drop();
  }

  /** Uses the filter again, since the name of the parameter may have changed. */
  trust(): void {
    this.#droppedMs = undefined;
    this.#mostIDs = DEFAULTS.idsPerQuery;
  }

  /**
   * Prepares a call that is sent when the previous one has ended. It serves all callers who ask before it has its
   * permit.
   */
  #gather(lane: Lane, priority: CallPriority): NonNullable<Lane['gathering']> {
    const ids = new Set<string>();
    const take = (): readonly string[] => {
      if (lane.gathering?.ids === ids) lane.gathering = undefined;
      return [...ids];
    };
    const found = lane.last.then(() => this.#ask(take, priority)).finally(take);
    lane.last = found;
    return { ids, found };
  }

  /** Sends a call. Never rejects: the sweep that follows reports the trouble. */
  async #ask(take: () => readonly string[], priority: CallPriority): Promise<Found> {
    const { clock, fetch, onRead } = this.#options;
    if (!this.#isUsable()) return undefined;
    let beganMs = clock.now();
    let asked: ReadonlySet<string> | undefined;
    const takeOnce = (): readonly string[] => {
      // A read that is repeated shows the state at its last try.
      beganMs = clock.now();
      if (asked === undefined) {
        const own = new Set(take());
        asked = new Set([...own, ...this.#upNext(priority, own.size)]);
      }
      return [...asked];
    };
    try {
      const { items } = await fetch(takeOnce, priority);
      if (items.some(({ id }) => asked?.has(id.toLowerCase()) !== true)) {
        this.#drop();
        return undefined;
      }
      const found = items.map((item) => ({ deployment: observedDeployment(item), beganMs }));
      const reads = new Map(found.map((read) => [read.deployment.id.toLowerCase(), read]));
      // The callers may have given up meanwhile, for example because a pause ended their passes: the next pass uses
      // these results.
      for (const read of reads.values()) onRead(read);
      return reads;
    } catch (error) {
      if (!isTooMuch(error)) return undefined;
      return this.#halved(takeOnce(), priority);
    }
  }

  /** Returns the ids that will be requested next, as far as a call with `taken` ids has room for them. */
  #upNext(priority: CallPriority, taken: number): readonly string[] {
    const room = this.#mostIDs - taken;
    return room <= 0 ? [] : this.#options.upNext(priority, room).map((id) => id.toLowerCase());
  }

  /** Returns whether to use the filter. A failing service or a lagging list must not disable it permanently. */
  #isUsable(): boolean {
    const nowMs = this.#options.clock.now();
    if (this.#droppedMs !== undefined && nowMs >= this.#droppedMs + DEFAULTS.resyncMs) this.trust();
    return this.#droppedMs === undefined;
  }

  #drop(): void {
    this.#droppedMs = this.#options.clock.now();
    this.#options.onDropped();
  }

  async #halved(ids: readonly string[], priority: CallPriority): Promise<Found> {
    const half = Math.ceil(ids.length / 2);
    if (ids.length === 1) this.#drop();
    this.#mostIDs = Math.min(this.#mostIDs, half);
    const first = await this.#ask(() => ids.slice(0, half), priority);
    const second = first && (await this.#ask(() => ids.slice(half), priority));
    return first && second && new Map([...first, ...second]);
  }
}

function isTooMuch(error: unknown): boolean {
  const isTooLong = error instanceof ConnectionError && error.status === 414;
  return refusesParameters(error) || isTooLong || isTooMuchAnswered(error);
}
