import type { SyncedReason } from '../../api/condition.ts';
import { writeShownMs } from '../compare/assess.ts';
import type { Failure } from '../connection/failure.ts';
import type { WriteAnswer } from '../external/observation.ts';
import { DEFAULTS } from '../connection/connection.ts';
import { MAY_BE_IMMUTABLE } from '../desired/fields.ts';
import type { Decided } from '../decide/make-plan.ts';
import { leftOutBy } from '../effects/untouched.ts';
import type { Situation } from '../plan/situation.ts';

/** The outcome of one pass. */
export type Outcome =
  /** Nothing had to be sent, or nothing may be sent. */
  | { readonly kind: 'settled'; readonly reason: SyncedReason; readonly message: string }
  /** One write was sent and answered with success. */
  | {
      readonly kind: 'applied';
      readonly answer: WriteAnswer;
      /**
       * The values that the request left out and the answer does not show: a list has to show whether the service kept
       * them.
       */
      readonly open: readonly string[];
      /** True if the answer shows nothing of the write, and the request left something out. */
      readonly owesLook?: true;
    }
  /** The resource is being deleted, and was released. */
  | { readonly kind: 'released'; readonly message: string }
  | {
      readonly kind: 'waiting';
      readonly reason: SyncedReason;
      readonly message: string;
      readonly againInMs?: number | undefined;
      /** The poll interval of the connection that the resource waits for, if any. */
      readonly pollMs?: number | undefined;
    }
  /** Nothing is due yet, and there is nothing to report or record. */
  | { readonly kind: 'postponed'; readonly againInMs: number; readonly priority?: 'rollout' }
  | { readonly kind: 'held'; readonly message: string }
  | { readonly kind: 'failed'; readonly failure: Failed; readonly message: string };

/** A failure other than a wait: terminal, transient, or a bug of ours. */
export type Failed =
  Exclude<Failure, { readonly kind: 'waiting' }> | { readonly kind: 'bug'; readonly error: unknown };

/** The look at the service, and the writes whose effects were not seen yet. */
type Looked = Pick<Situation, 'observation' | 'written' | 'resource' | 'settings' | 'nowMs' | 'pioneers'>;

/** Returns when the resource needs the next pass after an outcome. */
export function requeueFor(
  outcome: Outcome,
  decided: (Decided & { readonly situation: Looked }) | undefined,
  rolloutMs: number,
): Requeue {
  switch (outcome.kind) {
    case 'held':
    case 'released':
      return { kind: 'on-change' };
    case 'applied':
      // Looks for the omitted values at once, so that later changes of other people do not look like effects of the
      // write. All resources wait for the lesson of the first write on a connection.
      return outcome.open.length > 0 || outcome.owesLook === true || isAwaited(decided)
        ? { kind: 'after', ms: 0, priority: 'rollout' }
        : { kind: 'after', ms: rolloutMs, priority: 'rollout' };
    case 'postponed':
      return { kind: 'after', ms: outcome.againInMs, priority: outcome.priority ?? 'user' };
    case 'settled': {
      const rolling = decided?.assessment?.rollout.rolling === true;
      // If the decision used the answer to our write, differences in the list count only after its window. And a proof
      // in this pass is the base of a new comparison.
      const proven = decided?.assessment?.evidence.kind === 'proven';
      if (rolling || proven || isOnAnswer(decided))
        return { kind: 'after', ms: rolloutMs, priority: 'rollout' };
      return orWhenLookIsOwed(dueAgainMs(decided) ?? DEFAULTS.resyncMs, decided, rolloutMs);
    }
    case 'waiting': {
      if (outcome.againInMs !== undefined)
        return { kind: 'after', ms: outcome.againInMs, priority: 'rollout' };
      const notReady = outcome.reason === 'ConnectionNotReady';
      const ms = notReady ? DEFAULTS.connectionRetryMs : DEFAULTS.authRetryMs;
      return { kind: 'after', ms, priority: 'resync' };
    }
    case 'failed':
      return requeueAfterFailure(outcome.failure, decided, rolloutMs);
  }
}

/**
 * True after a write for which other resources wait: it left something out, and no write has shown yet whether the
 * service keeps omitted values.
 */
function isAwaited(decided: (Decided & { readonly situation: Looked }) | undefined): boolean {
  const { plan, situation } = decided ?? {};
  if (plan?.kind !== 'patch' || situation?.pioneers !== true || situation.observation.kind !== 'present')
    return false;
  return leftOutBy({ before: situation.observation.deployment, body: plan.body }).length > 0;
}

/** Returns a requeue after `againMs`, or earlier if a read that shows the effect of our newest write is due earlier. */
function orWhenLookIsOwed(
  againMs: number,
  decided: (Decided & { readonly situation: Looked }) | undefined,
  rolloutMs: number,
): Requeue {
  const untoldMs = untilShownMs(decided);
  if (untoldMs !== undefined)
    return { kind: 'after', ms: Math.max(rolloutMs, untoldMs), priority: 'rollout' };
  const overMs = untilWindowEndMs(decided?.situation);
  // Waits a moment longer, so that one read serves all resources that were written at about the same time.
  if (overMs !== undefined && overMs + rolloutMs < againMs)
    return { kind: 'after', ms: overMs + rolloutMs, priority: 'resync', together: true };
  return { kind: 'after', ms: againMs, priority: 'resync' };
}

/**
 * True if the values that were refused together with a possibly immutable field are sent again without it; the field is
 * reported (H23).
 */
function mayGoInPart(
  { kind, reason }: Extract<Failed, { kind: 'terminal' }>,
  decided: Decided | undefined,
): boolean {
  if (kind !== 'terminal' || reason !== 'Rejected' || decided?.plan.kind !== 'patch') return false;
  return decided.plan.announcement.paths.some((path) => MAY_BE_IMMUTABLE.has(path));
}

/**
 * Returns the time until a read must show the effect of a write on all other fields; then a read is due that teaches
 * about the service.
 */
function untilShownMs(decided: (Decided & { readonly situation: Looked }) | undefined): number | undefined {
  const { written, observation } = decided?.situation ?? {};
  if (written === undefined || observation === undefined || (decided?.assessment?.lost.length ?? 0) > 0)
    return undefined;
  return written.dueMs - observation.beganMs;
}

/**
 * Returns the time until the end of our newest write's window, if this read was within it: then cautious verdicts are
 * made again.
 */
function untilWindowEndMs(looked: Looked | undefined): number | undefined {
  if (looked?.observation.kind !== 'present') return undefined;
  const { observation, resource, settings, nowMs } = looked;
  const shownMs = writeShownMs(resource, settings);
  return observation.beganMs < shownMs ? Math.max(0, shownMs - nowMs) : undefined;
}

function isOnAnswer(decided: { readonly situation: Looked } | undefined): boolean {
  const observation = decided?.situation.observation;
  return observation?.kind === 'present' && observation.via === 'answer';
}

function dueAgainMs(decided: Decided | undefined): number | undefined {
  const plan = decided?.plan;
  return plan?.kind === 'blocked' || plan?.kind === 'nothing' ? plan.againInMs : undefined;
}

function requeueAfterFailure(
  failure: Failed,
  decided: (Decided & { readonly situation: Looked }) | undefined,
  rolloutMs: number,
): Requeue {
  switch (failure.kind) {
    case 'terminal':
      if (mayGoInPart(failure, decided)) return { kind: 'after', ms: 0, priority: 'user' };
      return orWhenLookIsOwed(DEFAULTS.heldAfterRejectionMs, decided, rolloutMs);
    case 'transient':
      return failure.retryAfterMs === undefined
        ? { kind: 'backoff' }
        : { kind: 'backoff', atLeastMs: failure.retryAfterMs };
    case 'bug':
      return { kind: 'backoff' };
  }
}

/** True for a write that arrived, or may have arrived although no answer came. */
export function wasSent(outcome: Outcome): boolean {
  if (outcome.kind !== 'failed') return outcome.kind === 'applied';
  return outcome.failure.kind === 'transient' && outcome.failure.sent === 'perhaps';
}

/** The time of the next pass over a key. */
export type Requeue =
  /** The next pass is when something changes. */
  | { readonly kind: 'on-change' }
  /** The next pass is after `ms`, with this priority. */
  | {
      readonly kind: 'after';
      readonly ms: number;
      readonly priority: 'user' | 'rollout' | 'resync';
      /**
       * True for a resync that returns exactly when it is due, since others return at about the same time for the same
       * read.
       */
      readonly together?: true;
    }
  /** The next pass is after the key's own backoff, at least `atLeastMs`. */
  | { readonly kind: 'backoff'; readonly atLeastMs?: number };
