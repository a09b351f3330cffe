import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError, type ApiErrorKind } from '../../../src/kubernetes/client/api-error.ts';
import {
  afterList,
  afterListFailure,
  afterWatch,
  AT_FIRST,
  REFLECTOR_TUNING,
  type ReflectorState,
  type WatchEnd,
} from '../../../src/kubernetes/watch/reflector-state.ts';

/** The limits in `reflector-state.ts` on lists and watches that one reflector begins in any 30 s. */
const WINDOW_MS = 30_000;
const MOST_IN_A_WINDOW = 20;
const MOST_WHILE_NOTHING_WORKS = 10;

const ERRORS: readonly ApiErrorKind[] = [
  'conflict',
  'notFound',
  'gone',
  'throttled',
  'unauthorized',
  'forbidden',
  'invalid',
  'server',
  'network',
  'aborted',
];

/** The outcome of one attempt: of a list, and of a watch. */
const attempt = fc.record({
  listFails: fc.boolean(),
  error: fc.constantFrom(...ERRORS),
  end: fc.constantFrom<WatchEnd['kind']>('closed', 'idle', 'corrupt', 'failed'),
  events: fc.constantFrom(0, 3),
  lastedMs: fc.constantFrom(0, 5, 29_999, 30_000, 45_000),
  random: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.999, noNaN: true })),
});
type Attempt = typeof attempt extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the start times of each list and each watch for these outcomes. */
function beginnings(attempts: readonly Attempt[]): readonly number[] {
  let nowMs = 0;
  let state: ReflectorState = AT_FIRST;
  const begun: number[] = [];
  for (const { listFails, error: kind, end, events, lastedMs, random } of attempts) {
    if (state.kind === 'backing-off') {
      nowMs += state.ms;
      state = state.next;
    }
    begun.push(nowMs);
    const error = new ApiError(kind, { kind });
    if (state.kind === 'listing') {
      state = listFails
        ? afterListFailure(state, error, { random, tuning: REFLECTOR_TUNING })
        : afterList(state, '7');
      continue;
    }
    nowMs += lastedMs;
    const run = {
      end: end === 'failed' ? { kind: end, error } : { kind: end },
      version: '8',
      events,
      lastedMs,
    };
    state = afterWatch(state, run, { random, tuning: REFLECTOR_TUNING });
  }
  return begun;
}

function mostInAWindow(begun: readonly number[]): number {
  return Math.max(...begun.map((from) => begun.filter((at) => at >= from && at < from + WINDOW_MS).length));
}

describe('a reflector whose every attempt fails', () => {
  it('begins at most so many lists and watches in any half minute, whatever happens and whatever chance says', () => {
    fc.assert(
      fc.property(fc.array(attempt, { minLength: 30, maxLength: 120 }), (attempts) => {
        expect(mostInAWindow(beginnings(attempts))).toBeLessThanOrEqual(MOST_IN_A_WINDOW);
      }),
      { seed: 12, numRuns: 2000 },
    );
  });

  it.each<[string, Partial<Attempt>]>([
    ['versions that expire at once', { listFails: false, end: 'failed', error: 'gone' }],
    ['lines that cannot be read', { listFails: false, end: 'corrupt' }],
    ['lists that fail', { listFails: true, error: 'server' }],
    ['watches that end at once', { end: 'closed', events: 3 }],
    ['watches that end at once without a word', { end: 'closed', events: 0 }],
  ])('slows down for %s, with the worst random numbers', (_what, change) => {
    const worst: Attempt = {
      ...{ listFails: false, error: 'network', end: 'failed', events: 0, lastedMs: 0, random: 0 },
      ...change,
    };
    const begun = beginnings(Array.from({ length: 60 }, () => worst));
    expect(mostInAWindow(begun)).toBeLessThanOrEqual(MOST_IN_A_WINDOW);
    const late = begun.filter((at) => at > 60_000);
    expect(late.length).toBeGreaterThan(10);
    expect(mostInAWindow(late)).toBeLessThanOrEqual(MOST_WHILE_NOTHING_WORKS);
  });
});
