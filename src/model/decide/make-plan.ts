import { annotation, type DeploymentResource } from '../../api/deployment.ts';
import { assess, type Assessment, verdictDueMs, windowMs } from '../compare/assess.ts';
import {
  bindingProblem,
  connectionProblem,
  nameProblem,
  ownedByAnother,
  referenceProblem,
} from './binding.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import {
  gone,
  isDeleting,
  isDeletionAccepted,
  leaveWhatOthersMade,
  leaveWhatWasMade,
  leftUntilGoneMs,
  nothingOwed,
  remove,
} from './deletion.ts';
import { type Plan, waiting } from '../plan/plan.ts';
import { proposePatch } from '../patch/propose-patch.ts';
import { inSyncMessage } from '../compare/change.ts';
import { onlyAnswered } from './only-answered.ts';
import { unseenOmissions } from './unseen-omissions.ts';
import {
  create,
  createPending,
  madeByAnother,
  missingBeforeCreation,
  missingProviders,
  nameInUse,
  noRoomToCreate,
  notListedYet,
} from './creation.ts';
import { isBeingDeleted } from '../external/rollout.ts';
import type { Present, Situation } from '../plan/situation.ts';
import { specProblem } from '../desired/spec-problem.ts';
import { identityOf } from '../desired/desired-deployment.ts';
import { isOfOthers } from '../external/doubt.ts';
import { untilNextLookMs } from '../external/until-next-look-ms.ts';

/**
 * The decision table for a deployment that the service does not show. The first match wins; the last row always
 * matches.
 */
export const ABSENT: readonly Row<Situation, Plan>[] = [
  { situation: 'several carry the name', plan: ambiguous },
  { situation: 'in the list, and not to be read', plan: unreadable },
  { situation: 'not looked for where it was bound', plan: elsewhere },
  { situation: 'nothing of the tenant it was bound in is shown', plan: ofOthers },
  { situation: 'another connection may lead to another tenant', plan: throughAnother },
  { situation: 'deleting, and it is gone', plan: gone },
  { situation: 'a creation was announced and its result is unknown', plan: createPending },
  { situation: 'absent, and a single look is not enough', plan: notVisibleYet },
  {
    situation: 'gone, and the resource means another one by now',
    plan: ({ resource }) => referenceProblem(resource),
  },
  { situation: 'gone, to be made again, and its name is in use', plan: nameInUse },
  { situation: 'made, and never listed since', plan: notListedYet },
  { situation: 'absent, and something that the spec requires is missing', plan: missingBeforeCreation },
  { situation: 'to be made again, too often', plan: noRoomToCreate },
  { situation: 'to be made, and another resource has just asked for it', plan: madeByAnother },
  { situation: 'absent, and creation is asked for', plan: create },
  { situation: 'absent, and not ours to create', plan: notFound },
];

function ambiguous({ observation }: Situation): Plan | undefined {
  if (observation.kind !== 'ambiguous') return undefined;
  const ids = observation.ids.slice(0, 5).join(', ');
  return {
    kind: 'blocked',
    reason: 'AmbiguousName',
    message: `several deployments carry this name (${ids}); set spec.deploymentRef.id`,
  };
}

/**
 * Blocks on an unreadable item: it exists, so nothing is created; its content is unknown, so nothing is written (R7).
 */
function unreadable({ resource, observation }: Situation): Plan | undefined {
  if (observation.kind !== 'unreadable') return undefined;
  const what = `the list shows deployment ${observation.item}, which cannot be read: ${observation.problem}`;
  if (isDeleting(resource)) {
    const message = `${what}; the operator deletes it only when it can read it; deletionPolicy: Orphan releases it`;
    return waiting('Deleting', message);
  }
  return {
    kind: 'blocked',
    reason: 'Unreadable',
    message: `${what}; the operator sends nothing before it can read it`,
  };
}

/**
 * Blocks if the connection leads to another address: there a missing pinned id proves nothing, least of all a deletion
 * (H27).
 */
function elsewhere({ resource, settings }: Situation): Plan | undefined {
  return isBoundOne(resource) ? connectionProblem(resource, undefined, settings) : undefined;
}

/** True if a resource still means the deployment that it is bound to. */
function isBoundOne(resource: DeploymentResource): boolean {
  const identity = identityOf(resource);
  return identity.by === 'id' && identity.id === resource.status?.deploymentID;
}

/**
 * Blocks if the list shows only other tenants: a missing pinned id then proves nothing either. The deployment does not
 * count as gone, is not created again, and its deletion is not confirmed unless the service itself has accepted it
 * (R14).
 */
function ofOthers({ resource, observation }: Situation): Plan | undefined {
  const tenantID = resource.status?.binding?.tenantID;
  if (observation.kind !== 'absent' || observation.tenants === undefined || tenantID === undefined)
    return undefined;
  if (!isOfOthers(observation.tenants, tenantID) || isDeletionAccepted(resource)) return undefined;
  const message = `the deployment was bound in tenant ${tenantID}, and the list shows only deployments of other tenants; it does not count as gone`;
  return { kind: 'blocked', reason: 'TenantChanged', message };
}

/**
 * Blocks if another connection has never shown the deployment, unless its list shows the tenant in which the deployment was
 * bound: its credential may belong to another tenant, so a missing id proves nothing.
 */
function throughAnother({ resource, observation, settings }: Situation): Plan | undefined {
  const { binding } = resource.status ?? {};
  const { kind, name } = settings.name;
  if (binding === undefined || !isBoundOne(resource)) return undefined;
  if (binding.connectionKind === kind && binding.connectionName === name) return undefined;
  const isShown =
    observation.kind === 'absent' && observation.tenants?.known.has(binding.tenantID ?? '') === true;
  if (isShown || isDeletionAccepted(resource)) return undefined;
  const message = `the deployment was bound through ${binding.connectionKind} ${binding.connectionName}, and ${kind} ${name} does not show it; it does not count as gone; restore spec.connectionRef, or write another id into spec.deploymentRef`;
  return { kind: 'blocked', reason: 'ConnectionChanged', message };
}

/**
 * Waits, since one look proves nothing: a bound deployment must be missing from two looks one window apart, any other
 * from two reads of the list (N8, H32).
 */
function notVisibleYet(situation: Situation): Plan | undefined {
  const { resource, observation, nowMs } = situation;
  if (observation.kind !== 'absent' || !observation.proven) {
    const why = observation.kind === 'absent' ? observation.why : undefined;
    const proof = why === undefined ? '' : `, which proves nothing (${why})`;
    const message = `the last read of the list did not show the deployment${proof}; looking once more`;
    return waiting('NotVisibleYet', message, untilNextLookMs(observation, nowMs));
  }
  if (resource.status?.deploymentID === undefined) return undefined;
  const leftMs = leftUntilGoneMs(situation, observation.beganMs);
  if (leftMs <= 0) return undefined;
  const message = 'the bound deployment is missing from the list; looking again before it counts as gone';
  return waiting('NotVisibleYet', message, untilNextLookMs(observation, nowMs, leftMs));
}

function notFound({ resource }: Situation): Plan {
  const { status, spec } = resource;
  const message =
    status?.deploymentID === undefined
      ? `the service has no deployment with the name or id of this resource; spec.creation.policy is ${spec.creation?.policy ?? 'Never'}`
      : `deployment ${status.deploymentID} is gone from the service; write another id into spec.deploymentRef, or set spec.creation.recreate. Its name, or the tracing project of that name, may still be taken`;
  return { kind: 'blocked', reason: 'NotFound', message };
}

/** One row of a decision table: it returns a plan, or undefined if it does not apply. */
export interface Row<S, P> {
  readonly situation: string;
  readonly plan: (s: S) => P | undefined;
}

/** Returns the answer of the first row that applies. */
export function firstMatch<S, P>(rows: readonly Row<S, P>[], situation: S): P | undefined {
  for (const { plan } of rows) {
    const match = plan(situation);
    if (match !== undefined) return match;
  }
  return undefined;
}

/** A plan, and the comparison behind it, if any. */
export interface Decided {
  readonly plan: Plan;
  readonly assessment?: Assessment;
}

type Blocked = Extract<Plan, { kind: 'blocked' }>;
type Early = Extract<Plan, { kind: 'held' | 'release' | 'blocked' }>;

/**
 * The rows that apply before connecting, so that a missing connection cannot block a deletion. The first match wins.
 */
const BEFORE_CONNECTING: readonly Row<DeploymentResource, Early>[] = [
  { situation: 'paused', plan: paused },
  { situation: 'deleting, and we keep or never owned the outside thing', plan: nothingOwed },
  { situation: 'too large to be read', plan: tooLarge },
];

/**
 * The rows that apply before comparing: a look in doubt shows nothing yet, and this namespace may not learn the content
 * of a deployment that it may not bind.
 */
const BEFORE_COMPARING: readonly Row<Situation, Plan>[] = [
  { situation: 'the look may show an older state than the last one', plan: doubted },
  { situation: 'deleting, and what was made stays', plan: leaveWhatWasMade },
  { situation: 'the connection does not allow the name', plan: nameProblem },
];

/**
 * The decision table for a deployment that exists, in the order of the reasons (docs/conditions.md). The first match
 * wins. The rows that forbid a deletion come before the row that deletes.
 */
const PRESENT: readonly Row<Present, Plan>[] = [
  {
    situation: 'deleting, and another resource owns the deployment',
    plan: (present) => (isDeleting(present.resource) ? ownedByAnother(present) : undefined),
  },
  { situation: 'being deleted at the service', plan: beingDeleted },
  {
    situation: 'what is pinned differs',
    plan: ({ resource, observed, settings }) => bindingProblem(resource, observed, settings),
  },
  { situation: 'another resource owns the deployment', plan: ownedByAnother },
  { situation: 'a write was announced and its result is unknown', plan: outcomeUnknown },
  { situation: 'deleting, and somebody else made what has the name', plan: leaveWhatOthersMade },
  { situation: 'deleting, and the service still has it', plan: remove },
  { situation: 'something that the spec requires is missing', plan: missingProviders },
  { situation: 'anything that differs', plan: proposePatch },
  { situation: 'what our write left out is not shown after it', plan: unseenOmissions },
  { situation: 'what was corrected in vain before is only answered', plan: onlyAnswered },
  { situation: 'same', plan: nothing },
];

/** Returns the part of the decision that needs no connection. */
export function planBeforeConnecting(resource: DeploymentResource): Early | undefined {
  return firstMatch(BEFORE_CONNECTING, resource);
}

/** Returns the part of the decision that needs the settings of the connection but no call (H28). */
export function planBeforeLooking(
  resource: DeploymentResource,
  settings: ConnectionSettings,
): Blocked | undefined {
  if (isDeleting(resource)) return undefined;
  const message = specProblem(resource.spec, settings.edition);
  return message === undefined ? undefined : { kind: 'blocked', reason: 'InvalidSpec', message };
}

/** Decides: turns a situation into one plan. */
export function makePlan(situation: Situation): Decided {
  const { observation } = situation;
  const early = firstMatch(BEFORE_COMPARING, situation);
  if (early !== undefined) return { plan: early };
  if (observation.kind !== 'present') return { plan: firstMatch(ABSENT, situation) ?? unreachable() };
  const observed = observation.deployment;
  const assessment = assess({ ...situation, observed, beganMs: observation.beganMs, via: observation.via });
  const present = { ...situation, observed, assessment };
  return { plan: firstMatch(PRESENT, present) ?? unreachable(), assessment };
}

function unreachable(): never {
  throw new Error('the last row of a decision table always applies');
}

function paused(resource: DeploymentResource): Early | undefined {
  if (annotation(resource, 'paused') !== 'true') return undefined;
  return { kind: 'held', message: 'paused by annotation; a deletion waits too' };
}

/**
 * Blocks a resource that is too large to be read. A deletion continues, since the parts that it needs could be read.
 */
function tooLarge(resource: DeploymentResource): Early | undefined {
  if (resource.tooLarge === undefined || isDeleting(resource)) return undefined;
  const message = `${resource.tooLarge}; the operator sends nothing, and the bound deployment stays as it is`;
  return { kind: 'blocked', reason: 'InvalidSpec', message };
}

function doubted({ doubtMs, settings }: Situation): Plan | undefined {
  if (doubtMs === undefined) return undefined;
  return { kind: 'postponed', againInMs: Math.min(doubtMs, settings.poll.rolloutMs), rotation: false };
}

function outcomeUnknown({ assessment, resource, settings, nowMs, foundMs }: Present): Plan | undefined {
  if (assessment.evidence.kind !== 'unknown') return undefined;
  const message = 'the outcome of a write is unknown; no read has shown yet whether the service applied it';
  const dueMs = verdictDueMs(resource, settings, foundMs);
  // A read in the middle of the window helps if lists lag by a number of reads instead of a time (N30).
  const middleMs = dueMs - windowMs(settings) / 2;
  return waiting('OutcomeUnknown', message, Math.max(500, (nowMs < middleMs ? middleMs : dueMs) - nowMs));
}

function beingDeleted({ resource, observed }: Present): Plan | undefined {
  if (isDeleting(resource) || !isBeingDeleted(observed)) return undefined;
  const message = `the service shows state ${observed.serviceStatus?.slice(0, 64)}; nothing is written`;
  return { kind: 'blocked', reason: 'BeingDeleted', message };
}

function nothing({ assessment }: Present): Plan {
  const message = inSyncMessage(assessment.judgements);
  return { kind: 'nothing', reason: 'InSync', message, changes: [], withheld: [] };
}
