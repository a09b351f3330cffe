import type { ApiError } from './errors.ts';

/** Numbers a reflector goes by; tests shorten them. */
export interface ReflectorTuning {
  /** Objects per page of a list. */
  readonly pageLimit: number;
  readonly backoffBaseMs: number;
  readonly backoffCapMs: number;
  /** A watch that lived this long counts as healthy, and what failed before it is forgotten. */
  readonly stableMs: number;
  /**
   * A watch silent for this long is given up. The API server sends a bookmark about once a minute, so a longer
   * silence is a dead connection, or a server that sends none; then this is a harmless reconnect.
   */
  readonly idleMs: number;
  /** The server is asked to end a watch after a random time in this range. */
  readonly watchSeconds: { readonly min: number; readonly max: number };
}

/** What a reflector goes by in production. */
export const REFLECTOR_TUNING: ReflectorTuning = {
  pageLimit: 500,
  backoffBaseMs: 800,
  backoffCapMs: 30_000,
  stableMs: 30_000,
  idleMs: 75_000,
  watchSeconds: { min: 300, max: 600 },
};

/** Quick ends without a single event after which a version is not trusted any more: some servers accept one that
 * is too old and close at once, instead of saying 410. */
const QUICK_CLOSES = 3;

/** About to read everything. `failures` counts what went wrong since the last healthy watch. */
export interface ListingState {
  readonly kind: 'listing';
  readonly failures: number;
}

/** About to follow the changes since `from`, a resource version. */
export interface WatchingState {
  readonly kind: 'watching';
  readonly from: string;
  readonly failures: number;
  readonly quickCloses: number;
}

/** Where a reflector stands. */
export type ReflectorState =
  | ListingState
  | WatchingState
  | { readonly kind: 'backing-off'; readonly ms: number; readonly next: ListingState | WatchingState };

/** How a watch ended. */
export type WatchEnd =
  | { readonly kind: 'closed' }
  | { readonly kind: 'idle' }
  /** Something was told that could not be understood: it may have been a change. */
  | { readonly kind: 'corrupt' }
  | { readonly kind: 'failed'; readonly error: ApiError };

/** One watch, from request to end. */
export interface WatchRun {
  readonly end: WatchEnd;
  /** The last version that was told, or the one it began at. */
  readonly version: string;
  readonly events: number;
  readonly lastedMs: number;
}

/** After a complete list. */
export function afterList(state: ListingState, version: string): ReflectorState {
  return { kind: 'watching', from: version, failures: state.failures, quickCloses: 0 };
}

/** After a list that failed, an expired page token included: from the first page again. */
export function afterListFailure(
  state: ListingState,
  error: ApiError,
  random: number,
  tuning: ReflectorTuning,
): ReflectorState {
  return backOff({ kind: 'listing', failures: state.failures }, error, random, tuning);
}

/** After a watch: where to go on, and how soon. */
export function afterWatch(
  state: WatchingState,
  run: WatchRun,
  random: number,
  tuning: ReflectorTuning,
): ReflectorState {
  const stable = run.lastedMs >= tuning.stableMs;
  const failures = stable ? 0 : state.failures;
  const quickCloses = !stable && run.events === 0 ? state.quickCloses + 1 : 0;
  const again: WatchingState = { kind: 'watching', from: run.version, failures, quickCloses };
  const relist: ListingState = { kind: 'listing', failures };
  switch (run.end.kind) {
    case 'closed':
      if (stable) return again;
      return backOff(quickCloses >= QUICK_CLOSES ? relist : again, undefined, random, tuning);
    case 'idle':
      return backOff({ ...again, quickCloses: 0 }, undefined, random, tuning);
    case 'corrupt':
      return backOff(relist, undefined, random, tuning);
    case 'failed':
      return afterFailedWatch(run.end.error, again, relist, random, tuning);
  }
}

function afterFailedWatch(
  error: ApiError,
  again: WatchingState,
  relist: ListingState,
  random: number,
  tuning: ReflectorTuning,
): ReflectorState {
  switch (error.kind) {
    case 'gone':
      // The version aged: nobody's fault after a healthy watch, so the list is made at once.
      return relist.failures === 0 ? { ...relist, failures: 1 } : backOff(relist, error, random, tuning);
    case 'invalid':
    case 'notFound':
    case 'conflict':
      // The same request would be refused again.
      return backOff(relist, error, random, tuning);
    case 'throttled':
    case 'unauthorized':
    case 'forbidden':
    case 'server':
    case 'network':
    case 'aborted':
      return backOff({ ...again, quickCloses: 0 }, error, random, tuning);
  }
}

function backOff(
  next: ListingState | WatchingState,
  error: ApiError | undefined,
  random: number,
  tuning: ReflectorTuning,
): ReflectorState {
  const ms = backoffMs(next.failures, random, tuning) + (error?.retryAfterMs ?? 0);
  return { kind: 'backing-off', ms, next: { ...next, failures: next.failures + 1 } };
}

/**
 * Full jitter below a ceiling that doubles with every failure. From the second failure on never less than the
 * base, so that no chance makes a storm.
 */
function backoffMs(failures: number, random: number, tuning: ReflectorTuning): number {
  const ceiling = Math.min(tuning.backoffCapMs, tuning.backoffBaseMs * 2 ** Math.min(failures, 30));
  const ms = Math.round(random * ceiling);
  return failures === 0 ? ms : Math.max(tuning.backoffBaseMs, ms);
}
