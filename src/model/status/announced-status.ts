import { defined } from '../../base/defined.ts';
import {
  annotation,
  ANNOTATIONS,
  type DeploymentResource,
  type DeploymentStatus,
} from '../../api/deployment.ts';
import type { Digests, KeyedHashes } from '../recorded/digests.ts';
import { bounded, withoutDeployment } from './forgetting.ts';
import { budgetOf, newGenerationOf, revisionsPerHour, spend } from '../plan/budget.ts';
import { conditionsFor } from './conditions-for.ts';
import { requestDigest } from '../compare/evidence.ts';
import { createPart, isCreationAskedAnew } from '../decide/creation.ts';
import type { Plan } from '../plan/plan.ts';
import { deletePart } from '../plan/refusal.ts';
import { stableText } from '../desired/canonical-text.ts';

/** A plan that writes to the service. */
export type WritePlan = Extract<Plan, { readonly kind: 'patch' | 'create' | 'delete' }>;

/** Returns whether a plan writes to the service. */
export function isWrite(plan: Plan): plan is WritePlan {
  return plan.kind === 'patch' || plan.kind === 'create' || plan.kind === 'delete';
}

type PendingWrite = NonNullable<DeploymentStatus['pendingWrite']>;

/**
 * Returns the status that announces a write before it is sent. For a new generation, and after a pause, it also shows
 * that work has begun, so that an edit needs no extra write of the status.
 */
export function announcedStatus(
  resource: DeploymentResource,
  plan: WritePlan,
  digests: Digests,
  nowMs: number,
): DeploymentStatus {
  const status = announcedOn(resource.status ?? {}, plan);
  const time = new Date(nowMs).toISOString();
  const pendingWrite = pendingWriteOf(resource, plan, digests, time);
  return bounded({
    ...status,
    pendingWrite: { ...pendingWrite, attempt: attemptAfter(resource, pendingWrite) },
    ...(plan.kind === 'patch' ? ofPatch(resource, plan) : {}),
    ...(plan.kind === 'create' ? ofCreation(resource, plan, { time, nowMs }) : {}),
    ...(plan.kind === 'patch' && plan.cause === 'redeploy' ? handledRedeploy(resource) : {}),
    ...beginning(resource, nowMs),
  });
}

/** Returns the status after the withdrawal of an announcement: the previous one, but still with the new generation. */
export function withdrawnStatus(
  before: DeploymentStatus = {},
  { observedGeneration, conditions }: DeploymentStatus = {},
): DeploymentStatus {
  return {
    ...before,
    ...defined({ observedGeneration, conditions }),
  };
}

/** Returns the id of the announced request, for logs on both sides; it is the same after a crash. */
export function requestIDOf(
  { metadata, status }: DeploymentResource,
  hashes: Pick<KeyedHashes, 'hex'>,
): string {
  const { time, attempt, bodyDigest } = status?.pendingWrite ?? {};
  const hex = hashes.hex(JSON.stringify([metadata.uid ?? '', 'request', time, attempt, bodyDigest]));
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Removes everything about another deployment than the target of the write from a status. */
function announcedOn(status: DeploymentStatus, plan: WritePlan): DeploymentStatus {
  const another = plan.kind === 'patch' && status.deploymentID !== plan.id;
  if (plan.kind === 'create' || another) {
    const { creation, ...rest } = withoutDeployment(status);
    // The creation of the deployment from before the spec declared a new id says nothing about this one (H26).
    return { ...rest, ...(status.deploymentID === undefined ? defined({ creation }) : {}) };
  }
  if (plan.kind !== 'patch') return status;
  const { leftOut: _, ...rest } = status;
  return rest;
}

/**
 * Marks the start of a creation: the operator will look for the new deployment by its name, and the creation counts as
 * a build.
 */
function ofCreation(
  resource: DeploymentResource,
  { tenantID }: Extract<Plan, { readonly kind: 'create' }>,
  { time, nowMs }: { readonly time: string; readonly nowMs: number },
): Partial<DeploymentStatus> {
  const spending = {
    makesRevision: true,
    perHour: revisionsPerHour(resource),
    newGeneration: newGenerationOf(resource),
    sent: [],
    drift: [],
  };
  return {
    creation: { state: 'Pending', time, ...defined({ tenantID }) },
    budget: spend(budgetOf(resource), spending, nowMs),
  };
}

/**
 * Returns the cost of a PATCH at its announcement. A repeated value counts only after the service has answered, since a
 * crash does not show that the service ignores the value.
 */
function ofPatch(
  resource: DeploymentResource,
  {
    id,
    announcement: { applied, lastPatch, latestRevisionID, binding, budget, observed, revisions, leftOut },
  }: Extract<Plan, { readonly kind: 'patch' }>,
): Partial<DeploymentStatus> {
  const announced = { ...budget, same: budgetOf(resource)?.same ?? [] };
  // The binding precedes the write, so that other resources of the same deployment can see it (H25).
  const bound = { deploymentID: id, binding };
  return {
    ...bound,
    budget: announced,
    ...(leftOut.length === 0 ? {} : { leftOut: [...leftOut] }),
    ...defined({ observed }),
    ...(latestRevisionID !== undefined && { latestRevisionID, revisions }),
    ...defined({ applied, lastPatch }),
  };
}

function pendingWriteOf(
  resource: DeploymentResource,
  plan: WritePlan,
  digests: Digests,
  time: string,
): Omit<PendingWrite, 'attempt'> {
  const generation = resource.metadata.generation ?? 0;
  const bodyDigest = requestDigest(bodyPartOfPlan(plan, digests), digests);
  if (plan.kind !== 'patch') {
    const operation = plan.kind === 'create' ? 'Create' : 'Delete';
    return { operation, bodyDigest, paths: [], generation, time };
  }
  const { paths, baseRevisionID, baseCommitSHA } = plan.announcement;
  return {
    operation: 'Patch',
    bodyDigest,
    paths: [...paths],
    ...defined({ baseRevisionID, baseCommitSHA }),
    ...(plan.cause === 'redeploy' ? redeployText(resource) : {}),
    generation,
    time,
  };
}

/** Returns the part of the digest for the values of a plan. */
export function bodyPartOfPlan(plan: WritePlan, digests: Digests): string {
  switch (plan.kind) {
    case 'patch':
      return plan.announcement.bodyPart;
    case 'create':
      return createPart(plan.body.name, digests);
    case 'delete':
      return deletePart(digests);
  }
}

/**
 * Returns the number of this attempt. A redeploy with the same text counts as the same request, whatever else it
 * contains.
 */
function attemptAfter(resource: DeploymentResource, next: Omit<PendingWrite, 'attempt'>): number {
  const before = resource.status?.pendingWrite;
  const isSameRedeploy = next.redeploy !== undefined && before?.redeploy === next.redeploy;
  if (before === undefined || (!isSameRedeploy && before.bodyDigest !== next.bodyDigest)) return 1;
  return next.operation === 'Create' && isCreationAskedAnew(resource) ? 1 : before.attempt + 1;
}

function handledRedeploy(resource: DeploymentResource): Pick<DeploymentStatus, 'lastHandledRedeploy'> {
  const { redeploy } = redeployText(resource);
  return defined({ lastHandledRedeploy: redeploy });
}

function redeployText(resource: DeploymentResource): { redeploy?: string } {
  const redeploy = annotation(resource, 'redeploy');
  return defined({ redeploy });
}

function beginning(resource: DeploymentResource, nowMs: number): Partial<DeploymentStatus> {
  const generation = resource.metadata.generation ?? 0;
  const { observedGeneration, conditions } = resource.status ?? {};
  const isEdited = observedGeneration !== generation;
  const wasPaused = conditions?.some(({ type, reason }) => type === 'Synced' && reason === 'Paused') === true;
  if (!isEdited && !wasPaused) return {};
  const facts = {
    reason: 'Pending' as const,
    message: isEdited ? 'a change of the spec is being sent' : 'a request is being sent',
    rollout: undefined,
    generation,
    carriedOut: false,
    nowMs,
  };
  return { observedGeneration: generation, conditions: conditionsFor(conditions, facts) };
}

/**
 * True if a decision on `before` is also valid for `now`, because only metadata of others changed. A status that
 * another process wrote counts as a change, because two processes must not both announce.
 */
export function decidedAlike(before: DeploymentResource, now: DeploymentResource): boolean {
  return (
    before.metadata.generation === now.metadata.generation &&
    before.metadata.deletionTimestamp === now.metadata.deletionTimestamp &&
    statusText(before) === statusText(now) &&
    Object.values(ANNOTATIONS).every(
      (name) => before.metadata.annotations?.[name] === now.metadata.annotations?.[name],
    )
  );
}

function statusText({ status }: DeploymentResource): string {
  return stableText(status ?? null);
}
