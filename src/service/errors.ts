import { ConnectionError, FailureError } from '../model/failure.ts';
import type { Redact } from '../model/redact.ts';
import type { ServiceAnswer, ServiceRequest } from './exchange.ts';
import { errorText } from './error-text.ts';
import { retryAfterMs } from './retry.ts';

/** What is needed to tell what an answer means. */
export interface AnswerFacts {
  readonly request: Pick<ServiceRequest, 'operation' | 'method'>;
  readonly answer: ServiceAnswer;
  readonly nowMs: number;
  readonly redact: Redact;
}

/**
 * The error that an answer stands for, or undefined for a 2xx. Only the status code decides, since error bodies are
 * not shown (section 7); their text is for people.
 */
export function answerError(facts: AnswerFacts): ConnectionError | FailureError | undefined {
  const { status } = facts.answer;
  if (status >= 200 && status < 300) return undefined;
  return facts.request.method === 'GET' ? readError(facts) : writeError(facts);
}

function readError(facts: AnswerFacts): ConnectionError {
  const { status } = facts.answer;
  const text = describe(facts);
  const about = (reason: ConnectionError['reason'], hint = ''): ConnectionError =>
    new ConnectionError(`${text}${hint}`, { reason, sent: 'no', status, ...retryOf(facts) });
  if (status >= 300 && status < 400)
    return about('Redirected', '; redirects are not followed: set spec.baseURL to where it points');
  if (status === 401) return about('AuthFailed');
  if (status === 403) return about('Forbidden');
  if (status === 429) return about('RateLimited');
  if (status === 408 || status === 425 || status >= 500) return about('Unreachable');
  return about('ProtocolError', '; is spec.baseURL the address of the service?');
}

function writeError(facts: AnswerFacts): ConnectionError | FailureError {
  const { status } = facts.answer;
  const text = describe(facts);
  const connection = (reason: ConnectionError['reason']): ConnectionError =>
    new ConnectionError(text, { reason, sent: 'no', status });
  if (status >= 300 && status < 400) return connection('Redirected');
  switch (status) {
    case 401:
      return connection('AuthFailed');
    case 403:
      return terminal('Forbidden', text, status);
    case 404:
    case 410:
      return new FailureError(text, {
        kind: 'waiting',
        reason: 'NotVisibleYet',
        againInMs: 1_000,
        sent: 'no',
      });
    case 405:
    case 501:
      return terminal(facts.request.operation === 'delete' ? 'DeleteNotSupported' : 'Rejected', text, status);
    case 408:
    case 425:
    case 500:
    case 502:
    case 504:
      return unknown(text, status);
    case 409:
    case 412:
    case 423:
      return new FailureError(text, { kind: 'transient', reason: 'Retrying', sent: 'no', status });
    case 413:
    case 414:
      return terminal('TooLarge', text, status);
    case 429:
      return new FailureError(text, {
        kind: 'transient',
        reason: 'Retrying',
        sent: 'no',
        status,
        ...retryOf(facts),
      });
    case 503:
      return unknown(text, status, retryOf(facts));
    default:
      return status >= 500 ? unknown(text, status) : terminal('Rejected', text, status);
  }
}

function describe({ request, answer, redact }: AnswerFacts): string {
  const text = errorText(answer.text);
  const said = text === undefined ? '' : `: ${text}`;
  return redact(`${request.method} was answered with ${answer.status}${said}`);
}

function retryOf({ answer, nowMs }: AnswerFacts): { retryAfterMs?: number } {
  const ms = retryAfterMs(answer.headers, nowMs);
  return ms === undefined ? {} : { retryAfterMs: ms };
}

function terminal(
  reason: 'Forbidden' | 'Rejected' | 'TooLarge' | 'DeleteNotSupported',
  message: string,
  status: number,
): FailureError {
  return new FailureError(message, { kind: 'terminal', reason, sent: 'no', status });
}

function unknown(
  message: string,
  status: number,
  more: { readonly retryAfterMs?: number } = {},
): FailureError {
  return new FailureError(message, {
    kind: 'transient',
    reason: 'OutcomeUnknown',
    sent: 'perhaps',
    status,
    ...more,
  });
}
