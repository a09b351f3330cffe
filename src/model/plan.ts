import { annotation, type DeploymentResource } from '../api/deployment.ts';
import { assess, type Assessment, verdictDueMs, windowMs } from './assess.ts';
import { bindingProblem, nameProblem } from './binding.ts';
import { waitForApproval } from './approval.ts';
import type { Change } from './change.ts';
import { DEFAULTS } from './connection.ts';
import { declaredName } from './desired.ts';
import { createBody, createDigest } from './create-body.ts';
import { proposePatch } from './proposal.ts';
import { missingProviders } from './provider-problem.ts';
import { ownedByAnother } from './ownership.ts';
import type { Plan } from './plan-kinds.ts';
import { heldAfterRefusal } from './refusal.ts';
import { isBeingDeleted } from './rollout.ts';
import type { Present, Situation } from './situation.ts';
import { specProblem } from './spec-problem.ts';

/** A plan, and the comparison it rests on where there was one. */
export interface Decided {
  readonly plan: Plan;
  readonly assessment?: Assessment;
}

/** One row of the decision table: a plan, or nothing when the row does not apply. */
interface Row<S> {
  readonly situation: string;
  readonly plan: (s: S) => Plan | undefined;
}

/** Decided before connecting, so that a missing connection cannot hold up deletion. First match wins. */
const BEFORE_CONNECTING: readonly Row<DeploymentResource>[] = [
  { situation: 'paused', plan: paused },
  { situation: 'deleting, and we keep or never owned the outside thing', plan: nothingOwed },
];

/** Decided before comparing: what such a deployment is made of is not this namespace's to know. */
const BEFORE_COMPARING: readonly Row<Situation>[] = [
  { situation: 'the connection does not allow the name', plan: nameProblem },
];

/** A creation whose result never shows is asked for once more, and then a person has to look (H40). */
const CREATIONS = 2;

/** The decision table for a deployment that the service does not show. First match wins. */
const ABSENT: readonly Row<Situation>[] = [
  { situation: 'several carry the name', plan: ambiguous },
  { situation: 'deleting, and it is gone', plan: gone },
  { situation: 'the spec contradicts itself or the connection', plan: invalid },
  { situation: 'a creation was announced and its result is unknown', plan: createPending },
  { situation: 'absent, and a single look is not enough', plan: notVisibleYet },
  { situation: 'absent, and something that the spec requires is missing', plan: missingBeforeCreation },
  { situation: 'absent, and creation is asked for', plan: create },
  { situation: 'absent, and not ours to create', plan: notFound },
];

/** The decision table for a deployment that exists. First match wins. */
const PRESENT: readonly Row<Present>[] = [
  { situation: 'another resource owns the deployment', plan: ownedByAnother },
  {
    situation: 'what is pinned differs',
    plan: ({ resource, observed, settings }) => bindingProblem(resource, observed, settings),
  },
  { situation: 'a write was announced and its result is unknown', plan: outcomeUnknown },
  { situation: 'deleting, and the service still has it', plan: remove },
  { situation: 'the spec contradicts itself or the connection', plan: invalid },
  { situation: 'being deleted at the service', plan: beingDeleted },
  { situation: 'something that the spec requires is missing', plan: missingProviders },
  { situation: 'anything that differs', plan: proposePatch },
  { situation: 'same', plan: nothing },
];

/** The part of the decision that needs no connection. */
export function planBeforeConnecting(resource: DeploymentResource): Plan | undefined {
  return firstMatch(BEFORE_CONNECTING, resource);
}

/** Turns everything known into one plan. */
export function makePlan(situation: Situation): Decided {
  const { observation } = situation;
  const early = firstMatch(BEFORE_COMPARING, situation);
  if (early !== undefined) return { plan: early };
  if (observation.kind !== 'present') return { plan: firstMatch(ABSENT, situation) ?? unreachable() };
  const observed = observation.deployment;
  const assessment = assess({ ...situation, observed, beganMs: observation.beganMs });
  const present = { ...situation, observed, assessment };
  return { plan: firstMatch(PRESENT, present) ?? unreachable(), assessment };
}

function firstMatch<S>(rows: readonly Row<S>[], situation: S): Plan | undefined {
  for (const row of rows) {
    const plan = row.plan(situation);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

function unreachable(): never {
  throw new Error('the last row of a decision table always applies');
}

function paused(resource: DeploymentResource): Plan | undefined {
  if (annotation(resource, 'paused') !== 'true') return undefined;
  return { kind: 'held', message: 'paused by annotation; deletion is held up too' };
}

function isDeleting(resource: DeploymentResource): boolean {
  return resource.metadata.deletionTimestamp !== undefined;
}

/** True when removing the resource must remove the deployment too. */
export function ownsDeletion(resource: DeploymentResource): boolean {
  return (
    resource.spec.deletionPolicy === 'Delete' && (resource.spec.managementPolicy ?? 'Manage') === 'Manage'
  );
}

function nothingOwed(resource: DeploymentResource): Plan | undefined {
  if (!isDeleting(resource)) return undefined;
  const mayHaveCreated = resource.status?.creation?.state === 'Pending';
  if (ownsDeletion(resource) && (resource.status?.deploymentID !== undefined || mayHaveCreated))
    return undefined;
  return { kind: 'release', message: 'the deployment stays at the service' };
}

function ambiguous({ observation }: Situation): Plan | undefined {
  if (observation.kind !== 'ambiguous') return undefined;
  const ids = observation.ids.slice(0, 5).join(', ');
  return {
    kind: 'blocked',
    reason: 'AmbiguousName',
    message: `several deployments carry this name (${ids}); set spec.deploymentRef.id`,
  };
}

function gone({ resource, observation }: Situation): Plan | undefined {
  if (!isDeleting(resource)) return undefined;
  if (observation.kind === 'absent' && observation.proven) {
    return { kind: 'release', message: 'the deployment is gone from the service' };
  }
  return waiting('Deleting', 'waiting for a second list pass without the deployment', 1_000);
}

function invalid({ resource, settings }: Situation): Plan | undefined {
  const problem = specProblem(resource.spec, settings.edition);
  return problem === undefined ? undefined : { kind: 'blocked', reason: 'InvalidSpec', message: problem };
}

function createPending(s: Situation): Plan | undefined {
  const { creation } = s.resource.status ?? {};
  if (creation?.state !== 'Pending' || s.resource.status?.deploymentID !== undefined) return undefined;
  const dueMs = Date.parse(creation.time ?? '') + windowMs(s.settings);
  if (s.observation.beganMs >= dueMs && provenAbsent(s)) {
    if ((s.resource.status?.pendingWrite?.attempt ?? 1) < CREATIONS) return undefined;
    const message = `asked for ${CREATIONS} times, and no list shows it; reconcile-at, or a new generation, asks again`;
    return waiting('CreatePending', message, DEFAULTS.heldAfterRejectionMs);
  }
  const message = 'a creation was announced; looking for the name until the list must show it';
  return waiting('CreatePending', message, Math.max(1_000, dueMs - s.nowMs));
}

/** One look proves nothing: a bound deployment must be missing one window apart, any other in two passes (N8, H32). */
function notVisibleYet(s: Situation): Plan | undefined {
  if (!provenAbsent(s))
    return waiting('NotVisibleYet', 'not in the last list pass; looking once more', 1_000);
  if (s.resource.status?.deploymentID === undefined) return undefined;
  const since = s.resource.status.conditions?.find(
    (c) => c.type === 'Synced' && ['NotVisibleYet', 'NotFound'].includes(c.reason),
  )?.lastTransitionTime;
  const missing = since === undefined ? 0 : s.nowMs - Date.parse(since);
  if (since !== undefined && missing >= DEFAULTS.consistencyWindowMs) return undefined;
  const message = 'the bound deployment is missing from the list; looking again before it counts as gone';
  return waiting('NotVisibleYet', message, DEFAULTS.consistencyWindowMs - missing);
}

function provenAbsent({ observation }: Situation): boolean {
  return observation.kind === 'absent' && observation.proven;
}

/** True when a deployment that is not there is to be made. */
export function wantsCreation({ spec, status }: DeploymentResource): boolean {
  if (spec.creation?.policy !== 'IfMissing' || spec.managementPolicy === 'Observe') return false;
  return status?.deploymentID === undefined || spec.creation.recreate === true;
}

function missingBeforeCreation(s: Situation): Plan | undefined {
  if (!wantsCreation(s.resource)) return undefined;
  const { repository } = s.resource.spec;
  if (typeof s.repository === 'string' && repository !== undefined) {
    const what = `${repository.owner}/${repository.name}`;
    const where = s.repository === 'missing' ? '' : ' on its first page; further ones (Link) are not read';
    const message = `integration ${repository.integrationID} does not list repository ${what}${where}`;
    return waiting('RepositoryNotFound', message, DEFAULTS.authRetryMs);
  }
  return missingProviders(s);
}

function create(s: Situation): Plan | undefined {
  if (!wantsCreation(s.resource)) return undefined;
  if (s.desired.secrets.kind === 'missing') {
    const what = s.desired.secrets.what.join(', ');
    return waiting('SecretMissing', `not created until it exists: ${what}`);
  }
  const bodyDigest = createDigest(s.digests);
  const name = declaredName(s.resource);
  const created: Change = {
    path: 'metadata',
    from: '(absent)',
    to: `created as ${name}`,
    revision: 'Expected',
  };
  return (
    waitForApproval(s, ['create', s.desired.source], [created]) ??
    heldAfterRefusal(s, { bodyDigest, changes: [] }) ?? {
      kind: 'create',
      body: createBody(s.resource, s.desired, s.repository),
    }
  );
}

function notFound({ resource }: Situation): Plan {
  const { status, spec } = resource;
  const message =
    status?.deploymentID === undefined
      ? `no deployment of the service is named or identified by this resource; spec.creation.policy is ${spec.creation?.policy ?? 'Never'}`
      : `deployment ${status.deploymentID} is gone from the service; write another id into spec.deploymentRef, or set spec.creation.recreate`;
  return { kind: 'blocked', reason: 'NotFound', message };
}

function outcomeUnknown({ assessment, resource, settings, nowMs }: Present): Plan | undefined {
  if (assessment.evidence.kind !== 'unknown') return undefined;
  const message = 'a write was announced and no read has shown yet whether it was applied';
  return waiting('OutcomeUnknown', message, Math.max(500, verdictDueMs(resource, settings) - nowMs));
}

function remove(present: Present): Plan | undefined {
  const { resource, observed, settings, nowMs } = present;
  if (!isDeleting(resource)) return undefined;
  if (isBeingDeleted(observed)) return waiting('Deleting', 'the service is deleting the deployment', 5_000);
  const { pendingWrite } = resource.status ?? {};
  if (pendingWrite?.operation === 'Delete' && nowMs < verdictDueMs(resource, settings)) {
    return waiting('Deleting', 'deletion was asked for; the list may still show the deployment', 5_000);
  }
  const change: Change = { path: 'metadata', from: observed.id, to: '(deleted)', revision: 'None' };
  return waitForApproval(present, ['delete', observed.id], [change]) ?? { kind: 'delete', id: observed.id };
}

function beingDeleted({ observed }: Present): Plan | undefined {
  if (!isBeingDeleted(observed)) return undefined;
  const message = `the service shows state ${observed.serviceStatus?.slice(0, 64)}; nothing is written`;
  return { kind: 'blocked', reason: 'BeingDeleted', message };
}

function nothing(): Plan {
  return {
    kind: 'nothing',
    reason: 'InSync',
    message: 'the service shows what the spec asks for',
    changes: [],
    withheld: [],
  };
}

function waiting(
  reason: Extract<Plan, { kind: 'wait' }>['reason'],
  message: string,
  againInMs?: number,
): Plan {
  return { kind: 'wait', reason, message, ...(againInMs === undefined ? {} : { againInMs }) };
}
