import { describe, expect, it } from 'vitest';
import type { ConnectionReason } from '../../../src/api/condition.ts';
import { ConnectionError } from '../../../src/model/connection/failure.ts';
import { backoffMs, readRetryMs, retryAfterMs } from '../../../src/service/http/retry.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');

describe('the pause that an answer asks for', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['no header', {}, undefined],
    ['seconds', { 'retry-after': '5' }, 5000],
    ['seconds with spaces', { 'retry-after': ' 5 ' }, 5000],
    ['a date', { 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }, 30_000],
    ['a date that is over', { 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, undefined],
    [
      'a date, while our own clock is ahead',
      { 'retry-after': 'Fri, 20 Nov 2026 11:50:30 GMT', date: 'Fri, 20 Nov 2026 11:50:00 GMT' },
      30_000,
    ],
    [
      'a date beside an unreadable Date',
      { 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT', date: 'now' },
      30_000,
    ],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['a negative number', { 'retry-after': '-5' }, undefined],
    ['more than an hour', { 'retry-after': '86400' }, 3_600_000],
    ['a date in a year', { 'retry-after': 'Sat, 20 Nov 2027 12:00:00 GMT' }, 3_600_000],
    ['RateLimit-Reset in seconds', { 'ratelimit-remaining': '0', 'ratelimit-reset': '7' }, 7000],
    ['X-RateLimit-Reset in seconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '7' }, 7000],
    ['X-RateLimit-Reset as a moment in seconds', { 'x-ratelimit-reset': String(NOW_MS / 1000 + 9) }, 9000],
    ['a reset although calls are left', { 'ratelimit-remaining': '3', 'ratelimit-reset': '7' }, undefined],
    ['a reset that is no number', { 'ratelimit-reset': 'later' }, undefined],
    ['both', { 'retry-after': '5', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' }, 5000],
    [
      'a Retry-After without a meaning beside a reset',
      { 'retry-after': 'soon', 'ratelimit-remaining': '0', 'ratelimit-reset': '60' },
      60_000,
    ],
  ])('is read from %s', (_, headers, ms) => {
    expect(retryAfterMs(headers, NOW_MS)).toBe(ms);
  });
});

describe('a pause without a stated time', () => {
  it('grows with every failure, with jitter, up to five minutes', () => {
    expect([1, 2, 3, 4].map((failures) => backoffMs(failures, 1))).toEqual([1500, 2500, 4500, 8500]);
    expect(backoffMs(1, 0)).toBe(500);
    expect(backoffMs(1000, 1)).toBe(300_000);
  });
});

describe('a failed read', () => {
  const failed = (reason: ConnectionReason, retryAfter?: number) =>
    new ConnectionError('failed', { reason, sent: 'no', retryAfterMs: retryAfter });

  it('is tried three times if the failure may be temporary', () => {
    expect(readRetryMs(1, failed('Unreachable'), 0)).toBe(500);
    expect(readRetryMs(2, failed('Unreachable'), 0)).toBe(500);
    expect(readRetryMs(3, failed('Unreachable'), 0)).toBeUndefined();
  });

  it('waits for the gate instead if the service stated a pause', () => {
    expect(readRetryMs(1, failed('Unreachable', 5000), 0)).toBeUndefined();
  });

  it.each<ConnectionReason>([
    'RateLimited',
    'AuthFailed',
    'Forbidden',
    'NotJSON',
    'ProtocolError',
    'Redirected',
    'Timeout',
    'TLSFailed',
    'AddressRefused',
    'HostNotAllowed',
  ])('is not tried again for %s', (reason) => {
    expect(readRetryMs(1, failed(reason), 0)).toBeUndefined();
  });
});
