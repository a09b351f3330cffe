import type { ApiError } from '../client/api-error.ts';

/** The numbers that control a reflector; tests shorten them. */
export interface ReflectorTuning {
  /** Objects per page of a list. */
  readonly pageLimit: number;
  /**
   * The greatest silence of a list that arrives as a stream before it is given up; for its first word it has twice
   * that.
   */
  readonly listIdleMs: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** The greatest pause while the API server refuses (403) every time; absent: the same as for every other failure. */
  readonly refusedCapMs?: number;
  /** A watch that lived this long counts as healthy, and earlier failures are forgotten. */
  readonly stableMs: number;
  /**
   * The greatest silence of a watch before it is given up; for its first word it has twice that. The API server sends a
   * bookmark about once a minute, and the first one often after two minutes. A longer silence is a dead connection, or
   * a server that sends no bookmarks; then this is a harmless reconnect.
   */
  readonly idleMs: number;
  /** The range of the random time after which the server should end a watch. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
}

/** The settings of a reflector in production. */
export const REFLECTOR_TUNING: ReflectorTuning = {
  pageLimit: 500,
  listIdleMs: 15_000,
  backoffBaseMs: 800,
  backoffCapMs: 30_000,
  stableMs: 30_000,
  idleMs: 75_000,
  watchSeconds: { min: 300, max: 600 },
};

/**
 * The value of `refusedCapMs` if a refusal is part of the set-up. Each refusal is a failed request in the metrics and
 * in the audit log of the API server, so there should be few. The reflector notices a right that is granted later
 * within ten minutes.
 */
export const EXPECTED_REFUSAL_CAP_MS = 600_000;

/**
 * The number of silent watches in a row after which a version is no longer trusted. Some servers accept an
 * old version and close at once instead of answering 410. A server restored from a backup sends nothing about
 * versions that it has not reached again.
 */
const BARREN_WATCHES = 3;

/** The longest pause after which a server is asked again, even if it asks for a longer one. */
const RETRY_AFTER_CAP_MS = 300_000;

interface Troubles {
  /** The failures since the last healthy watch. */
  readonly failures: number;
  /**
   * The number of consecutive refusals (403). A single one may come from an API server that starts and does not know
   * its roles yet.
   */
  readonly refusals: number;
}

/** The state before a list of everything. */
export interface ListingState extends Troubles {
  readonly kind: 'listing';
}

/** The state before a watch of the changes since `from`, a resource version. */
export interface WatchingState extends Troubles {
  readonly kind: 'watching';
  readonly from: string;
  /** The number of watches in a row that ended without a change. */
  readonly barren: number;
}

/** The state of a reflector. */
export type ReflectorState =
  | ListingState
  | WatchingState
  | { readonly kind: 'backing-off'; readonly ms: number; readonly next: ListingState | WatchingState };

const WELL: Troubles = { failures: 0, refusals: 0 };

/** The first state of every reflector. */
export const AT_FIRST: ListingState = { kind: 'listing', ...WELL };

/** The end of a watch. */
export type WatchEnd =
  | { readonly kind: 'closed' }
  | { readonly kind: 'idle' }
  /** The end after a line that could not be understood, since the line may have been a change. */
  | { readonly kind: 'corrupt' }
  | { readonly kind: 'failed'; readonly error: ApiError };

/** One watch, from request to end. */
export interface WatchRun {
  readonly end: WatchEnd;
  /** The version of the last change, or the one at which the watch began. */
  readonly version: string;
  readonly events: number;
  readonly lastedMs: number;
}

/** The values that determine the pause after a failure: the settings, and a random number below 1. */
export interface Pace {
  readonly tuning: ReflectorTuning;
  readonly random: number;
}

/** Returns the state after a complete list. */
export function afterList(state: ListingState, version: string): ReflectorState {
  return { kind: 'watching', from: version, failures: state.failures, refusals: 0, barren: 0 };
}

/**
 * Returns the state after a list that failed, also for an expired page token: the list starts again from the first
 * page.
 */
export function afterListFailure(state: ListingState, error: ApiError, pace: Pace): ReflectorState {
  return backOff(state, error, pace);
}

/** Returns the state after a watch: the place at which to continue, and the pause. */
export function afterWatch(state: WatchingState, run: WatchRun, pace: Pace): ReflectorState {
  const stable = run.lastedMs >= pace.tuning.stableMs;
  const { failures, refusals } = stable ? WELL : state;
  const barren = run.events === 0 ? state.barren + 1 : 0;
  const again: WatchingState = { kind: 'watching', from: run.version, failures, refusals, barren };
  const relist: ListingState = { kind: 'listing', failures, refusals };
  switch (run.end.kind) {
    case 'closed':
    case 'idle':
      if (barren >= BARREN_WATCHES) return backOff(relist, undefined, pace);
      return stable && run.end.kind === 'closed' ? again : backOff(again, undefined, pace);
    case 'corrupt':
      return backOff(relist, undefined, pace);
    case 'failed':
      return afterFailedWatch(run.end.error, { again: { ...again, barren: 0 }, relist }, pace);
  }
}

function afterFailedWatch(
  error: ApiError,
  { again, relist }: { readonly again: WatchingState; readonly relist: ListingState },
  pace: Pace,
): ReflectorState {
  switch (error.kind) {
    case 'gone':
      // After a healthy watch an aged version does not count as a failure, so the list is made at once.
      return relist.failures === 0 ? { ...relist, failures: 1 } : backOff(relist, error, pace);
    case 'invalid':
    case 'notFound':
    case 'conflict':
      // The same request would be refused again.
      return backOff(relist, error, pace);
    case 'throttled':
    case 'unauthorized':
    case 'forbidden':
    case 'server':
    case 'network':
    case 'aborted':
      return backOff(again, error, pace);
  }
}

function backOff(
  next: ListingState | WatchingState,
  error: ApiError | undefined,
  pace: Pace,
): ReflectorState {
  const asked = Math.min(error?.retryAfterMs ?? 0, RETRY_AFTER_CAP_MS);
  const isRefusal = error?.kind === 'forbidden';
  const ms = asked + backoffMs(ceilingMs(next, isRefusal, pace.tuning), next.failures, pace);
  const troubles = { failures: next.failures + 1, refusals: isRefusal ? next.refusals + 1 : 0 };
  return { kind: 'backing-off', ms, next: { ...next, ...troubles } };
}

/**
 * Returns the ceiling of the pause. Only consecutive refusals lead beyond the cap of other failures: their ceiling does
 * not continue from that of an outage.
 */
function ceilingMs({ failures, refusals }: Troubles, isRefusal: boolean, tuning: ReflectorTuning): number {
  const { backoffBaseMs, backoffCapMs, refusedCapMs = backoffCapMs } = tuning;
  const after = (times: number, capMs: number): number =>
    Math.min(capMs, backoffBaseMs * 2 ** Math.min(times, 30));
  return Math.max(after(failures, backoffCapMs), isRefusal ? after(refusals, refusedCapMs) : 0);
}

/**
 * Returns a random pause below a ceiling that doubles with every failure. The first pause uses the whole range, so
 * that watches which were cut together do not return together. From the second failure on it leaves out the lowest
 * quarter and everything below the base, so that no series of random numbers makes a storm. With `REFLECTOR_TUNING`,
 * one reflector begins at most 20 lists and watches in any 30 s, and 10 in any 30 s in which nothing works for longer
 * than a minute.
 */
function backoffMs(ceiling: number, failures: number, { random, tuning }: Pace): number {
  const floor = failures === 0 ? 0 : Math.max(tuning.backoffBaseMs, ceiling / 4);
  return Math.round(floor + random * (ceiling - floor));
}
