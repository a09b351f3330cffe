import { certainMs, type Instant, longestMs } from '../../base/instant.ts';

/** The content of a Lease. Its times are only for people: no candidate compares them with its own clock. */
export interface LeaseRecord {
  /** The identity of the holder; empty without a holder. */
  readonly holder: string;
  /** The time after a renewal during which no other candidate may take the Lease. */
  readonly durationMs: number;
  readonly acquiredMs: number;
  readonly renewedMs: number;
  /** The number of times that its holder changed. */
  readonly transitions: number;
}

/** The last seen state of a Lease. */
export interface SeenLease {
  /** The version, which changes with every write; undefined while there is no Lease. */
  readonly version: string | undefined;
  readonly record: LeaseRecord;
  /** The time when this version was first seen. */
  readonly since: Instant;
}

/** The identity of a candidate, and the times of the election. */
export interface Candidate {
  readonly identity: string;
  readonly leaseMs: number;
  /**
   * The time without a renewal after which a leader stops by itself. It is shorter than the lease, so that a leader
   * stops before another candidate can begin.
   */
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

/** The state of a candidate. A leader remains one only for a limited time after it sent its last successful renewal. */
export type Role =
  { readonly kind: 'candidate' } | { readonly kind: 'leader'; readonly renewalSent: Instant };

/** The next step with a Lease. */
export type ElectionStep =
  | { readonly kind: 'acquire' | 'renew'; readonly record: LeaseRecord }
  /** Another candidate holds the Lease, and may keep it for `leftMs` more. */
  | { readonly kind: 'stand by'; readonly holder: string; readonly leftMs: number }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * Returns the next step of a candidate. Decides whether a holder is gone by our own monotonic clock since the last
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

/** Returns how long a leader may still act, in milliseconds; at 0 or less it must have stopped. */
export function heldMs(
  { renewDeadlineMs }: Pick<Candidate, 'renewDeadlineMs'>,
  role: Role,
  now: Instant,
): number {
  return role.kind === 'leader' ? renewDeadlineMs - longestMs(role.renewalSent, now) : 0;
}

/** Returns how long the holder may still keep the Lease, in milliseconds; 0 for a released Lease. */
export function leaseLeftMs({ record, since }: SeenLease, now: Instant): number {
  return record.holder === '' ? 0 : Math.max(0, record.durationMs - certainMs(since, now));
}

/**
 * Returns what is known about a Lease after a read, and since when. A deleted Lease counts as its last holder's for one
 * more lease duration: the deletion does not prove that the holder has stopped.
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

/** Returns the record of a released Lease, for which the next candidate need not wait. */
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
