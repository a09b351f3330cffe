import type { ConnectionSettings } from '../model/connection.ts';
import { connectionText } from '../model/connection.ts';
import { ConnectionError, classify, findCause } from '../model/failure.ts';
import { redactorOf } from '../model/redact.ts';
import type { SecretValue } from '../model/secret.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallPriority } from '../ports/external-client.ts';
import type { Metrics } from '../ports/metrics.ts';
import { answerError } from './errors.ts';
import type { Exchange, ServiceAnswer, ServiceRequest } from './exchange.ts';
import type { Limiter } from './limiter.ts';
import { readRetryMs } from './retry.ts';

/** The parts of one connection that make calls; they are exchanged when its settings change. */
export interface Line {
  readonly settings: ConnectionSettings;
  readonly exchange: Exchange;
  readonly limiter: Limiter;
}

/** What calls tell about themselves. */
export interface CallEnvironment {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Reads through the queue, with a few tries; throws a ConnectionError for anything but a 2xx. */
export async function read(
  line: () => Line,
  request: ServiceRequest,
  priority: CallPriority,
  environment: CallEnvironment,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  const { clock } = environment;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await line().limiter.run(priority, () => call(line(), request, [], environment, signal), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const retryMs = readRetryMs(attempt, statusOf(error), clock.random());
      if (retryMs === undefined || !mayPass(error)) throw error;
      await clock.sleep(retryMs, signal);
    }
  }
}

/** One exchange; a permit must be held. Throws for anything but a 2xx, and closes the gate where the service asks. */
export async function call(
  { settings, exchange, limiter }: Line,
  request: ServiceRequest,
  secrets: readonly SecretValue[],
  { clock, metrics }: CallEnvironment,
  signal: AbortSignal,
): Promise<ServiceAnswer> {
  const startedMs = clock.now();
  let code = 'error';
  try {
    const answer = await exchange.send(request, signal);
    code = String(answer.status);
    const redact = redactorOf([...settings.headers.map(({ value }) => value), ...secrets]);
    const error = answerError({ request, answer, nowMs: clock.now(), redact });
    if (error === undefined) return answer;
    limiter.closeGate(pauseMs(error));
    throw error;
  } catch (error) {
    if (error instanceof ConnectionError && code === 'error') code = error.reason;
    throw error;
  } finally {
    metrics.exchanged(
      connectionText(settings.name),
      request.operation,
      code,
      (clock.now() - startedMs) / 1000,
    );
  }
}

/** How long the service wants everybody to wait, by 429 or 503. */
function pauseMs(error: Error): number {
  const connection = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
  if (connection !== undefined) return connection.retryAfterMs ?? 0;
  const failure = classify(error);
  return failure.kind === 'transient' ? (failure.retryAfterMs ?? 0) : 0;
}

function statusOf(error: unknown): number | undefined {
  return findCause(error, (e): e is ConnectionError => e instanceof ConnectionError)?.status;
}

/** Only what may pass by itself within seconds is tried again: a broken connection or a 5xx without a stated pause. */
function mayPass(error: unknown): boolean {
  const connection = findCause(error, (e): e is ConnectionError => e instanceof ConnectionError);
  return connection?.reason === 'Unreachable' && connection.retryAfterMs === undefined;
}
