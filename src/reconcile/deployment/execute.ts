import type { DeploymentResource } from '../../api/deployment.ts';
import type { WritePlan } from '../../model/status/announced-status.ts';
import { windowMs, writeShownMs } from '../../model/compare/assess.ts';
import { isEmptied } from '../../model/compare/judge-fields.ts';
import { classify } from '../../model/connection/failure.ts';
import { SECRETS_PATH } from '../../model/desired/fields.ts';
import { partAt } from '../../model/effects/beyond-unshown.ts';
import { tellsOf } from '../../model/effects/tells-of.ts';
import { areNaming, carriedOver } from '../../model/effects/effect-of.ts';
import { withoutEmptied } from '../../model/effects/taken.ts';
import { leftOpenBy } from '../../model/effects/untouched.ts';
import type { Outcome } from '../../model/outcome/outcome.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Situation } from '../../model/plan/situation.ts';
import { mayBeThere, unprovenBefore } from '../../model/plan/unproven-before.ts';
import { acceptedPatch } from '../../model/recorded/accepted-patch.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { Asked, ExternalClient, PassedUp } from '../../ports/service/external-client.ts';
import type { WriteGate } from '../../ports/service/write-gate.ts';
import type { Decision } from './decide.ts';
import { type DecidedWrite, type Sent, write, type WriteParts, type WriteProgress } from './write.ts';

/** The parts that `execute` needs from outside. */
export interface ExecuteParts extends WriteParts {
  /** Must agree before anything is sent; without a gate, every decided write may be sent. */
  readonly gate?: WriteGate | undefined;
}

/**
 * Carries out one plan with at most one external write. If the decision was too old for its permit, the caller must
 * decide again.
 */
export async function execute(
  resource: DeploymentResource,
  decision: Decision,
  parts: ExecuteParts & WriteProgress,
): Promise<Outcome | PassedUp> {
  const { plan, service } = decision;
  const heldBack = isWrite(plan) ? parts.gate?.holdsBack(resource, plan.kind, decision) : undefined;
  if (heldBack !== undefined) return heldBack;
  switch (plan.kind) {
    case 'nothing':
    case 'blocked':
      return { kind: 'settled', reason: plan.reason, message: plan.message };
    case 'held':
      return { kind: 'held', message: plan.message };
    case 'postponed':
      return { kind: 'postponed', againInMs: plan.againInMs };
    case 'wait':
      return { kind: 'waiting', reason: plan.reason, message: plan.message, againInMs: plan.againInMs };
    case 'release':
      await parts.store.release(resource);
      return { kind: 'released', message: plan.message };
    case 'create': {
      // From now on, a deletion waits for a search by name.
      const claimed = parts.dryRun ? resource : await parts.store.claim(resource);
      if (claimed.metadata.generation !== resource.metadata.generation)
        return { kind: 'postponed', againInMs: 0 };
      const send = async (requestID: string): Promise<Sent> => ({
        answer: await service.create(plan.body, parts.signal, requestID),
        open: [],
      });
      return write({ resource: claimed, decision, plan, send }, parts);
    }
    case 'patch':
      return patch({ resource, decision, plan }, parts);
    case 'delete':
      return write({ resource, decision, plan, send: (id) => remove(decision, parts.signal, id) }, parts);
  }
}

function isWrite(plan: Plan): plan is WritePlan {
  return plan.kind === 'create' || plan.kind === 'patch' || plan.kind === 'delete';
}

interface DecidedPatch extends Omit<DecidedWrite, 'send'> {
  readonly plan: Extract<WritePlan, { readonly kind: 'patch' }>;
}

/** Sends a PATCH, and remembers what is needed to see its effect on all other fields. */
async function patch(
  { resource, decision, plan }: DecidedPatch,
  parts: ExecuteParts & WriteProgress,
): Promise<Outcome | PassedUp> {
  const { service, situation } = decision;
  const { learning } = service;
  const { observation } = situation;
  if (observation.kind !== 'present')
    throw new Error('a PATCH was planned for a deployment that was not seen');
  if (!parts.dryRun && !learning.mayWrite(plan.id, observation, plan.body))
    return afterFirstWrite(resource, service.settings.poll.rolloutMs);
  const asked = askedBy(decision, plan, observation.deployment);
  const watched = carriedOver(learning.written(plan.id), asked);
  const send = async (requestID: string): Promise<Sent> => {
    const answer = await service.patch(plan.id, { ...asked, requestID }, parts.signal);
    const shown = answer.kind === 'shown' ? answer.deployment : undefined;
    const tells = shown !== undefined && tellsOf(asked, shown);
    const leaves = leftOpenBy(watched, undefined).length > 0;
    return {
      answer,
      open: leftOpenBy(watched, tells ? shown : undefined),
      ...(leaves && !tells ? { owesLook: true as const } : {}),
    };
  };
  try {
    const outcome = await write({ resource, decision, plan, send }, parts);
    // A write that was passed up is decided again at once, so other writes still wait for it.
    if (outcome.kind !== 'applied' && outcome.kind !== 'passed up') learning.abandoned(plan.id);
    return outcome;
  } catch (error) {
    const failure = classify(error);
    if (failure.kind === 'transient' && failure.sent === 'perhaps')
      rememberUnanswered(plan.id, asked, { service, endedMs: parts.clock.now() });
    else learning.abandoned(plan.id);
    throw error;
  }
}

/** Reasons that are over once a look has succeeded, as there is one behind every decision to write. */
const OVER: ReadonlySet<string> = new Set(['ConnectionNotFound', 'ConnectionNotReady']);

/**
 * Waits for the first write on a connection. Writes the reason only into a status that says nothing yet, or that still
 * says that the connection cannot be used: the wait may last for minutes, and people would look for a fault that is over.
 */
function afterFirstWrite({ status }: DeploymentResource, againInMs: number): Outcome {
  const told = status?.conditions?.find(({ type }) => type === 'Synced')?.reason;
  if (told !== undefined && !OVER.has(told)) return { kind: 'postponed', againInMs };
  const message = 'the operator is watching the first write on this connection; this write follows';
  return { kind: 'waiting', reason: 'Pending', message, againInMs };
}

function askedBy(
  { situation, assessment }: Decision,
  { body, changes, reported }: DecidedPatch['plan'],
  before: ObservedDeployment,
): Asked {
  const { desired, inherited, resource, listedPaths } = situation;
  // An earlier process made the write before this one, and only its omissions are known.
  const open = inherited ? (resource.status?.leftOut ?? []) : [];
  const listed = situation.listed && withoutEmptied(situation.listed, body, open);
  const known = desired.secrets.kind === 'unmanaged' ? [] : [...desired.secrets.values.values()];
  const drifted = changes.filter(({ drift }) => drift === true).map(({ path }) => path);
  const corrected = drifted.length === 0 ? undefined : partAt(body, drifted);
  const fields = (assessment?.judgements ?? []).filter(isEmptied).map((j) => j.desired.field.path);
  const emptied = [...fields, ...removedSecrets(situation, assessment)];
  // Others did not change a value that an earlier write of ours emptied.
  const { lost = [] } = resource.status ?? {};
  const theirs = reported.filter((path) => !areNaming(lost, path));
  const unproven = unprovenBefore(situation);
  const doubted = mayBeThere(situation);
  return {
    before,
    listed,
    body,
    unproven,
    mayBeThere: doubted,
    corrected,
    emptied,
    reported: theirs,
    listedPaths,
    known,
  };
}

/**
 * Returns the shown secrets that the newest write may have removed, if no list has to show that yet and none has shown
 * it. The loss of a secret that somebody has added since tells about the next write, as far as a revision or a list from
 * after the removal shows that.
 */
function removedSecrets(
  { inherited, observation, resource, settings, written }: Situation,
  assessment: Decision['assessment'],
): readonly string[] {
  const { status } = resource;
  const isSent =
    acceptedPatch(status)?.paths.includes(SECRETS_PATH) === true && (inherited || written !== undefined);
  if (assessment === undefined || observation.kind !== 'present' || !isSent) return [];
  // The record keeps a removed name without a digest until a list no longer shows it.
  const removed = [...assessment.applied.secrets].filter(([, digest]) => digest === '').map(([name]) => name);
  const isShown = removed.length === 0 || showsLaterRevision(observation.deployment, status);
  if (isShown || observation.beganMs >= writeShownMs(resource, settings)) return [];
  const { leftOut, still } = assessment.secrets;
  return [...removed, ...leftOut, ...still].map((name) => `${SECRETS_PATH}.${name}`);
}

/** True if a look shows a revision that was first seen after our last write, and that the write did not make. */
function showsLaterRevision(
  { latestRevisionID: shown }: ObservedDeployment,
  status: DeploymentResource['status'],
): boolean {
  const last = acceptedPatch(status);
  if (typeof shown !== 'string' || last === undefined || shown === last.revisionID) return false;
  const seen = status?.revisions?.find(({ id }) => id === shown);
  return seen === undefined || Date.parse(seen.firstSeenTime) > Date.parse(last.time);
}

/** Remembers a PATCH that may have arrived: the first list that shows the write also shows which fields it emptied. */
function rememberUnanswered(
  id: string,
  { before, listed, body, corrected, emptied, reported, listedPaths }: Asked,
  { service, endedMs }: { readonly service: ExternalClient; readonly endedMs: number },
): void {
  const { learning, settings } = service;
  const effect = learning.written(id)?.effect;
  // The status must still report a loss of the previous write that nothing restores.
  if (effect !== undefined && effect.lost.length === 0) return;
  const dueMs = endedMs + windowMs(settings);
  const sent = { before, listed, body, corrected, emptied, reported, listedPaths };
  learning.wrote(id, { ...sent, endedMs, dueMs, answered: false });
}

async function remove(
  { service, situation }: Decision,
  signal: AbortSignal,
  requestID: string,
): Promise<Sent> {
  const { observation } = situation;
  if (observation.kind !== 'present')
    throw new Error('a deletion was planned for a deployment that was not seen');
  const answer = await service.remove(observation.deployment, signal, requestID);
  const gone = { why: 'already gone', notThere: true } as const;
  return {
    answer: { kind: 'unclear', ...(answer === 'gone' ? gone : { why: 'deletion accepted' }) },
    open: [],
  };
}
