import { writeShownMs } from '../compare/assess.ts';
import { isHeld } from '../compare/judge-fields.ts';
import { annotation, type DeploymentResource, reportsDrift } from '../../api/deployment.ts';
import { type ConnectionSettings, DEFAULTS } from '../connection/connection.ts';
import { leftOutBy } from '../effects/untouched.ts';
import { GUARDS_OF_OTHERS } from '../patch/selection.ts';
import type { Decided } from './make-plan.ts';
import type { Plan } from '../plan/plan.ts';
import { waitingBeside } from '../plan/withheld.ts';
import type { Situation } from '../plan/situation.ts';

/** The facts that decide how recent the look behind a decision must be. */
type Basis = Pick<Situation, 'resource' | 'settings' | 'learned' | 'pioneers' | 'observation'>;

/** The maximum age of such a read if rollouts are polled rarely. */
const MOST_RECENT_MS = 15_000;

/** Returns the maximum age, in milliseconds, of a read for a body that contains values of other writers. */
export function recentMs({ poll }: Pick<ConnectionSettings, 'poll'>): number {
  return Math.min(poll.rolloutMs / 2, MOST_RECENT_MS);
}

/** The pace of the calls to a service. */
export interface CallPace {
  readonly settings: Pick<ConnectionSettings, 'poll'>;
  /** The milliseconds from one permit to the next while calls wait. */
  readonly apartMs: number;
}

/** True if a sweep of two calls would be too old for a write when the write gets its permit. */
export function permitsAreRare({ settings, apartMs }: CallPace): boolean {
  return 2 * apartMs > recentMs(settings);
}

/**
 * True for a PATCH that contains shown values of other people: a block that is sent whole, a full body, values that a
 * repair restores or that may have to be restored after a first write, and a revision block that a redeploy repeats or
 * whose drift is only reported. With an old look, the PATCH would undo later changes by others (H2, H3, N1).
 */
export function carriesOthers(
  { plan, assessment }: Decided,
  { resource, settings, learned, pioneers, observation }: Basis,
): boolean {
  if (plan.kind !== 'patch') return false;
  const { patchBodies } = settings;
  const replaces = patchBodies === 'Auto' && learned.omittedFields?.verdict === 'Replace';
  const repairs = (assessment?.lost.length ?? 0) > 0;
  const pioneering = pioneers === true && observation.kind === 'present';
  const tries = pioneering && leftOutBy({ before: observation.deployment, body: plan.body }).length > 0;
  const redeploys = plan.cause === 'redeploy';
  if (patchBodies === 'Full' || replaces || tries || repairs || redeploys) return true;
  const { sourceConfig, sourceRevisionConfig, secrets, secretReferences } = plan.body;
  const reports = reportsDrift(resource) && sourceRevisionConfig !== undefined;
  const whole = sourceConfig?.resourceSpec !== undefined || secrets !== undefined;
  return whole || reports || secretReferences !== undefined;
}

/**
 * Holds back a PATCH with values of other people while newer reads do not show the deployment, so that only the answer
 * to our last PATCH does: others may have changed the values since. `soughtMs` is the earliest start of those reads. The
 * operator looks again until a read shows the deployment, or the window of that PATCH ends and it counts as missing. An
 * edit right after a creation does not wait: no other client has seen the deployment in a list.
 */
export function unlessUnseen(decided: Decided, situation: Situation, soughtMs: number): Decided {
  const { observation, written } = situation;
  if (observation.kind !== 'present' || observation.via !== 'answer' || written === undefined) return decided;
  const isShown = observation.outranked !== undefined || soughtMs <= observation.beganMs;
  if (isShown || decided.plan.kind !== 'patch' || !carriesOthers(decided, situation)) return decided;
  const { changes, withheld } = decided.plan;
  const message =
    'no read shows the deployment, and a request has to contain values of others; looking again';
  const wait = {
    kind: 'wait',
    reason: 'Pending',
    message,
    againInMs: DEFAULTS.pollRolloutMs,
    changes,
  } as const;
  return { ...decided, plan: waitingBeside(wait, withheld) ?? wait };
}

/**
 * True if an edited field counts as applied already. The look may be older than the edit, and somebody may have changed
 * the field in between. A first bind adopts the shown values, unless later changes are only reported.
 */
function adoptsEdit({ assessment }: Decided, { resource }: Pick<Basis, 'resource'>): boolean {
  if (resource.status?.applied === undefined && !reportsDrift(resource)) return false;
  if (assessment?.adoptsSecrets === true) return true;
  return (assessment?.judgements ?? []).some(
    (judgement) =>
      isHeld(judgement) ||
      (judgement.verdict === 'adopt' && judgement.digests.applied !== judgement.digests.desired),
  );
}

/**
 * Returns the text in reconcile-at if no pass has handled it yet. A text that existed at first sight asks for nothing.
 */
export function askedLook(resource: DeploymentResource): string | undefined {
  const asked = annotation(resource, 'reconcileAt');
  const { applied, lastHandledReconcileAt } = resource.status ?? {};
  return applied === undefined || asked === lastHandledReconcileAt ? undefined : asked;
}

/** True while a person waits: for an edit, a deletion, or the answer to reconcile-at. */
export function isAwaitedByPerson(resource: DeploymentResource): boolean {
  const { metadata, status } = resource;
  const isEdited = status?.observedGeneration !== metadata.generation;
  return isEdited || metadata.deletionTimestamp !== undefined || askedLook(resource) !== undefined;
}

/** A decision that is checked again when its write gets a permit. */
export interface WaitingDecision extends Decided {
  readonly situation: Basis;
  /** The time of the decision. */
  readonly decidedMs: number;
  /** The time of the service's state in the look behind the decision. */
  readonly asOfMs: number;
  /** True if the look began for this decision, so that a new look would show nothing newer. */
  readonly ownLook: boolean;
}

/**
 * The factor of the interval between permits within which no second permit comes, although permits are not exactly
 * evenly spaced.
 */
const LATE_BY = 1.5;

/**
 * Returns whether a decision still holds when its permit arrives: the settings are the same, the read is recent enough
 * for the values that are sent along, and no later page has shown different ones. A write that sends none along may
 * still empty what it leaves out, so a later sweep counts for it too, but only once: the decision may rest on an answer
 * that outranks that sweep. If permits are rarer than that, a decision on its own read holds until the next permit. That
 * ends where permits are rarer than any rate that can be configured: meanwhile other clients may change too much.
 */
export function holdsStill(
  decision: WaitingDecision,
  now: {
    readonly settings: ConnectionSettings;
    /** See `CallPace`. */
    readonly apartMs: number;
    readonly nowMs: number;
    /** Returns true if the list that is being read has shown a changed deployment since the given time. */
    readonly movedSince: (ms: number) => boolean;
    /** The same for a later sweep that has ended. */
    readonly sweptSince: (ms: number) => boolean;
    /** True if an earlier decision on this write no longer held when its permit arrived. */
    readonly isRepeated: boolean;
  },
): boolean {
  const { situation, decidedMs, asOfMs, ownLook } = decision;
  if (now.settings !== situation.settings) return false;
  const carries = carriesOthers(decision, situation);
  if (carries ? now.movedSince(asOfMs) : !now.isRepeated && now.sweptSince(asOfMs)) return false;
  const mostMs = recentMs(now.settings);
  if (ownLook) {
    return now.nowMs - decidedMs <= Math.max(mostMs, LATE_BY * Math.min(now.apartMs, DEFAULTS.rarestCallsMs));
  }
  return now.nowMs - (carries ? asOfMs : decidedMs) <= mostMs;
}

/** True while the operator follows the rollout of the newest revision: a look for any resource may show its end. */
export function isRolling({ metadata, status }: DeploymentResource): boolean {
  return metadata.deletionTimestamp === undefined && status?.latestRevisionID !== status?.activeRevisionID;
}

/** True if a look shows that everything is finished, or that there is nothing to follow. */
function isAtRest({ plan, assessment, situation }: WaitingDecision): boolean {
  if (situation.observation.kind !== 'present') return true;
  return plan.kind === 'nothing' && plan.reason === 'InSync' && assessment?.rollout.rolling !== true;
}

/** Returns the earliest time at which the look behind a decision may have begun; 0 if any look is enough. */
export function neededMs(
  decision: WaitingDecision,
  {
    editSeenMs,
    passedUpMs = 0,
  }: { readonly editSeenMs?: number | undefined; readonly passedUpMs?: number | undefined },
  nowMs: number,
): number {
  const { situation } = decision;
  const recent = carriesOthers(decision, situation)
    ? Math.max(nowMs - recentMs(situation.settings), passedUpMs)
    : 0;
  const rolling = isRolling(situation.resource) && !isAtRest(decision);
  return Math.max(
    recent,
    rolling ? nowMs - situation.settings.poll.rolloutMs / 2 : 0,
    adoptsEdit(decision, situation) ? (editSeenMs ?? 0) : 0,
    guardsOthers(decision) ? overMs(situation, nowMs) : 0,
  );
}

/**
 * True if names of others hold secrets back. A look from within the window of our last write may still show names that
 * the write removed, and a person would be asked about secrets that are gone.
 */
function guardsOthers({ assessment }: Decided): boolean {
  const { withheld } = assessment?.secrets ?? {};
  return withheld !== undefined && GUARDS_OF_OTHERS.has(withheld.reason);
}

/** Returns the end of the window of our last write, or 0 while it lasts. */
function overMs({ resource, settings }: Basis, nowMs: number): number {
  const shownMs = writeShownMs(resource, settings);
  return shownMs <= nowMs ? shownMs : 0;
}

/** True for a plan whose request changes a deployment that exists. */
export function changesWhatIsThere({ kind }: Plan): boolean {
  return kind === 'patch' || kind === 'delete';
}

/** True for a change that a person requested by an edit, a rotated secret or an annotation; false for a correction. */
export function isAsked(plan: Plan): boolean {
  if (plan.kind === 'patch') return plan.cause !== 'drift' && plan.cause !== 'repair';
  return plan.kind === 'create' || plan.kind === 'delete';
}
