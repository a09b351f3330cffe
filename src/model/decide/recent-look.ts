import { annotation, type DeploymentResource, reportsDrift } from '../../api/deployment.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { leftOutBy } from '../effects/untouched.ts';
import type { Decided } from './make-plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { Situation } from '../plan/situation.ts';

/** The facts that decide how recent the look behind a decision must be. */
type Basis = Pick<Situation, 'resource' | 'settings' | 'learned' | 'pioneers' | 'observation'>;

/**
 * Returns the maximum age, in milliseconds, of a read on which a body with values of other writers is sent.
 */
export function recentMs({ poll }: Pick<ConnectionSettings, 'poll'>): number {
  return poll.rolloutMs / 2;
}

/** True where a sweep of two calls would be too old for a write by the time when that has its permit. */
export function permitsAreRare(settings: Pick<ConnectionSettings, 'poll' | 'rateLimit'>): boolean {
  return 2 * apartMs(settings) > recentMs(settings);
}

function apartMs({ rateLimit }: Pick<ConnectionSettings, 'rateLimit'>): number {
  return 1000 / rateLimit.requestsPerSecond;
}

/**
 * True for a PATCH with values of other people as the look shows them: a block that is sent whole, a full body,
 * values that a repair puts back or that may have to be put back after a first write, and a revision block that a
 * redeploy repeats or whose drift is only reported. With an old look it would undo changes that somebody made since
 * (H2, H3, N1).
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
 * True if a field of an edit counts as applied already: the look may be older than the edit, and somebody may have
 * changed the field between the two. A first bind adopts the shown values, unless later changes are only reported.
 */
function adoptsEdit({ assessment }: Decided, { resource }: Pick<Basis, 'resource'>): boolean {
  if (resource.status?.applied === undefined && !reportsDrift(resource)) return false;
  if (assessment?.secrets.goneAlready === true) return true;
  return (assessment?.judgements ?? []).some(
    ({ verdict, digests }) => verdict === 'adopt' && digests.applied !== digests.desired,
  );
}

/** The text in reconcile-at that no pass has dealt with; one that was there at first sight asks for nothing. */
export function askedLook(resource: DeploymentResource): string | undefined {
  const asked = annotation(resource, 'reconcileAt');
  const { applied, lastHandledReconcileAt } = resource.status ?? {};
  return applied === undefined || asked === lastHandledReconcileAt ? undefined : asked;
}

/** A decision that is checked again when there is a permit for its write. */
export interface WaitingDecision extends Decided {
  readonly situation: Basis;
  /** The time of the decision. */
  readonly decidedMs: number;
  /** The look it rests on shows the service as of then. */
  readonly asOfMs: number;
  /** The look began for this decision, so that a new one would show nothing newer. */
  readonly ownLook: boolean;
}

/** Permits are a little less far apart than the rate says, but no two of them fit into so many times that span. */
const LATE_BY = 1.5;

/**
 * Whether a decision still holds when its permit arrives: under the current settings, and on a read recent
 * enough for the values that go along, of which no page has shown others since. If permits are rarer than that, it holds until the next permit after
 * its own read.
 */
export function holdsStill(
  decision: WaitingDecision,
  now: {
    readonly settings: ConnectionSettings;
    readonly nowMs: number;
    /** A list that is being read has shown the deployment otherwise since a moment. */
    readonly movedSince: (ms: number) => boolean;
  },
): boolean {
  const { situation, decidedMs, asOfMs, ownLook } = decision;
  if (now.settings !== situation.settings) return false;
  const carries = carriesOthers(decision, situation);
  if (carries && now.movedSince(asOfMs)) return false;
  const mostMs = recentMs(now.settings);
  if (ownLook) {
    return now.nowMs - decidedMs <= Math.max(mostMs, LATE_BY * apartMs(now.settings));
  }
  return now.nowMs - (carries ? asOfMs : decidedMs) <= mostMs;
}

/** True while the rollout of the newest revision is followed: a look that shows its end may be that of anybody. */
export function isRolling({ metadata, status }: DeploymentResource): boolean {
  return metadata.deletionTimestamp === undefined && status?.latestRevisionID !== status?.activeRevisionID;
}

/** True if a look shows that everything is finished, or that there is nothing to watch. */
function isAtRest({ plan, assessment, situation }: WaitingDecision): boolean {
  if (situation.observation.kind !== 'present') return true;
  return plan.kind === 'nothing' && plan.reason === 'InSync' && assessment?.rollout.rolling !== true;
}

/** Returns the time since which the look of a decision must have begun; 0 if any look is enough. */
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
    rolling ? nowMs - recentMs(situation.settings) : 0,
    adoptsEdit(decision, situation) ? (editSeenMs ?? 0) : 0,
  );
}

/** True for a plan whose request changes a deployment that exists. */
export function changesWhatIsThere({ kind }: Plan): boolean {
  return kind === 'patch' || kind === 'delete';
}

/**
 * True for a change that a person requested, by an edit, a rotated secret or an annotation, and not for a
 * correction.
 */
export function isAsked(plan: Plan): boolean {
  if (plan.kind === 'patch') return plan.cause !== 'drift' && plan.cause !== 'repair';
  return plan.kind === 'create' || plan.kind === 'delete';
}
