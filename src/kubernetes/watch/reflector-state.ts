import type { ApiError } from '../client/api-error.ts';

/** Numbers a reflector goes by; tests shorten them. */
export interface ReflectorTuning {
  /** Objects per page of a list. */
  readonly pageLimit: number;
  /** A list that comes as a stream is given up after this silence; for its first word it has twice that. */
  readonly listIdleMs: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** The cap while the API server refuses (403) every time; absent: as for every other failure. */
  readonly refusedCapMs?: number;
  /** A watch that lived this long counts as healthy, and what failed before it is forgotten. */
  readonly stableMs: number;
  /**
   * A watch silent for this long is given up; for its first word it has twice that. The API server sends a bookmark
   * about once a minute, and the first one often after two. A longer silence is a dead connection, or a server that
   * sends none; then this is a harmless reconnect.
   */
  readonly idleMs: number;
  /** The server is asked to end a watch after a random time in this range. */
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
 * `refusedCapMs` where a refusal is part of the set-up. Each one is a failed request in the metrics and in the audit log
 * of the API server, so there are to be few; a right that is granted later is noticed within ten minutes.
 */
export const EXPECTED_REFUSAL_CAP_MS = 600_000;

/**
 * The number of silent watches in a row after which a version is no longer trusted. Some servers accept an
 * old version and close at once instead of answering 410. A server restored from a backup sends nothing about
 * versions that it has not reached again.
 */
const BARREN_WATCHES = 3;

/** A server that asks for more patience than this is asked again all the same. */
const RETRY_AFTER_CAP_MS = 300_000;

interface Troubles {
  /** The failures since the last healthy watch. */
  readonly failures: number;
  /** Refusals (403) in a row. A single one may be an API server that starts and does not know its roles yet. */
  readonly refusals: number;
}

/** About to read everything. */
export interface ListingState extends Troubles {
  readonly kind: 'listing';
}

/** About to follow the changes since `from`, a resource version. */
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
  /** True after a line that could not be understood, since it may have been a change. */
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

/** Decides the pause after a failure: the settings, and a random number below 1. */
export interface Pace {
  readonly tuning: ReflectorTuning;
  readonly random: number;
}

/** After a complete list. */
export function afterList(state: ListingState, version: string): ReflectorState {
  return { kind: 'watching', from: version, failures: state.failures, refusals: 0, barren: 0 };
}

/** After a list that failed, an expired page token included: from the first page again. */
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
      // After a healthy watch an aged version is no failure, so the list is made at once.
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

/** Refusals in a row alone lead beyond the cap of other failures: their ceiling does not begin where an outage ended. */
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
