import { pauseIn } from '../../model/connection/failure.ts';
import { type Field, FIELDS } from '../../model/desired/fields.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import { isKeyShown } from '../../model/external/shown.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import type { PageRequest } from './deployment-list.ts';
import { NO_PAGE_KNOWLEDGE, type Page, type PageKnowledge } from './pages.ts';
import type { Identity } from '../../model/desired/desired-deployment.ts';
import { changesBetween, type Snapshot, type SnapshotChange, type Wanted } from './snapshot.ts';
import type { KeptShare } from '../limits/kept-room.ts';
import { type Pass, readSweep } from './read-sweep.ts';
import { moreUrgent } from '../calls/turns.ts';

/** One sweep of this many is complete, whatever the pages show. */
const COMPLETE_EVERY = 10;

/** The fraction by which the poll interval varies, so that connections do not sweep in step. */
const JITTER = 0.2;

/** The fraction of a poll interval that a sweep should take: decisions use sweeps that began within two intervals. */
const SWEEPING_SHARE = 0.3;

/**
 * The least number of edits per page that a hurried sweep must let pass. A sweep that lets fewer pass costs more than
 * reads by id, which are gathered, so it does not hurry.
 */
const LEAST_PATIENCE = 5;

/** The requirements of a caller. */
export interface Need {
  readonly notOlderThanMs: number;
  /** The sweep must continue to the end of the list, so that it proves absence if it can. */
  readonly complete: boolean;
  /** The snapshot must come from a later pass than this one. */
  readonly after?: Pick<Snapshot, 'number'>;
  readonly priority: CallPriority;
}

/** The parts of a poller. */
export interface PollerOptions {
  readonly clock: Clock;
  readonly fetchPage: (request: PageRequest, signal: AbortSignal) => Promise<Page>;
  readonly intervalMs: () => number;
  /** Returns the calls that the connection may make per second. */
  readonly requestsPerSecond: () => number;
  readonly pageSize: () => number;
  /** Returns the deployments that resources look for; the snapshot keeps them whole. */
  readonly wanted: () => Wanted;
  /** The memory that the snapshot may take. */
  readonly share: KeptShare;
  /** Runs work that counts as work on answers. */
  readonly work: (task: () => void) => void;
  readonly onChange: (change: SnapshotChange) => void;
  /**
   * Called when a pass shows a deployment, possibly before the pass has ended; `beganMs` is the beginning of the pass.
   */
  readonly onShown: (shown: ObservedDeployment, beganMs: number) => void;
  /** Called when something was shown for the first time since the start: a list of secrets, or a resource spec. */
  readonly onFirstShown: () => void;
  /** Called when a sweep failed; callers that wait for it are rejected as well. */
  readonly onFailure: (error: unknown) => void;
  readonly onSwept: (result: 'complete' | 'partial' | 'failed') => void;
}

/** The result of a call for one deployment alone. */
interface AloneRead {
  readonly deployment: ObservedDeployment;
  readonly beganMs: number;
}

/**
 * The urgency of a sweep: for pages that it has not requested yet, that of the most urgent caller who waits for it.
 */
interface Urgency {
  priority: CallPriority;
}

interface Sweep extends Pass {
  readonly urgency: Urgency;
  readonly result: Promise<Snapshot>;
  /** Resolves when a full first page shows that other pages follow. */
  readonly goesOn: Promise<void>;
}

/** The only writer of the snapshot of a connection. Makes one pass over the list at a time, which all callers share. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #ending = new AbortController();
  #snapshot: Snapshot | undefined;
  #readBeganMs: number | undefined;
  #secretsListed = false;
  #resourceSpecsListed = false;
  /** The facts that `onFirstShown` was already called for: lists show secrets, and lists show resource specs. */
  #announced: readonly boolean[] = [false, false];
  readonly #listedPaths = new Set<string>();
  #unlisted: readonly Field[] = FIELDS;
  /** Reads of single deployments that no pass has followed yet, by id in lower case. */
  readonly #alone = new Map<string, AloneRead>();
  /** The deployments that callers looked for since the newest pass began, and found kept in short form. */
  #asked: { readonly ids: Set<string>; readonly names: Set<string> } = { ids: new Set(), names: new Set() };
  #running: Sweep | undefined;
  #page = Promise.withResolvers<void>();
  /**
   * The deployments that the sweep under way shows differently than the snapshot, by id in lower case, each with
   * the time at which it did.
   */
  readonly #moved = new Map<string, number>();
  #knowledge: PageKnowledge = NO_PAGE_KNOWLEDGE;
  #firstOfMany = false;
  #passes = 0;
  #sinceComplete = 0;
  #polling: AbortController | undefined;
  #dueMs = 0;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** The snapshot of the newest sweep. */
  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /**
   * The time at which the newest sweep began that could reach the end of the list, even if it could not read some
   * items.
   */
  get readBeganMs(): number | undefined {
    return this.#readBeganMs;
  }

  /** The number of the newest pass that has begun; 0 before the first. */
  get passes(): number {
    return this.#passes;
  }

  /** True if some deployment has shown a non-empty list of secrets since the start. */
  get secretsListed(): boolean {
    return this.#secretsListed;
  }

  /** True if some deployment has shown a resource spec since the start, even an empty one. */
  get resourceSpecsListed(): boolean {
    return this.#resourceSpecsListed;
  }

  /** Paths of fields that some deployment has shown since the start, even as null. */
  get listedPaths(): ReadonlySet<string> {
    return this.#listedPaths;
  }

  /** True if the current snapshot satisfies a need. */
  has(need: Need): boolean {
    return this.#snapshot !== undefined && satisfies(this.#snapshot, need);
  }

  /**
   * True if a page has shown the deployment differently than the previous sweep, later than a look that began at
   * `sinceMs`.
   */
  movedSince(id: string, sinceMs: number): boolean {
    const movedMs = this.#moved.get(id.toLowerCase()) ?? 0;
    if (sinceMs !== this.#snapshot?.beganMs) return movedMs > sinceMs;
    // The snapshot contains everything that its own sweep showed; the sweep under way may have shown more.
    return this.#running !== undefined && movedMs >= this.#running.beganMs;
  }

  /** True if a sweep that began later has ended, and has shown the deployment differently than the one before. */
  sweptSince(id: string, sinceMs: number): boolean {
    const movedMs = this.#moved.get(id.toLowerCase()) ?? 0;
    return movedMs > sinceMs && (this.#snapshot?.beganMs ?? 0) > sinceMs;
  }

  /** True if the snapshot in progress will satisfy a need. */
  awaits(need: Need): boolean {
    return this.#running !== undefined && satisfies(this.#running, need);
  }

  /** Returns a snapshot that satisfies a need: the current one, the one under way, or a new one. */
  async ensure(need: Need): Promise<Snapshot> {
    for (;;) {
      const [snapshot, running] = [this.#snapshot, this.#running];
      if (snapshot !== undefined && satisfies(snapshot, need)) return snapshot;
      if (running === undefined) return this.#begin(need.complete, need.priority);
      running.urgency.priority = moreUrgent(running.urgency.priority, need.priority);
      if (satisfies(running, need)) return running.result;
      await running.result.catch(() => undefined);
    }
  }

  /** Keeps the whole deployment that a resource looks for, from the next sweep on. */
  want(identity: Identity): void {
    if (identity.by === 'id') this.#asked.ids.add(identity.id.toLowerCase());
    else this.#asked.names.add(identity.name);
  }

  /** True while no sweep has read the whole list, and a full first page showed that it takes several calls. */
  get isFirstOfMany(): boolean {
    return this.#firstOfMany;
  }

  /**
   * Proves that the service lists deployments. Returns a snapshot that is new enough, or undefined as soon as a full
   * first page of a long list has arrived; the sweep then reads the rest.
   */
  async firstPage(need: Need): Promise<Snapshot | undefined> {
    const whole = this.ensure(need);
    const running = this.#running;
    if (running === undefined || !satisfies(running, need)) return await whole;
    // The first page was proof when it arrived; for later callers only another page is.
    const shown = this.#firstOfMany ? this.#page.promise : running.goesOn;
    return await Promise.race([whole, shown.then(() => undefined)]);
  }

  /** Resolves when the sweep under way has read another page, and fails with the sweep; undefined without a sweep. */
  nextPage(): Promise<unknown> | undefined {
    return this.#running && Promise.race([this.#page.promise, this.#running.result]);
  }

  /**
   * Compares the next pass with a read of one deployment alone, and wakes its resource if the pass shows something
   * else.
   */
  readAlone(id: string, read: AloneRead): void {
    this.#alone.set(id, read);
  }

  /** Remembers which fields a read of one deployment alone shows, like those that lists show. */
  showsAlone(shown: ObservedDeployment): void {
    this.#note(shown);
    this.#tellFirstShown();
  }

  /** The time for which a sweep has been due without beginning. */
  get overdueMs(): number {
    const isDue = this.#polling !== undefined && this.#running === undefined;
    return isDue ? Math.max(0, this.#options.clock.now() - this.#dueMs) : 0;
  }

  /** The duration of the sweep under way so far; 0 without a sweep. */
  get sweepingMs(): number {
    return this.#running === undefined ? 0 : this.#options.clock.now() - this.#running.beganMs;
  }

  /** Begins to sweep at the poll interval; a second call does nothing. */
  start(): void {
    if (this.#polling !== undefined || this.#ending.signal.aborted) return;
    this.#polling = new AbortController();
    void this.#poll(this.#polling.signal);
  }

  /** Stops the regular sweeps; callers can still request a sweep. */
  pause(): void {
    this.#polling?.abort();
    this.#polling = undefined;
  }

  /** Applies a changed interval. */
  reschedule(): void {
    if (this.#polling === undefined) return;
    this.pause();
    this.start();
  }

  /** Stops permanently, and aborts a sweep under way with `reason`. */
  stop(reason: Error): void {
    this.pause();
    this.#ending.abort(reason);
    this.#options.share.leave();
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs } = this.#options;
    while (!signal.aborted) {
      const ms = intervalMs() * (1 - JITTER + 2 * JITTER * clock.random());
      this.#dueMs = clock.now() + ms;
      await clock.sleep(ms, signal).catch(() => undefined);
      // Failures are reported where they happen.
      if (!signal.aborted)
        await (this.#running?.result ?? this.#begin(false, 'resync')).catch(() => undefined);
    }
  }

  #begin(asked: boolean, priority: CallPriority): Promise<Snapshot> {
    const complete = asked || this.#snapshot === undefined || this.#sinceComplete >= COMPLETE_EVERY - 1;
    this.#passes += 1;
    const pass = { number: this.#passes, beganMs: this.#options.clock.now(), complete };
    const urgency = { priority };
    const goesOn = Promise.withResolvers<void>();
    const result = this.#sweep(pass, urgency, goesOn.resolve).finally(() => {
      this.#running = undefined;
      this.#firstOfMany = false;
    });
    this.#running = { ...pass, urgency, result, goesOn: goesOn.promise };
    return result;
  }

  async #sweep(about: Pass, urgency: Urgency, goesOn: () => void): Promise<Snapshot> {
    try {
      const seen = await this.#read(about, urgency, goesOn);
      this.#options.share.settle();
      this.#options.work(() => this.#swap(seen));
      this.#tellFirstShown();
      return seen;
    } catch (error) {
      this.#options.share.giveUp();
      this.#options.onSwept('failed');
      if (!this.#ending.signal.aborted) this.#options.onFailure(error);
      throw error;
    }
  }

  async #read(about: Pass, urgency: Urgency, goesOn: () => void): Promise<Snapshot> {
    const { clock, fetchPage, pageSize, wanted, share, work, onShown } = this.#options;
    const asked = this.#asked;
    this.#asked = { ids: new Set(), names: new Set() };
    const { snapshot, knowledge } = await readSweep(about, {
      clock,
      fetchPage: (offset, limit, known) =>
        this.#inSpiteOfPauses(about, () => {
          const { priority } = urgency;
          return fetchPage({ offset, limit, priority, patience: this.#patience, known }, this.#ending.signal);
        }),
      pageSize: pageSize(),
      before: this.#snapshot,
      knowledge: this.#knowledge,
      wanted: both(wanted(), asked),
      onTaken: (taken) => share.take(taken),
      work,
      onShown: (shown) => {
        this.#note(shown);
        onShown(shown, about.beganMs);
      },
      onMoved: (id) => this.#moved.set(id, clock.now()),
      onFullFirstPage: () => {
        this.#firstOfMany = this.#snapshot === undefined;
        goesOn();
      },
    });
    this.#knowledge = knowledge;
    return snapshot;
  }

  /**
   * Requests a page again after a pause that ends before the next pass is due: a service that refuses now and then
   * would otherwise end every pass over a long list. The next try waits for its permit, and so for the end of the
   * pause.
   */
  async #inSpiteOfPauses(about: Pass, ask: () => Promise<Page>): Promise<Page> {
    const { clock, intervalMs } = this.#options;
    for (;;) {
      try {
        const page = await ask();
        this.#page.resolve();
        this.#page = Promise.withResolvers();
        return page;
      } catch (error) {
        const pauseMs = pauseIn(error)?.retryAfterMs ?? Number.POSITIVE_INFINITY;
        if (clock.now() + pauseMs > about.beganMs + intervalMs()) throw error;
      }
    }
  }

  /**
   * The number of edits that may overtake the next page: as many as still let the sweep end in time, if that costs the
   * edits little.
   */
  get #patience(): number | undefined {
    const { intervalMs, requestsPerSecond } = this.#options;
    const permits = ((intervalMs() * SWEEPING_SHARE) / 1000) * requestsPerSecond();
    const calls = this.#snapshot?.calls ?? Number.POSITIVE_INFINITY;
    const inTime = Math.floor(permits / calls) - 1;
    return inTime < LEAST_PATIENCE ? undefined : inTime;
  }

  #note(shown: ObservedDeployment): void {
    const { secrets, sourceConfig } = shown;
    this.#secretsListed ||= (secrets?.length ?? 0) > 0;
    this.#resourceSpecsListed ||= sourceConfig?.resourceSpec !== undefined;
    const listed = this.#unlisted.filter((field) => isKeyShown(field, shown));
    if (listed.length === 0) return;
    for (const { path } of listed) this.#listedPaths.add(path);
    this.#unlisted = this.#unlisted.filter(({ path }) => !this.#listedPaths.has(path));
  }

  #tellFirstShown(): void {
    const now = [this.#secretsListed, this.#resourceSpecsListed];
    const isFirst = now.some((isShown, which) => isShown !== this.#announced[which]);
    this.#announced = now;
    if (isFirst) this.#options.onFirstShown();
  }

  /** Replaces the snapshot as a whole: readers see the old one or the new one, never a mixture. */
  #swap(seen: Snapshot): void {
    const older = [...this.#alone].filter(([, { beganMs }]) => beganMs < seen.beganMs);
    const alone = older.map(([id, { deployment }]) => [id, deployment] as const);
    const change = changesBetween(this.#snapshot, seen, new Map(alone));
    for (const [id] of older) this.#alone.delete(id);
    this.#snapshot = seen;
    for (const [id, movedMs] of this.#moved) if (movedMs < seen.beganMs) this.#moved.delete(id);
    this.#sinceComplete = seen.complete ? 0 : this.#sinceComplete + 1;
    if (!seen.stuck) this.#readBeganMs = seen.beganMs;
    this.#options.onSwept(seen.provesAbsence ? 'complete' : 'partial');
    if (change.ids.length > 0) this.#options.onChange(change);
  }
}

function both(wanted: Wanted, asked: Exclude<Wanted, 'all'>): Wanted {
  if (wanted === 'all' || asked.ids.size + asked.names.size === 0) return wanted;
  return {
    ids: new Set([...wanted.ids, ...asked.ids]),
    names: new Set([...wanted.names, ...asked.names]),
  };
}

function satisfies(pass: Pass, need: Need): boolean {
  return (
    pass.beganMs >= need.notOlderThanMs &&
    (pass.complete || !need.complete) &&
    (need.after === undefined || pass.number > need.after.number)
  );
}
