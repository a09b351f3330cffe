import { annotation, type DeploymentResource } from '../../api/deployment.ts';
import { ABSENT } from './absence.ts';
import { assess, type Assessment, verdictDueMs } from '../compare/assess.ts';
import { bindingProblem, nameProblem } from './binding.ts';
import type { ConnectionSettings } from '../connection/connection.ts';
import { firstMatch, type Row } from './decision-table.ts';
import { isDeleting, leaveWhatWasMade, nothingOwed, remove } from './deletion.ts';
import { ownedByAnother } from './ownership.ts';
import { type Plan, waiting } from '../plan/plan-kinds.ts';
import { proposePatch } from '../patch/proposal.ts';
import { inSyncMessage } from '../compare/change.ts';
import { unseenOmissions } from './open-omissions.ts';
import { missingProviders } from './provider-problem.ts';
import { isBeingDeleted } from '../external/rollout.ts';
import type { Present, Situation } from '../plan/situation.ts';
import { specProblem } from '../desired/spec-problem.ts';

/** A plan, and the comparison it rests on where there was one. */
export interface Decided {
  readonly plan: Plan;
  readonly assessment?: Assessment;
}

type Blocked = Extract<Plan, { kind: 'blocked' }>;
type Early = Extract<Plan, { kind: 'held' | 'release' | 'blocked' }>;

/** Decided before connecting, so that a missing connection cannot hold up deletion. First match wins. */
const BEFORE_CONNECTING: readonly Row<DeploymentResource, Early>[] = [
  { situation: 'paused', plan: paused },
  { situation: 'deleting, and we keep or never owned the outside thing', plan: nothingOwed },
  { situation: 'too large to be read', plan: tooLarge },
];

/** Decided before comparing: what such a deployment is made of is not this namespace's to know. */
const BEFORE_COMPARING: readonly Row<Situation, Plan>[] = [
  { situation: 'deleting, and what was made stays', plan: leaveWhatWasMade },
  { situation: 'the connection does not allow the name', plan: nameProblem },
];

/**
 * The decision table for a deployment that exists, in the order of the reasons (docs/conditions.md). First match
 * wins. What must not be deleted comes before the row that deletes.
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
  { situation: 'deleting, and the service still has it', plan: remove },
  { situation: 'something that the spec requires is missing', plan: missingProviders },
  { situation: 'anything that differs', plan: proposePatch },
  { situation: 'what our write left out is not shown after it', plan: unseenOmissions },
  { situation: 'same', plan: nothing },
];

/** The part of the decision that needs no connection. */
export function planBeforeConnecting(resource: DeploymentResource): Early | undefined {
  return firstMatch(BEFORE_CONNECTING, resource);
}

/** The part of the decision that needs the settings of the connection, and no call (H28). */
export function planBeforeLooking(
  resource: DeploymentResource,
  settings: ConnectionSettings,
): Blocked | undefined {
  if (isDeleting(resource)) return undefined;
  const message = specProblem(resource.spec, settings.edition);
  return message === undefined ? undefined : { kind: 'blocked', reason: 'InvalidSpec', message };
}

/** Turns everything known into one plan. */
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
  return { kind: 'held', message: 'paused by annotation; deletion is held up too' };
}

/** One that is being deleted goes on: what that needs to know was read. */
function tooLarge(resource: DeploymentResource): Early | undefined {
  if (resource.tooLarge === undefined || isDeleting(resource)) return undefined;
  const message = `${resource.tooLarge}; nothing is sent, and what it is bound to stays as it is`;
  return { kind: 'blocked', reason: 'InvalidSpec', message };
}

function outcomeUnknown({ assessment, resource, settings, nowMs, foundMs }: Present): Plan | undefined {
  if (assessment.evidence.kind !== 'unknown') return undefined;
  const message = 'a write was announced and no read has shown yet whether it was applied';
  return waiting('OutcomeUnknown', message, Math.max(500, verdictDueMs(resource, settings, foundMs) - nowMs));
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
