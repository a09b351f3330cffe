import { describe, expect, it } from 'vitest';
import {
  type Candidate,
  electionStep,
  givenBack,
  heldMs,
  type LeaseRecord,
  type Role,
  type SeenLease,
  seenLease,
} from '../../../src/model/election/election-step.ts';
import type { Instant } from '../../../src/base/instant.ts';

const US: Candidate = { identity: 'us', leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
const CANDIDATE: Role = { kind: 'candidate' };

/** The time in milliseconds after the start, with the wall clock off by `wallMs`. */
const at = (ms: number, wallMs = 0): Instant => ({ wallMs: 1_000_000 + ms + wallMs, steadyMs: ms });
const leader = (ms: number): Role => ({ kind: 'leader', renewalSent: at(ms) });

/** Records of other candidates carry times of their own, which must not matter. */
const recordOf = (holder: string, change: Partial<LeaseRecord> = {}): LeaseRecord => ({
  holder,
  durationMs: 15_000,
  acquiredMs: 0,
  renewedMs: 99_999_999_999,
  transitions: 4,
  ...change,
});
const seen = (holder: string, ms: number, change: Partial<LeaseRecord> = {}): SeenLease => ({
  version: '7',
  record: recordOf(holder, change),
  since: at(ms),
});

describe('a candidate', () => {
  it('takes a Lease that does not exist', () => {
    expect(electionStep(US, CANDIDATE, undefined, at(5))).toEqual({
      kind: 'acquire',
      record: {
        holder: 'us',
        durationMs: 15_000,
        acquiredMs: 1_000_005,
        renewedMs: 1_000_005,
        transitions: 0,
      },
    });
  });

  it('takes one that was released at once, and counts the transition', () => {
    const step = electionStep(US, CANDIDATE, seen('', 0), at(1));
    expect(step).toMatchObject({ kind: 'acquire', record: { holder: 'us', transitions: 5 } });
  });

  it('waits while another may hold it', () => {
    const holding = seen('them', 1_000);
    expect(electionStep(US, CANDIDATE, holding, at(1_000))).toEqual({
      kind: 'stand by',
      holder: 'them',
      leftMs: 15_000,
    });
    expect(electionStep(US, CANDIDATE, holding, at(15_999))).toMatchObject({ kind: 'stand by', leftMs: 1 });
    expect(electionStep(US, CANDIDATE, holding, at(16_000)).kind).toBe('acquire');
  });

  it('uses the duration that the holder recorded, not its own', () => {
    const holding = seen('them', 0, { durationMs: 60_000 });
    expect(electionStep(US, CANDIDATE, holding, at(59_999)).kind).toBe('stand by');
  });

  it('ignores times in the record and changes of the wall clock (H60)', () => {
    const longAgo = seen('them', 0, { renewedMs: 0, acquiredMs: 0 });
    expect(electionStep(US, CANDIDATE, longAgo, at(14_999, 3_600_000)).kind).toBe('stand by');
    expect(electionStep(US, CANDIDATE, longAgo, at(15_000, -3_600_000)).kind).toBe('acquire');
  });

  it('adopts its own record, even if it never got the answer', () => {
    const step = electionStep(US, CANDIDATE, seen('us', 0, { acquiredMs: 7 }), at(1));
    expect(step).toMatchObject({ kind: 'acquire', record: { acquiredMs: 7, transitions: 4 } });
  });
});

describe('a leader', () => {
  it('renews: acquire time and count stay', () => {
    expect(electionStep(US, leader(0), seen('us', 0, { acquiredMs: 7 }), at(2_000))).toEqual({
      kind: 'renew',
      record: { holder: 'us', durationMs: 15_000, acquiredMs: 7, renewedMs: 1_002_000, transitions: 4 },
    });
  });

  it('has lost the Lease when another holds it', () => {
    expect(electionStep(US, leader(0), seen('them', 0), at(1))).toEqual({
      kind: 'lost',
      why: 'them holds it now',
    });
  });

  it('has lost the Lease one renew deadline after it sent its last good renewal (H60)', () => {
    expect(electionStep(US, leader(0), seen('us', 0), at(9_999)).kind).toBe('renew');
    expect(electionStep(US, leader(0), seen('us', 0), at(10_000)).kind).toBe('lost');
  });

  it.each([
    ['the machine slept', { wallMs: 1_000_000 + 10_000, steadyMs: 1 }],
    ['the wall clock was set back', { wallMs: 1_000_000 - 3_600_000, steadyMs: 10_000 }],
  ])('counts the longer of two times: %s', (_, now) => {
    expect(heldMs(US, leader(0), now)).toBe(0);
  });
});

describe('an observed Lease', () => {
  const found = { version: '7', record: recordOf('them') };

  it('has the age of its version', () => {
    const first = seenLease(undefined, found, at(1));
    expect(seenLease(first, found, at(9))).toBe(first);
    expect(seenLease(first, { ...found, version: '8' }, at(9))?.since).toEqual(at(9));
  });

  it('that was deleted counts for one duration more, and no longer', () => {
    const gone = seenLease(seenLease(undefined, found, at(0)), undefined, at(10_000));
    expect(gone).toMatchObject({ version: undefined, since: at(10_000) });
    expect(electionStep(US, CANDIDATE, gone, at(24_999)).kind).toBe('stand by');
    expect(seenLease(gone, undefined, at(20_000))).toBe(gone);
    expect(electionStep(US, CANDIDATE, gone, at(25_000)).kind).toBe('acquire');
  });

  it('is empty if no Lease was read', () => {
    expect(seenLease(undefined, undefined, at(0))).toBeUndefined();
  });
});

it('a released Lease has no holder', () => {
  expect(givenBack(recordOf('us'), at(5))).toEqual(recordOf('', { renewedMs: 1_000_005 }));
});
