import { describe, expect, it } from 'vitest';
import { classify, ConnectionError, FailureError } from '../../../src/model/connection/failure.ts';
import { SecretValue } from '../../../src/base/secret-value.ts';
import { answerError } from '../../../src/service/http/answer-error.ts';
import type { Operation } from '../../../src/service/http/exchange.ts';

const METHODS = { list: 'GET', patch: 'PATCH', create: 'POST', delete: 'DELETE' } as const;

interface Asked {
  readonly operation?: keyof typeof METHODS;
  readonly body?: unknown;
  readonly secrets?: readonly string[];
  readonly known?: readonly string[];
  readonly credentials?: readonly string[];
  readonly pauseMs?: number;
}

const sealed = (texts: readonly string[] = []) => texts.map((text) => new SecretValue(text));

function errorFor(status: number, asked: Asked = {}) {
  const operation: Operation & keyof typeof METHODS = asked.operation ?? 'patch';
  return answerError({
    request: {
      operation,
      method: METHODS[operation],
      secrets: sealed(asked.secrets),
      known: sealed(asked.known),
    },
    answer: { status, text: typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body ?? {}) },
    pauseMs: asked.pauseMs ?? 0,
    credentials: sealed(asked.credentials),
  });
}

/**
 * Returns the meaning of an error in one line: whom it concerns, the reason, and whether a write may have been applied.
 */
function meaning(error: Error | undefined): string {
  if (error instanceof ConnectionError) return `connection ${error.reason} ${error.sent}`;
  if (error instanceof FailureError) {
    return `${error.failure.kind} ${error.failure.reason} ${error.failure.sent}`;
  }
  return 'none';
}

describe('the answer to a PATCH', () => {
  it.each<[number, string]>([
    [200, 'none'],
    [202, 'none'],
    [204, 'none'],
    [299, 'none'],
    [301, 'connection Redirected no'],
    [307, 'connection Redirected no'],
    [400, 'terminal Rejected no'],
    [401, 'connection AuthFailed no'],
    [402, 'terminal Rejected no'],
    [403, 'terminal Forbidden no'],
    [404, 'transient Retrying no'],
    [405, 'terminal Rejected no'],
    [408, 'transient OutcomeUnknown perhaps'],
    [409, 'transient Retrying no'],
    [410, 'transient Retrying no'],
    [412, 'transient Retrying no'],
    [413, 'terminal TooLarge no'],
    [414, 'terminal TooLarge no'],
    [415, 'terminal Rejected no'],
    [418, 'terminal Rejected no'],
    [422, 'terminal Rejected no'],
    [423, 'transient Retrying no'],
    [425, 'transient OutcomeUnknown perhaps'],
    [429, 'connection RateLimited no'],
    [500, 'transient OutcomeUnknown perhaps'],
    [501, 'terminal Rejected no'],
    [502, 'transient OutcomeUnknown perhaps'],
    [503, 'transient OutcomeUnknown perhaps'],
    [504, 'transient OutcomeUnknown perhaps'],
    [520, 'transient OutcomeUnknown perhaps'],
  ])('%i means: %s', (status, means) => {
    expect(meaning(errorFor(status))).toBe(means);
  });

  it('keeps the status code for callers that decide by it', () => {
    expect(classify(errorFor(409))).toMatchObject({ status: 409 });
    expect(errorFor(401)).toMatchObject({ status: 401 });
  });

  it('keeps a pause that the service asked for', () => {
    expect(classify(errorFor(503, { pauseMs: 5000 }))).toMatchObject({ retryAfterMs: 5000 });
    expect(errorFor(429, { pauseMs: 5000 })).toMatchObject({ retryAfterMs: 5000 });
    expect(classify(errorFor(503))).not.toHaveProperty('retryAfterMs');
  });
});

describe('the answer to a creation or a deletion', () => {
  it('means that deletion is not supported if it is 405 or 501', () => {
    expect(meaning(errorFor(405, { operation: 'delete' }))).toBe('terminal DeleteNotSupported no');
    expect(meaning(errorFor(501, { operation: 'delete' }))).toBe('terminal DeleteNotSupported no');
  });

  it('leaves it to the client what 404 and 410 mean for a deletion', () => {
    expect(meaning(errorFor(404, { operation: 'delete' }))).toBe('transient Retrying no');
    expect(meaning(errorFor(410, { operation: 'delete' }))).toBe('transient Retrying no');
  });

  it('never means that a deployment is gone if none was named', () => {
    expect(meaning(errorFor(404, { operation: 'create' }))).toBe('terminal Rejected no');
  });
});

describe('the answer to a read', () => {
  it.each<[number, string]>([
    [200, 'none'],
    [302, 'connection Redirected no'],
    [400, 'connection ProtocolError no'],
    [401, 'connection AuthFailed no'],
    [403, 'connection Forbidden no'],
    [404, 'connection ProtocolError no'],
    [408, 'connection Unreachable no'],
    [425, 'connection Unreachable no'],
    [429, 'connection RateLimited no'],
    [500, 'connection Unreachable no'],
    [503, 'connection Unreachable no'],
  ])('%i means: %s', (status, means) => {
    expect(meaning(errorFor(status, { operation: 'list' }))).toBe(means);
  });

  it('names the base address if that is probably wrong', () => {
    expect(errorFor(404, { operation: 'list' })?.message).toContain('spec.baseURL');
    expect(errorFor(301, { operation: 'list' })?.message).toContain('does not follow redirects');
  });
});

describe('the text of an error', () => {
  it.each<[string, unknown, string]>([
    ['detail', { detail: 'no such image' }, 'no such image'],
    ['message', { message: 'no such image' }, 'no such image'],
    ['error', { error: 'no such image' }, 'no such image'],
    ['error.message', { error: { message: 'no such image' } }, 'no such image'],
    ['errors[0].message', { errors: [{ message: 'no such image' }] }, 'no such image'],
    ['title', { title: 'no such image' }, 'no such image'],
    [
      'a list of problems',
      { detail: [{ loc: ['body', 'secrets', 0], msg: 'too long', input: 'x' }, { msg: 'odd' }] },
      'body.secrets.0: too long; odd',
    ],
    ['detail before message', { message: 'second', detail: 'first' }, 'first'],
    ['the next place where one is empty', { detail: '', message: 'second' }, 'second'],
  ])('comes from %s', (_, body, text) => {
    expect(errorFor(422, { body })?.message).toBe(`PATCH was answered with 422: ${text}`);
  });

  it.each<[string, unknown]>([
    ['HTML', '<html><h1>no</h1></html>'],
    ['nothing', ''],
    ['a list', ['no']],
    ['null', 'null'],
    ['objects without text', { detail: { code: 7 } }],
  ])('is the status alone for %s', (_, body) => {
    expect(errorFor(422, { body })?.message).toBe('PATCH was answered with 422');
  });

  it('never has a secret that the service repeats, in plain, escaped, percent or base64 form', () => {
    const secret = 'q"uo\\te/ slash';
    const forms = [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
    ];
    for (const form of forms) {
      const message = errorFor(500, { body: { detail: `got ${form} instead` }, known: [secret] })?.message;
      expect(message, form).toContain('[redacted]');
      expect(message, form).not.toContain(form);
    }
  });

  it('never has the value of a header', () => {
    const error = errorFor(400, {
      body: { detail: 'key sk-very-secret is not known' },
      credentials: ['sk-very-secret'],
    });
    expect(error?.message).toBe('PATCH was answered with 400: key [redacted] is not known');
  });

  it.each([302, 401, 429])('has no word of an answer that concerns everybody: %i', (status) => {
    const error = errorFor(status, { body: { detail: 'env S=another-secret is bad' } });
    expect(error?.message).toMatch(
      new RegExp(`^PATCH was answered with ${status}(?:; the operator does not follow redirects.*)?$`),
    );
  });

  it.each([400, 403, 404, 422, 500, 503])('has no word of the answer to a read: %i', (status) => {
    const error = errorFor(status, { operation: 'list', body: { detail: 'env S=another-secret is bad' } });
    expect(error?.message).toMatch(new RegExp(`^GET was answered with ${status}(?:; is spec.baseURL .*)?$`));
  });

  it('contains no word of the answer to a deletion, whose resource no longer reads its secrets', () => {
    const error = errorFor(422, { operation: 'delete', body: { detail: 'env S=another-secret is bad' } });
    expect(error?.message).toBe('DELETE was answered with 422');
  });

  it('contains only places and messages if the body carried secrets (N69)', () => {
    const secrets = ['alpha-beta-gamma'];
    const plain = errorFor(422, { body: { detail: 'value alpha-be… is too short' }, secrets });
    expect(plain?.message).not.toContain('alpha-be');
    expect(plain?.message).toContain('422');
    const listed = errorFor(422, {
      body: { detail: [{ loc: ['body', 'secrets'], msg: 'not alpha-beta-gamma', input: 'alpha-be' }] },
      secrets,
    });
    expect(listed?.message).toBe('PATCH was answered with 422: body.secrets: not [redacted]');
  });

  it('has at most 512 bytes', () => {
    expect(Buffer.byteLength(errorFor(422, { body: { detail: 'x'.repeat(5000) } })?.message ?? '')).toBe(512);
  });
});
