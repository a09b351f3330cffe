import { type DeploymentResource, observesOnly } from '../../api/deployment.ts';
import { waitForApproval } from '../plan/wait-for-approval.ts';
import { verdictDueMs, windowMs } from '../compare/assess.ts';
import type { Change } from '../compare/change.ts';
import { showsAnotherValue } from '../compare/shows-another-value.ts';
import { DEFAULTS } from '../connection/connection.ts';
import { untilNextLookMs } from '../external/until-next-look-ms.ts';
import { idsIn } from '../external/observation.ts';
import { type Plan, waiting } from '../plan/plan.ts';
import { deletePart, heldAfterRefusal } from '../plan/refusal.ts';
import { isBeingDeleted } from '../external/rollout.ts';
import type { Present, Situation } from '../plan/situation.ts';
import { minuteText } from '../../base/text-for-people.ts';

/** True for a resource that is being deleted. */
export function isDeleting({ metadata }: DeploymentResource): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** True if the deletion of the resource must delete the deployment too. */
export function ownsDeletion(resource: DeploymentResource): boolean {
  return resource.spec.deletionPolicy === 'Delete' && !observesOnly(resource);
}

/**
 * True while a creation may have made a deployment, or may still make one; also for a creation state from another
 * release.
 */
export function mayHaveCreated({ status }: Pick<DeploymentResource, 'status'>): boolean {
  const state = status?.creation?.state;
  return state !== undefined && state !== 'None' && state !== 'Done';
}

/** True for a resource whose deletion needs the service, and so its connection (R17). */
export function needsConnection(resource: DeploymentResource): boolean {
  return mayHaveCreated(resource) || (ownsDeletion(resource) && resource.status?.deploymentID !== undefined);
}

/** Returns the time from which the list must show an announced creation. */
export function creationDueMs({
  resource: { status },
  settings,
  foundMs,
}: Pick<Situation, 'resource' | 'settings' | 'foundMs'>): number {
  // A creation state from another release may have no time; then it counts as old.
  return (foundMs ?? (Date.parse(status?.creation?.time ?? '') || 0)) + windowMs(settings);
}

/** Releases a resource without a call if it created nothing, or if its deployment stays. */
export function nothingOwed(resource: DeploymentResource): Extract<Plan, { kind: 'release' }> | undefined {
  if (!isDeleting(resource) || needsConnection(resource)) return undefined;
  return { kind: 'release', message: 'the deployment stays at the service' };
}

/** Leaves a deployment that may have been created, but looks for it first, so that people learn about it. */
export function leaveWhatWasMade(s: Situation): Plan | undefined {
  const { resource, observation } = s;
  if (!isDeleting(resource) || ownsDeletion(resource)) return undefined;
  if (observation.kind === 'absent') return madeNothing(s);
  const ids = idsIn(observation);
  return { kind: 'release', message: `deployment ${ids.slice(0, 5).join(', ')} stays at the service` };
}

/** Releases a resource whose deployment is gone, as far as lists can prove it. */
export function gone(s: Situation): Plan | undefined {
  const { resource, observation, nowMs } = s;
  if (!isDeleting(resource)) return undefined;
  if (resource.status?.deploymentID === undefined) return madeNothing(s);
  if (observation.kind !== 'absent' || !observation.proven)
    return waiting('Deleting', unprovenText(observation), untilNextLookMs(observation, nowMs));
  // After an accepted deletion, the deployment may be missing. Any other absence may be a gap in two reads of the list
  // (H32).
  const leftMs = isDeletionAccepted(resource) ? 0 : leftUntilGoneMs(s, observation.beganMs);
  if (leftMs <= 0) return { kind: 'release', message: 'the deployment is gone from the service' };
  const message = 'the deployment is missing; looking again before it counts as gone';
  return waiting('Deleting', message, untilNextLookMs(observation, nowMs, leftMs));
}

/** Explains why a deployment that a list does not show is not gone yet. */
function unprovenText(observation: Situation['observation']): string {
  const why = observation.kind === 'absent' && !observation.proven ? observation.why : undefined;
  if (why === undefined) return 'waiting for a second read of the list without the deployment';
  return `the list does not show the deployment, which proves nothing (${why}); set deletionPolicy: Orphan to release the resource`;
}

/**
 * Returns how much later than a look at `lookedMs` another look must begin so that a bound deployment counts as gone if
 * both lack it: lists may skip deployments (N8), and may lag behind a creation until its window is over (H31).
 */
export function leftUntilGoneMs(
  { resource, settings }: Pick<Situation, 'resource' | 'settings'>,
  lookedMs: number,
): number {
  const since = resource.status?.missingSinceTime;
  const apartMs = DEFAULTS.consistencyWindowMs - (since === undefined ? 0 : lookedMs - Date.parse(since));
  return Math.max(apartMs, creationDueMs({ resource, settings }) - lookedMs);
}

/** True if the service has accepted the deletion: then it may no longer show the deployment. */
export function isDeletionAccepted({ status }: DeploymentResource): boolean {
  return status?.pendingWrite?.operation === 'Delete' && status.pendingWrite.accepted === true;
}

/** Releases a resource whose announced creation made nothing, when a list that must show it does not. */
function madeNothing(situation: Situation): Plan {
  const { observation, nowMs } = situation;
  const dueMs = creationDueMs(situation);
  if (observation.kind === 'absent' && observation.proven && observation.beganMs >= dueMs)
    return { kind: 'release', message: 'the announced creation made no deployment' };
  const message =
    'the outcome of a creation is unknown; the operator looks for the name until the list must show it';
  return waiting('Deleting', message, untilNextLookMs(observation, nowMs, dueMs - nowMs));
}

/**
 * Leaves a deployment that has the name of a creation without an answer, but not a value that the creation asked for:
 * somebody else made it. After an edit of the spec, the difference proves nothing.
 */
export function leaveWhatOthersMade({ resource, observed, assessment }: Present): Plan | undefined {
  const { metadata, status } = resource;
  if (!isDeleting(resource) || status?.deploymentID !== undefined) return undefined;
  const { accepted, generation } = status?.pendingWrite ?? {};
  // The API server counts the deletion as one more generation.
  const isEdited = generation === undefined || metadata.generation !== generation + 1;
  if (accepted === true || isEdited) return undefined;
  const differs = assessment.judgements.find(showsAnotherValue);
  if (differs === undefined) return undefined;
  const message = `deployment ${observed.id} stays at the service: it has the name, but not the ${differs.desired.field.path} that the announced creation asked for`;
  return { kind: 'release', message };
}

/** Deletes a deployment that the service still has. */
export function remove(present: Present): Plan | undefined {
  const { resource, observed } = present;
  if (!isDeleting(resource)) return undefined;
  if (isBeingDeleted(observed))
    return waiting('Deleting', 'the service is deleting the deployment', lookAgainMs(present));
  const asked = untilAskedAgain(present);
  if (asked !== undefined) return asked;
  const attempts = attemptsOf(resource);
  const change: Change = { path: 'metadata', from: observed.id, to: '(deleted)', revision: 'None' };
  return (
    heldAfterRefusal(present, { bodyPart: deletePart(present.digests), changes: [change] }) ??
    waitForApproval(present, ['delete', observed.id], [change]) ?? {
      kind: 'delete',
      id: observed.id,
      ...(attempts >= DELETIONS ? { inVain: inVain(attempts) } : {}),
    }
  );
}

/** The number of requests to delete without effect after which a person has to look. */
const DELETIONS = 4;

/**
 * Delays the repetition of a deletion that was answered, or may have arrived: until its window is over, and longer each
 * time if the deployment stays. The reason reports this from the fourth request on; the operator continues twice an
 * hour.
 */
function untilAskedAgain(present: Present): Plan | undefined {
  const { resource, settings, nowMs, foundMs } = present;
  const { pendingWrite } = resource.status ?? {};
  if (pendingWrite?.operation !== 'Delete') return undefined;
  const { attempt } = pendingWrite;
  const window = windowMs(settings);
  const dueMs = verdictDueMs(resource, settings, foundMs);
  const delayMs = Math.min(window * 2 ** Math.min(attempt - 1, 16), DEFAULTS.heldAfterRejectionMs) - window;
  const leftMs = dueMs + delayMs - nowMs;
  if (leftMs <= 0) return undefined;
  const againInMs = Math.min(leftMs, lookAgainMs(present));
  if (attempt < DELETIONS || (attempt === DELETIONS && nowMs < dueMs)) {
    return waiting(
      'Deleting',
      'the operator asked for the deletion; the list still shows the deployment',
      againInMs,
    );
  }
  const message = `${inVain(attempt)}; the operator asks again at ${minuteText(nowMs + leftMs)}`;
  return { kind: 'blocked', reason: 'DeleteNotSupported', message, againInMs };
}

/** Returns the number of requests to delete so far. */
function attemptsOf({ status }: DeploymentResource): number {
  return status?.pendingWrite?.operation === 'Delete' ? status.pendingWrite.attempt : 0;
}

function inVain(attempts: number): string {
  return `the operator asked for the deletion ${attempts} times, and the service still has the deployment; set deletionPolicy: Orphan to release it`;
}

/** Returns the time until the next look for a deleted deployment: short at first, later the poll interval. */
function lookAgainMs({ resource, settings, nowMs }: Present): number {
  const sinceMs = Date.parse(resource.metadata.deletionTimestamp ?? '') || 0;
  const { poll } = settings;
  return nowMs - sinceMs < 2 * windowMs(settings)
    ? Math.min(poll.rolloutMs, DELETION_LOOK_MS)
    : poll.intervalMs;
}

/** The interval between looks soon after the request to delete. */
const DELETION_LOOK_MS = 5_000;
