import { type ConnectionSettings, connectionText } from '../../model/connection/connection.ts';
import { proxySecrets } from '../../model/connection/connection-secrets.ts';
import { classify, ConnectionError, findCause } from '../../model/connection/failure.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CallPriority } from '../../ports/service/external-client.ts';
import type { Metrics } from '../../ports/process/metrics.ts';
import { answerError } from '../http/answer-error.ts';
import type { Exchange, ServiceAnswer, ServiceRequest } from '../http/exchange.ts';
import type { Intake } from './intake.ts';
import type { Limiter } from './limiter.ts';
import { readRetryMs, retryAfterMs } from '../http/retry.ts';

/** The parts of one connection that make calls; a change of its settings replaces them. */
export interface Line {
  readonly settings: ConnectionSettings;
  readonly exchange: Exchange;
  readonly limiter: Limiter;
}

/** The parts that calls use besides a line. */
export interface CallEnvironment {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly intake: Intake;
  /** Receives the headers of every answer. */
  readonly onHeaders: (headers: ServiceAnswer['headers']) => void;
}

/** One read: the request, its urgency, and the use of the answer. */
export interface Reading<T> {
  /** Makes the request. Called for every try, when there is a permit. */
  readonly request: () => ServiceRequest;
  readonly priority: CallPriority;
  /** See `Caller`. */
  readonly patience?: number | undefined;
  /**
   * The name under which the read takes turns with namespaces. Default: that of the sweeps, which serve every resource
   * of the connection.
   */
  readonly turnsAs?: string | undefined;
  readonly use: (answer: ServiceAnswer) => T;
}

/** One request, and a function that uses its answer. */
export interface Asking<T> {
  readonly request: ServiceRequest;
  readonly use: (answer: ServiceAnswer) => T;
  readonly signal: AbortSignal;
}

/**
 * Reads through the queue, with a few tries. Chooses the request when there is a permit; `use` turns the answer into
 * the result to keep. Throws a ConnectionError for any answer except a 2xx, always with `sent: no`, since a failed read
 * has changed nothing.
 */
export async function read<T>(
  line: () => Line,
  reading: Reading<T> & { readonly signal: AbortSignal },
  environment: CallEnvironment,
): Promise<T> {
  const { request, priority, patience, turnsAs = '', use, signal } = reading;
  const { clock } = environment;
  const caller = { priority, namespace: turnsAs, patience };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await line().limiter.run(
        caller,
        () => call(line(), { request: request(), use, signal }, environment),
        signal,
      );
    } catch (error) {
      const trouble = connectionErrorIn(error);
      if (trouble === undefined) throw error;
      const retryMs = signal.aborted ? undefined : readRetryMs(attempt, trouble, clock.random());
      if (retryMs === undefined) throw withoutEffect(trouble);
      await clock.sleep(retryMs, signal);
    }
  }
}

/**
 * Makes one exchange, for which the caller must hold a permit, and returns the result of `use`. Throws for any answer
 * except a 2xx, and closes the gate if the service asks for that. The answer takes room until `use` has returned.
 */
export async function call<T>(
  { settings, exchange, limiter }: Line,
  { request, use, signal }: Asking<T>,
  { clock, metrics, intake, onHeaders }: CallEnvironment,
): Promise<T> {
  const { operation, method } = request;
  const entering = intake.enter(operation, method === 'GET', signal);
  const seat = entering instanceof Promise ? await entering : entering;
  const startedMs = clock.now();
  let code = 'error';
  try {
    const answer = await exchange.send(request, signal, seat);
    code = String(answer.status);
    return await intake.work(() => {
      onHeaders(answer.headers);
      const pauseMs = throttle(limiter, answer, { startedMs, nowMs: clock.now() });
      const credentials = [...settings.headers.map(({ value }) => value), ...proxySecrets(settings)];
      const error = answerError({ request, answer, credentials, pauseMs });
      if (error !== undefined) throw error;
      return use(answer);
    });
  } catch (error) {
    if (error instanceof ConnectionError && code === 'error') code = error.reason;
    throw error;
  } finally {
    intake.leave(operation, seat);
    const seconds = (clock.now() - startedMs) / 1000;
    metrics.exchanged(connectionText(settings.name), { operation, code, seconds });
  }
}

/**
 * Closes the gate for all calls if the service asks for fewer calls (N70): after a 429, for the stated time or with
 * backoff, and after a 503 that states a time. Returns the milliseconds of the pause; 0 if the service does not ask for
 * one.
 */
function throttle(
  limiter: Limiter,
  { status, headers }: ServiceAnswer,
  { startedMs, nowMs }: { readonly startedMs: number; readonly nowMs: number },
): number {
  const statedMs = retryAfterMs(headers, nowMs);
  if (status === 429) limiter.refused('RateLimited', statedMs, startedMs);
  else if (status === 503 && statedMs !== undefined) limiter.refused('Unreachable', statedMs);
  else {
    if (status < 500) limiter.accepted();
    return 0;
  }
  return limiter.gateMs;
}

/** Returns the ConnectionError that an error is or was caused by. */
function connectionErrorIn(error: unknown): ConnectionError | undefined {
  return findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
}

function withoutEffect(error: ConnectionError): ConnectionError {
  if (error.sent === 'no') return error;
  const { message, reason, status, retryAfterMs: afterMs } = error;
  return new ConnectionError(
    message,
    { reason, sent: 'no', status, retryAfterMs: afterMs },
    { cause: error },
  );
}

/** True if the service answered that it has no such deployment. */
export function isGone(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind === 'transient' && (failure.status === 404 || failure.status === 410);
}

/** True if the service rejected the request permanently. */
export function isRejected(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind === 'terminal' && failure.reason === 'Rejected';
}

/** True if the service examined a write and refused it: it had accepted the credential. */
export function isDealtWith(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind === 'terminal' || isGone(error);
}

/** True if a failed write certainly had no effect. */
export function isRefused(error: unknown): boolean {
  const failure = classify(error);
  return failure.kind !== 'bug' && failure.sent === 'no';
}

/**
 * Returns the trouble of the whole connection that a failed write shows: the service cannot be reached,
 * refuses the credential, or asks for fewer calls. After a write that may have been sent, a read follows and
 * shows such trouble.
 */
export function troubleIn(error: unknown): ConnectionError | undefined {
  const trouble = connectionErrorIn(error);
  return trouble?.sent === 'no' ? trouble : undefined;
}
