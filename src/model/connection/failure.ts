import { defined } from '../../base/defined.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import type { ConnectionReason, SyncedReason } from '../../api/condition.ts';

/** Whether a failed write may have reached the service (semantics of an unknown outcome). */
export type Sent = 'no' | 'perhaps';

/**
 * Why an attempt stopped.
 * - `terminal`: a person must change something; rarely retried.
 * - `waiting`: a dependency is missing, which is no error.
 * - `transient`: retried with backoff.
 */
export type Failure =
  | {
      readonly kind: 'terminal';
      readonly reason: SyncedReason;
      readonly sent: 'no';
      readonly status?: number;
    }
  | {
      readonly kind: 'waiting';
      readonly reason: SyncedReason;
      /**
       * The time until the next try, unless the dependency changes first; if absent, the next try is when it changes.
       */
      readonly againInMs?: number;
      /** The poll interval of the connection that the resource waits for, if any. */
      readonly pollMs?: number | undefined;
      readonly sent: 'no';
    }
  | {
      readonly kind: 'transient';
      readonly reason: SyncedReason;
      readonly sent: Sent;
      readonly status?: number;
      /** The pause that the service asked for with Retry-After, in milliseconds. */
      readonly retryAfterMs?: number;
    };

/** The error of an attempt that stopped for a known reason. The message is for people and contains no secret. */
export class FailureError extends ExpectedError {
  readonly failure: Failure;

  constructor(message: string, failure: Failure, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FailureError';
    this.failure = failure;
  }
}

/**
 * The error of a connection that cannot be used as a whole: bad address, bad credential, no answer. It is shown once,
 * on the connection; the deployments wait.
 */
export class ConnectionError extends ExpectedError {
  readonly reason: ConnectionReason;
  /** Whether a write in progress may have been applied. */
  readonly sent: Sent;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    about: {
      readonly reason: ConnectionReason;
      readonly sent: Sent;
      readonly status?: number | undefined;
      readonly retryAfterMs?: number | undefined;
    },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ConnectionError';
    this.reason = about.reason;
    this.sent = about.sent;
    this.status = about.status;
    this.retryAfterMs = about.retryAfterMs;
  }
}

/** Returns the ConnectionError in the cause chain of an error, if the service asked for a pause. */
export function pauseIn(error: unknown): ConnectionError | undefined {
  const met = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
  return met?.retryAfterMs === undefined ? undefined : met;
}

/**
 * Why a connection cannot be used, for its status: the operator's own text, which may name the Secrets of the
 * connection.
 */
export interface ConnectionTrouble {
  readonly reason: ConnectionReason;
  readonly message: string;
}

/** Returns the first error in the cause chain that satisfies `test`. */
export function findCause<T extends Error>(
  error: unknown,
  test: (error: unknown) => error is T,
): T | undefined {
  for (let current: unknown = error, depth = 0; depth < 16; depth += 1) {
    if (test(current)) return current;
    if (!(current instanceof Error)) return undefined;
    current = current.cause;
  }
  return undefined;
}

/** Returns the failure of an error; an error of any other class is a bug. */
export function classify(error: unknown): Failure | { readonly kind: 'bug'; readonly error: unknown } {
  const known = findCause(error, (e): e is FailureError => e instanceof FailureError);
  if (known !== undefined) return known.failure;
  const connection = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
  if (connection === undefined) return { kind: 'bug', error };
  if (connection.sent === 'perhaps') {
    return { kind: 'transient', reason: 'OutcomeUnknown', sent: 'perhaps', ...retryAfter(connection) };
  }
  return { kind: 'waiting', reason: 'ConnectionNotReady', sent: 'no', ...againIn(connection) };
}

function retryAfter(error: ConnectionError): { retryAfterMs?: number } {
  return defined({ retryAfterMs: error.retryAfterMs });
}

function againIn(error: ConnectionError): { againInMs?: number } {
  return defined({ againInMs: error.retryAfterMs });
}
