import { describe, expect, it } from 'vitest';
import { ApiError, type ApiErrorKind } from '../../../src/kubernetes/client/api-error.ts';
import {
  afterList,
  afterListFailure,
  afterWatch,
  EXPECTED_REFUSAL_CAP_MS,
  type ListingState,
  REFLECTOR_TUNING,
  type ReflectorState,
  type ReflectorTuning,
  type WatchingState,
  type WatchRun,
} from '../../../src/kubernetes/watch/reflector-state.ts';

const failure = (kind: ApiErrorKind, retryAfterMs?: number): ApiError =>
  new ApiError(kind, { kind, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
const watching = (change: Partial<WatchingState> = {}): WatchingState => ({
  kind: 'watching',
  from: '100',
  failures: 0,
  refusals: 0,
  barren: 0,
  ...change,
});
const run = (end: WatchRun['end'], change: Partial<WatchRun> = {}): WatchRun => ({
  end,
  version: '120',
  events: 3,
  lastedMs: 300_000,
  ...change,
});
const after = (state: WatchingState, watched: WatchRun, random = 0.5): ReflectorState =>
  afterWatch(state, watched, { random, tuning: REFLECTOR_TUNING });
/** Returns the state before a list, after this many failures. */
const listing = (failures: number): ListingState => ({ kind: 'listing', failures, refusals: 0 });
const target = (state: ReflectorState): string => {
  const next = state.kind === 'backing-off' ? state.next : state;
  return next.kind === 'watching' ? `watch from ${next.from}` : next.kind;
};

describe('after a watch', () => {
  it('that ended as agreed, the next begins at once where it stopped', () => {
    expect(after(watching(), run({ kind: 'closed' }))).toEqual(watching({ from: '120' }));
  });

  it.each<[string, WatchRun, string]>([
    [
      'a cut connection continues from the last version',
      run({ kind: 'failed', error: failure('network') }),
      'watch from 120',
    ],
    [
      'a throttled request keeps its version',
      run({ kind: 'failed', error: failure('throttled') }),
      'watch from 120',
    ],
    ['a server error keeps its version', run({ kind: 'failed', error: failure('server') }), 'watch from 120'],
    [
      'missing rights keep the version',
      run({ kind: 'failed', error: failure('forbidden') }),
      'watch from 120',
    ],
    [
      'failing credentials keep the version',
      run({ kind: 'failed', error: failure('unauthorized') }),
      'watch from 120',
    ],
    ['silence goes on from the last version', run({ kind: 'idle' }), 'watch from 120'],
    ['410 reads everything again', run({ kind: 'failed', error: failure('gone') }), 'listing'],
    [
      'a refused request reads everything again',
      run({ kind: 'failed', error: failure('invalid') }),
      'listing',
    ],
    ['a corrupt line reads everything again', run({ kind: 'corrupt' }), 'listing'],
  ])('%s', (_name, watched, want) => {
    expect(target(after(watching(), watched))).toBe(want);
  });

  it.each<[string, WatchRun['end'], number]>([
    ['three quick ends', { kind: 'closed' }, 5],
    ['three silences', { kind: 'idle' }, 150_000],
  ])('%s without an event discredit the version', (_what, end, lastedMs) => {
    const quick = run(end, { version: '100', events: 0, lastedMs });
    let state: ReflectorState = watching();
    const targets: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const from = state.kind === 'backing-off' ? state.next : state;
      if (from.kind !== 'watching') break;
      state = after(from, quick);
      targets.push(target(state));
    }
    expect(targets).toEqual(['watch from 100', 'watch from 100', 'listing']);
  });

  it('quick ends with events do not discredit it', () => {
    const quick = run({ kind: 'closed' }, { lastedMs: 5 });
    expect(after(watching({ barren: 2 }), quick)).toMatchObject({
      next: { kind: 'watching', barren: 0 },
    });
  });

  it('a long life resets earlier failures, and a short one does not', () => {
    const cut: WatchRun['end'] = { kind: 'failed', error: failure('network') };
    expect(after(watching({ failures: 6 }), run(cut), 1)).toMatchObject({ ms: 800, next: { failures: 1 } });
    expect(after(watching({ failures: 6 }), run(cut, { lastedMs: 29_999 }), 1)).toMatchObject({
      ms: 30_000,
      next: { failures: 7 },
    });
  });
});

describe('backing off', () => {
  const pause = (failures: number, random: number, retryAfterMs?: number): number => {
    const error = failure('server', retryAfterMs);
    const state = afterListFailure(listing(failures), error, { random, tuning: REFLECTOR_TUNING });
    return state.kind === 'backing-off' ? state.ms : -1;
  };

  it('doubles its upper limit from 0.8 s up to 30 s', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 50].map((failures) => pause(failures, 1))).toEqual([
      800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000,
    ]);
  });

  it('has no minimum at first, and then one of a quarter of the upper limit or 0.8 s', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 50].map((failures) => pause(failures, 0))).toEqual([
      0, 800, 800, 1600, 3200, 6400, 7500, 7500,
    ]);
    expect(pause(0, 0.5)).toBe(400);
    expect(pause(5, 0.5)).toBe(16_000);
  });

  it('is added to the pause that the server asked for', () => {
    expect(pause(0, 0.5, 5000)).toBe(5400);
  });

  it('ends after five minutes, whatever the server asked for', () => {
    expect(pause(0, 0.5, 31_536_000_000)).toBe(300_400);
  });

  it('continues after a successful list: a version that expires at once must not cause a storm', () => {
    const listed = afterList(listing(4), '7');
    expect(listed).toEqual(watching({ from: '7', failures: 4 }));
    const expired = run({ kind: 'failed', error: failure('gone') }, { lastedMs: 3 });
    expect(after(watching({ failures: 4 }), expired, 1)).toMatchObject({ kind: 'backing-off', ms: 12_800 });
  });
});

describe('consecutive refusals (403)', () => {
  const patient: ReflectorTuning = { ...REFLECTOR_TUNING, refusedCapMs: EXPECTED_REFUSAL_CAP_MS };

  /** Returns the pauses after a series of failed lists. */
  function pauses(kinds: readonly ApiErrorKind[], tuning = patient, random = 1): readonly number[] {
    let state: ListingState = listing(0);
    return kinds.map((kind) => {
      const after = afterListFailure(state, failure(kind), { random, tuning });
      if (after.kind !== 'backing-off' || after.next.kind !== 'listing') throw new Error(after.kind);
      state = after.next;
      return after.ms;
    });
  }
  const times = (count: number, kind: ApiErrorKind): readonly ApiErrorKind[] =>
    Array.from({ length: count }, () => kind);

  it('lead to pauses of ten minutes if they are expected, and of 30 s if they are not', () => {
    expect(pauses(times(12, 'forbidden'))).toEqual([
      ...[800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 102_400, 204_800, 409_600, 600_000, 600_000],
    ]);
    expect(pauses(times(12, 'forbidden'), REFLECTOR_TUNING).at(-1)).toBe(30_000);
    expect(pauses(times(12, 'server')).at(-1)).toBe(30_000);
  });

  it('lead to pauses of at least a quarter of the ten minutes', () => {
    expect(pauses(times(12, 'forbidden'), patient, 0).at(-1)).toBe(150_000);
  });

  it('begin with small pauses after an outage, which keeps its own pauses', () => {
    const ms = pauses([...times(9, 'network'), ...times(8, 'forbidden'), 'network', 'forbidden']);
    expect(ms.slice(8)).toEqual([
      ...[30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 51_200, 102_400, 30_000, 30_000],
    ]);
  });

  it('of a watch count too, and are reset by a healthy watch', () => {
    const refused = run({ kind: 'failed', error: failure('forbidden') }, { lastedMs: 3 });
    const tired = watching({ failures: 12, refusals: 12 });
    expect(afterWatch(tired, refused, { random: 1, tuning: patient })).toMatchObject({
      ms: 600_000,
      next: { refusals: 13 },
    });
    const late = { ...refused, lastedMs: 300_000 };
    expect(afterWatch(tired, late, { random: 1, tuning: patient })).toMatchObject({
      ms: 800,
      next: { refusals: 1 },
    });
    expect(afterWatch(tired, run({ kind: 'closed' }), { random: 1, tuning: patient })).toEqual(
      watching({ from: '120' }),
    );
    expect(afterList(listing(3), '7')).toMatchObject({ refusals: 0 });
  });
});
