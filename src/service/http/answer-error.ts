import { ConnectionError, type Failure, FailureError } from '../../model/connection/failure.ts';
import { redactText } from '../../model/redaction/redact.ts';
import type { SecretValue } from '../../base/secret-value.ts';
import type { ServiceAnswer, ServiceRequest } from './exchange.ts';
import { answerJson } from '../limits/answer-json.ts';

/** The facts that decide the meaning of an answer. */
export interface AnswerFacts {
  readonly request: Pick<ServiceRequest, 'operation' | 'method' | 'secrets' | 'known'>;
  readonly answer: Pick<ServiceAnswer, 'status' | 'text'>;
  /** The milliseconds for which this answer or an earlier one makes the operator send no call; 0 without a pause. */
  readonly pauseMs: number;
  /** Values of the request headers, and the login for the proxy. */
  readonly credentials: readonly SecretValue[];
}

/** The greatest length of a text from an answer that is shown (N68). */
const MESSAGE_LENGTH = 512;

const REDIRECT_HINT = '; the operator does not follow redirects: set spec.baseURL to the new address';
const ADDRESS_HINT = '; is spec.baseURL the address of the service, without /v2 at its end?';

/**
 * Returns the error for an answer, or undefined for a 2xx. Only the status code decides, since error bodies are not
 * documented (section 7); their text is for people.
 */
export function answerError(facts: AnswerFacts): ConnectionError | FailureError | undefined {
  const { status } = facts.answer;
  if (status >= 200 && status < 300) return undefined;
  // These statuses concern every use of the connection, whatever the request was.
  if (status >= 300 && status < 400) return connection(facts, 'Redirected', REDIRECT_HINT);
  if (status === 401) return connection(facts, 'AuthFailed');
  if (status === 429) return connection(facts, 'RateLimited');
  return facts.request.method === 'GET' ? readError(facts) : writeError(facts);
}

function readError(facts: AnswerFacts): ConnectionError {
  const { status } = facts.answer;
  if (status === 403) return connection(facts, 'Forbidden');
  if (status === 408 || status === 425 || status >= 500) return connection(facts, 'Unreachable');
  return connection(facts, 'ProtocolError', ADDRESS_HINT);
}

function writeError(facts: AnswerFacts): FailureError {
  const { answer, request, pauseMs } = facts;
  const { status } = answer;
  const fail = (failure: Failure): FailureError => new FailureError(describe(facts), failure);
  const terminal = (
    reason: 'Forbidden' | 'NameTaken' | 'Rejected' | 'TooLarge' | 'DeleteNotSupported',
  ): FailureError => fail({ kind: 'terminal', reason, sent: 'no', status });
  switch (status) {
    case 403:
      return terminal('Forbidden');
    case 404:
    case 410:
      // A missing path without an id does not mean that a deployment is gone.
      if (request.operation === 'create') return terminal('Rejected');
      // The next read decides whether the deployment is gone. A list that keeps showing it must not cause a storm of
      // requests.
      return fail({ kind: 'transient', reason: 'Retrying', sent: 'no', status });
    case 405:
    case 501:
      return terminal(request.operation === 'delete' ? 'DeleteNotSupported' : 'Rejected');
    case 409:
      // The next pass binds the deployment with that name, if exactly one has it (H40).
      if (request.operation === 'create') return terminal('NameTaken');
      return fail({ kind: 'transient', reason: 'Retrying', sent: 'no', status });
    case 412:
    case 423:
      return fail({ kind: 'transient', reason: 'Retrying', sent: 'no', status });
    case 413:
    case 414:
      return terminal('TooLarge');
    default: {
      // The write may have been applied: it is verified by a read before anything is repeated.
      const unknown = status >= 500 || status === 408 || status === 425;
      if (!unknown) return terminal('Rejected');
      const again = pauseMs > 0 ? { retryAfterMs: pauseMs } : {};
      return fail({ kind: 'transient', reason: 'OutcomeUnknown', sent: 'perhaps', status, ...again });
    }
  }
}

function connection(facts: AnswerFacts, reason: ConnectionError['reason'], hint = ''): ConnectionError {
  const { answer, pauseMs } = facts;
  const again = pauseMs > 0 ? { retryAfterMs: pauseMs } : {};
  // People of many namespaces see this message, and the service may repeat their secrets, so it contains no word of the
  // answer.
  return new ConnectionError(`${headOf(facts)}${hint}`, {
    reason,
    sent: 'no',
    status: answer.status,
    ...again,
  });
}

function headOf({ request, answer }: AnswerFacts): string {
  return `${request.method} was answered with ${answer.status}`;
}

/**
 * Returns method and status, and for a creation or a change the message of the service without secrets. If the body
 * contained secrets, leaves a plain text out: it may quote a part of one, and the redactor does not recognize parts.
 */
function describe(facts: AnswerFacts): string {
  const { request, answer, credentials } = facts;
  const { secrets = [], known = [] } = request;
  const head = headOf(facts);
  // A resource that is being deleted does not read its secrets, so they could not be recognised.
  if (request.operation === 'delete') return head;
  const text = errorText(answer.text, { onlyProblems: secrets.length > 0 });
  // Redacts only the text of the service, since the text of the operator may contain the same word by chance.
  const room = MESSAGE_LENGTH - head.length - 2;
  if (text !== undefined) return `${head}: ${redactText(text, [...credentials, ...secrets, ...known], room)}`;
  return errorText(answer.text) === undefined
    ? head
    : `${head}; its text is not shown, since the request contained secret values`;
}

/**
 * Places where services of this kind describe an error; the first match wins. None of them is documented (section 7).
 */
const PLACES: readonly ((body: Readonly<Record<string, unknown>>) => unknown)[] = [
  (body) => body['detail'],
  (body) => body['message'],
  (body) => body['error'],
  (body) => member(body['error'], 'message'),
  (body) => member(Array.isArray(body['errors']) ? body['errors'][0] : undefined, 'message'),
  (body) => body['title'],
];

/**
 * Returns the text for people in an error answer, not yet redacted; undefined if there is none. With `onlyProblems` it
 * leaves out a plain text, which may quote a part of the request that no redactor recognizes.
 */
function errorText(
  body: string,
  { onlyProblems = false }: { readonly onlyProblems?: boolean } = {},
): string | undefined {
  const json = answerJson(body);
  if (typeof json !== 'object' || json === null) return undefined;
  for (const place of PLACES) {
    const found = place(json as Readonly<Record<string, unknown>>);
    const text = problemsIn(found) ?? (onlyProblems ? undefined : plainText(found));
    if (text !== undefined) return text;
  }
  return undefined;
}

function plainText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns a list of problems in one text. It takes only their place and message, since their `input` echoes the
 * request.
 */
function problemsIn(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.flatMap((item: unknown) => {
    const [loc, msg] = [member(item, 'loc'), member(item, 'msg')];
    if (typeof msg !== 'string') return [];
    return [Array.isArray(loc) ? `${loc.filter(isPlace).join('.')}: ${msg}` : msg];
  });
  return texts.length === 0 ? undefined : texts.join('; ');
}

function isPlace(part: unknown): boolean {
  return typeof part === 'string' || typeof part === 'number';
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
