import { defined } from '../../base/defined.ts';
import { FailureError } from '../../model/connection/failure.ts';
import { isJsonObject } from '../../base/json.ts';
import { textForPeople } from '../../base/text-for-people.ts';

/** The meaning for the caller of an error of the API server, or of the way to it. */
export type ApiErrorKind =
  | 'conflict'
  | 'notFound'
  | 'gone'
  | 'throttled'
  | 'unauthorized'
  | 'forbidden'
  | 'invalid'
  | 'server'
  | 'network'
  | 'aborted';

/** Facts of an error besides its text; `status` is absent if no answer arrived. */
export interface ApiErrorFacts {
  readonly kind: ApiErrorKind;
  readonly status?: number;
  /** The `reason` of the Status object, such as AlreadyExists or Expired. */
  readonly reason?: string;
  readonly retryAfterMs?: number;
}

/**
 * Reports a failed exchange with the API server. For the core it is a transient failure: nothing was sent to the
 * service, and the next pass may succeed.
 */
export class ApiError extends FailureError {
  readonly kind: ApiErrorKind;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: ApiErrorFacts, options?: ErrorOptions) {
    super(
      message,
      {
        kind: 'transient',
        reason: 'Retrying',
        sent: 'no',
        ...defined({ retryAfterMs: facts.retryAfterMs }),
      },
      options,
    );
    this.name = 'ApiError';
    this.kind = facts.kind;
    this.status = facts.status;
    this.reason = facts.reason;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** True for an ApiError of one of these kinds. */
export function isApiError(error: unknown, ...kinds: readonly ApiErrorKind[]): error is ApiError {
  return error instanceof ApiError && (kinds.length === 0 || kinds.includes(error.kind));
}

/** True if the same request may succeed later without a change by a person. */
export function isRetryable(error: unknown): error is ApiError {
  return isApiError(error, 'conflict', 'throttled', 'server', 'network', 'unauthorized');
}

const KIND_OF_STATUS: ReadonlyMap<number, ApiErrorKind> = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'notFound'],
  [408, 'server'],
  [409, 'conflict'],
  [410, 'gone'],
  [429, 'throttled'],
]);

function kindOf(status: number): ApiErrorKind {
  return KIND_OF_STATUS.get(status) ?? (status >= 500 ? 'server' : 'invalid');
}

/** The longest wait that the client respects. Changes wake waiting parts of this process earlier. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Returns the milliseconds that a Retry-After header asks for, in seconds or as a date, at most an hour; undefined if
 * its value is not usable.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Math.min(LONGEST_WAIT_MS, Number(text) * 1000);
  // A date begins with the name of a day; Date.parse accepts much more as a date.
  const date = /^[A-Z][a-z]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(LONGEST_WAIT_MS, Math.max(0, date - nowMs));
}

/** The greatest length of the text from an answer that an error repeats, in bytes. */
const MESSAGE_BYTES = 512;

/** The greatest length of a reason; reasons are words such as AlreadyExists. */
const REASON_BYTES = 64;

/** An answer whose status is not 2xx. */
export interface RefusingAnswer {
  readonly status: number;
  /** The parsed answer, if it was JSON. */
  readonly body: unknown;
  /** The wait that a header asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Makes the error for a refusing answer, or for the Status object of an ERROR event in a watch. `what` names the
 * request.
 */
export function errorFromStatus(what: string, { status, body, retryAfterMs }: RefusingAnswer): ApiError {
  const told = isJsonObject(body) ? body : {};
  const word = typeof told['reason'] === 'string' ? textForPeople(told['reason'], REASON_BYTES) : '';
  const reason = word === '' ? undefined : word;
  const message = typeof told['message'] === 'string' ? told['message'] : '';
  const wait = retryAfterMs ?? retryAfterOfDetails(told['details']);
  const text = [`${what}: ${status}`, reason, textForPeople(message, MESSAGE_BYTES)].filter(
    (part) => part !== undefined && part !== '',
  );
  return new ApiError(text.join(' '), {
    kind: kindOf(status),
    status,
    ...defined({ reason, retryAfterMs: wait }),
  });
}

function retryAfterOfDetails(details: unknown): number | undefined {
  const seconds = isJsonObject(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' && seconds > 0 ? Math.min(LONGEST_WAIT_MS, seconds * 1000) : undefined;
}

/** Makes the error for an exchange without a complete answer: refused, reset, timed out, not trusted. */
export function networkError(what: string, error: unknown): ApiError {
  return new ApiError(`${what}: ${deepestText(error)}`, { kind: 'network' }, { cause: error });
}

/** Makes the error for an exchange that the caller gave up. */
export function abortedError(what: string, reason: unknown): ApiError {
  return new ApiError(`${what}: aborted`, { kind: 'aborted' }, { cause: reason });
}

/** The codes of OpenSSL for a certificate that none of the given authorities has signed. */
const TRUST_FAILURES: ReadonlySet<unknown> = new Set([
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** True if no connection was made because the server's certificate comes from an authority that is not trusted. */
export function isTrustFailure(error: unknown): boolean {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 8; depth += 1) {
    if ('code' in current && TRUST_FAILURES.has(current.code)) return true;
    current = current.cause;
  }
  return false;
}

/**
 * Makes an error for a person who gave a command: if no connection was made, it names the cluster and says what to
 * check. Returns every other error unchanged.
 */
export function unreachableServer(
  error: unknown,
  { server, context }: { readonly server: string; readonly context?: string | undefined },
): unknown {
  if (!isApiError(error, 'network') || !hasCode(error.cause)) return error;
  const named = context === undefined ? '' : ` (context ${textForPeople(context)})`;
  const where = `the API server ${new URL(server).origin}${named}`;
  const advice = isTrustFailure(error) ? '--certificate-authority' : '--context, or the network';
  const message = `${where} cannot be reached: ${deepestText(error.cause)}; check ${advice}`;
  return new ApiError(message, { kind: 'network' }, { cause: error });
}

/** Errors of sockets and of TLS have a code; those of an answer that cannot be read have none. */
function hasCode(error: unknown): boolean {
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 8; depth += 1) {
    if ('code' in current) return true;
    current = current.cause;
  }
  return false;
}

function deepestText(error: unknown): string {
  let text = 'failed';
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 8; depth += 1) {
    const code = 'code' in current && typeof current.code === 'string' ? current.code : undefined;
    text = current.message !== '' ? current.message : (code ?? text);
    current = current.cause;
  }
  return textForPeople(text, MESSAGE_BYTES);
}
