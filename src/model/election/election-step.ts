import { certainMs, type Instant, longestMs } from '../../base/instant.ts';

/** The content of a Lease. Its times are for people: no candidate compares them with its own clock. */
export interface LeaseRecord {
  /** Empty: without a holder. */
  readonly holder: string;
  /** The time after a renewal in which no other candidate may take it. */
  readonly durationMs: number;
  readonly acquiredMs: number;
  readonly renewedMs: number;
  /** The number of changes of its holder. */
  readonly transitions: number;
}

/** A Lease as it was last seen. */
export interface SeenLease {
  /** Changes with every write; undefined while there is no Lease. */
  readonly version: string | undefined;
  readonly record: LeaseRecord;
  /** The time at which it was first seen in this version. */
  readonly since: Instant;
}

/** The identity of a candidate, and the times of the election. */
export interface Candidate {
  readonly identity: string;
  readonly leaseMs: number;
  /** Shorter than the lease: who has not renewed for so long stops by itself before anybody else can begin. */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

/** The state of a candidate; a leader is one only for a time since it sent its last good renewal. */
export type Role =
  { readonly kind: 'candidate' } | { readonly kind: 'leader'; readonly renewalSent: Instant };

/** The next step with a Lease. */
export type ElectionStep =
  | { readonly kind: 'acquire' | 'renew'; readonly record: LeaseRecord }
  /** Another candidate holds it, and may for so many milliseconds more. */
  | { readonly kind: 'stand by'; readonly holder: string; readonly leftMs: number }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * Returns the next step of a candidate. It judges whether a holder is gone by our own steady clock since its last
 * change that we saw, never by the times in the record (H60).
 */
export function electionStep(
  candidate: Candidate,
  role: Role,
  seen: SeenLease | undefined,
  now: Instant,
): ElectionStep {
  const { identity } = candidate;
  const holder = seen?.record.holder ?? '';
  if (role.kind === 'leader') {
    if (holder !== '' && holder !== identity) return { kind: 'lost', why: `${holder} holds it now` };
    if (heldMs(candidate, role, now) > 0)
      return { kind: 'renew', record: recordFor(candidate, seen?.record, now) };
    return { kind: 'lost', why: `it could not be renewed for ${candidate.renewDeadlineMs / 1000} s` };
  }
  const leftMs = seen === undefined || holder === identity ? 0 : leaseLeftMs(seen, now);
  if (leftMs > 0) return { kind: 'stand by', holder, leftMs };
  return { kind: 'acquire', record: recordFor(candidate, seen?.record, now) };
}

/** Returns how long a leader may still act, in milliseconds; at 0 or below it must have stopped. */
export function heldMs(
  { renewDeadlineMs }: Pick<Candidate, 'renewDeadlineMs'>,
  role: Role,
  now: Instant,
): number {
  return role.kind === 'leader' ? renewDeadlineMs - longestMs(role.renewalSent, now) : 0;
}

/** Returns how long the holder may still have the Lease, in milliseconds; 0 for a released one. */
export function leaseLeftMs({ record, since }: SeenLease, now: Instant): number {
  return record.holder === '' ? 0 : Math.max(0, record.durationMs - certainMs(since, now));
}

/**
 * Knowledge of a Lease after a look at it, with the moment since when. One that is gone counts as its last holder's
 * for a whole lease more: its deletion does not prove that its holder no longer acts.
 */
export function seenLease(
  before: SeenLease | undefined,
  found: { readonly version: string; readonly record: LeaseRecord } | undefined,
  now: Instant,
): SeenLease | undefined {
  if (found !== undefined) return before?.version === found.version ? before : { ...found, since: now };
  if (before === undefined || before.version === undefined) return before;
  return { ...before, version: undefined, since: now };
}

/** The record of a Lease that is given back: the next candidate need not wait. */
export function givenBack(record: LeaseRecord, now: Instant): LeaseRecord {
  return { ...record, holder: '', renewedMs: now.wallMs };
}

function recordFor(
  { identity, leaseMs }: Candidate,
  before: LeaseRecord | undefined,
  now: Instant,
): LeaseRecord {
  const ours = before?.holder === identity;
  return {
    holder: identity,
    durationMs: leaseMs,
    acquiredMs: ours ? before.acquiredMs : now.wallMs,
    renewedMs: now.wallMs,
    transitions: before === undefined ? 0 : before.transitions + (ours ? 0 : 1),
  };
}
