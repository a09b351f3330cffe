import { describe, expect, it } from 'vitest';
import {
  ApiError,
  errorFromStatus,
  networkError,
  retryAfterMs,
} from '../../../src/kubernetes/client/api-error.ts';
import { classify } from '../../../src/model/connection/failure.ts';

describe('errors of the API server', () => {
  it.each([
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'notFound'],
    [409, 'conflict'],
    [410, 'gone'],
    [413, 'invalid'],
    [422, 'invalid'],
    [429, 'throttled'],
    [301, 'invalid'],
    [500, 'server'],
    [504, 'server'],
  ])('status %i is of kind %s', (status, kind) => {
    expect(errorFromStatus('GET /api', { status, body: undefined }).kind).toBe(kind);
  });

  it('contain request and answer in one line of limited length', () => {
    const error = errorFromStatus('GET /api/v1/pods', {
      status: 410,
      body: {
        kind: 'Status',
        reason: 'Expired',
        message: `too old\n\u001b\u202eresource version ${'x'.repeat(2000)}`,
      },
    });
    expect(error.message).toMatch(/^GET \/api\/v1\/pods: 410 Expired too old resource version x+…$/);
    expect(error.message.length).toBeLessThan(600);
    expect(error.reason).toBe('Expired');
  });

  it('take the pause from the details of the Status if no header states it', () => {
    const body = { details: { retryAfterSeconds: 3 } };
    expect(errorFromStatus('GET /', { status: 500, body }).retryAfterMs).toBe(3000);
    expect(errorFromStatus('GET /', { status: 500, body, retryAfterMs: 1000 }).retryAfterMs).toBe(1000);
  });

  it('wait an hour at most, whatever the server asks for', () => {
    const body = (retryAfterSeconds: number) => ({ details: { retryAfterSeconds } });
    for (const seconds of [1e9, 1e308]) {
      expect(errorFromStatus('GET /', { status: 500, body: body(seconds) }).retryAfterMs).toBe(3_600_000);
    }
    expect(retryAfterMs('999999999', 0)).toBe(3_600_000);
    expect(retryAfterMs('Fri, 31 Dec 9999 23:59:59 GMT', 0)).toBe(3_600_000);
  });

  it('contain a reason as one short word', () => {
    const error = errorFromStatus('GET /', {
      status: 409,
      body: { reason: `\u001b[2J${'x'.repeat(10_000)}` },
    });
    expect(error.message).toMatch(/^GET \/: 409 \[2Jx+…$/);
    expect(error.message.length).toBeLessThan(100);
  });

  it('contain the innermost cause of a failed connection', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    expect(networkError('GET /', new TypeError('fetch failed', { cause })).message).toBe(
      'GET /: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('are transient errors of the core, and nothing was sent to the service', () => {
    const error = new ApiError('x', { kind: 'throttled', status: 429, retryAfterMs: 5000 });
    expect(classify(new Error('outer', { cause: error }))).toEqual({
      kind: 'transient',
      reason: 'Retrying',
      sent: 'no',
      retryAfterMs: 5000,
    });
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 20, 12, 0, 0);
  it.each([
    ['7', 7000],
    [' 0 ', 0],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['-1', undefined],
    [undefined, undefined],
  ])('%j is %j ms', (header, want) => {
    expect(retryAfterMs(header, now)).toBe(want);
  });
});
