import { defined } from '../../base/defined.ts';
import {
  annotation,
  type DeploymentResource,
  type DeploymentStatus,
  reportsDrift,
} from '../../api/deployment.ts';
import type { Assessment } from '../compare/assess.ts';
import { type AnsweredRequest, compareAnswer } from '../compare/compare-answer.ts';
import { SECRETS_PATH } from '../desired/fields.ts';
import { areNaming } from '../effects/effect-of.ts';
import { tellsOf } from '../effects/tells-of.ts';
import { bounded } from './forgetting.ts';
import { rememberedSecrets } from '../recorded/baseline.ts';
import { conditionsFor, heldConditions, syncedAfter, syncedWhileDeleting } from './conditions-for.ts';
import { isDeleting } from '../decide/deletion.ts';
import type { ObservedDeployment } from '../external/observation.ts';
import type { Outcome } from '../outcome/outcome.ts';
import type { Plan } from '../plan/plan.ts';
import type { Decided } from '../decide/make-plan.ts';
import { isRedeployIdle } from '../compare/redeploy.ts';
import { mayBeThere, unprovenBefore } from '../plan/unproven-before.ts';
import type { Situation } from '../plan/situation.ts';
import { storedApplied } from '../compare/applied-by-write.ts';
import { bindingOf, revisionsAfter, shownStatus, type StatusChange } from '../recorded/record-facts.ts';
import { besideLost, lostAfter } from '../effects/unrestored.ts';
import { writeAfter } from './write-after.ts';
import { isNewestOurs } from '../compare/whose-revision.ts';

/** The result of one pass. */
export interface Pass {
  /** The resource of the decision. */
  readonly resource: DeploymentResource;
  /** Its current status, with this pass's own announcement, if there was one. */
  readonly current: DeploymentStatus;
  /** The situation; absent if the pass stopped before a comparison. */
  readonly situation?: Situation | undefined;
  readonly decided?: Decided | undefined;
  readonly outcome: Outcome;
  /**
   * Digest of the warnings about the resource, '' for no warnings; absent if the pass did not check for them.
   */
  readonly warningsTold?: string | undefined;
  readonly nowMs: number;
}

/** The most plan changes that a status keeps; the others are only counted. */
const CHANGES_KEPT = 50;

/** Returns the status after a pass. Equal input gives equal output, so that an unchanged resource needs no write. */
export function nextStatus(pass: Pass): DeploymentStatus {
  const { current, outcome, resource, nowMs } = pass;
  if (outcome.kind === 'held') {
    return { ...current, conditions: heldConditions(current.conditions, outcome.message, nowMs) };
  }
  const generation = resource.metadata.generation ?? 0;
  const seenNow = afterwards(pass);
  const synced = syncedAfter(outcome, pass.decided?.plan, seenNow?.assessment);
  const { reason, message: told } = isDeleting(resource) ? syncedWhileDeleting(synced) : synced;
  const lost = lostNow(pass, seenNow);
  const message = besideLost(told, lost);
  const rollout = seenNow?.assessment.rollout;
  const written = writeAfter(pass, seenNow);
  // A write that was accepted without a deployment in the answer stays open.
  const isClosed = 'pendingWrite' in written && written.pendingWrite === undefined;
  const remembered = rememberedAfter(pass, seenNow, isClosed);
  const { applied = current.applied } = remembered;
  const carriedOut = reason === 'InSync' || applied?.generation === generation;
  const facts = { reason, message, rollout, generation, carriedOut, nowMs };
  return bounded(
    compact({
      ...current,
      // The generation may be lower than before: a resource that was restored with its status begins at 1 again.
      observedGeneration: generation,
      ...(isRebound(pass, seenNow) && NO_WRITES),
      ...(seenNow === undefined ? missingAfter(pass) : factsAfter(pass, seenNow)),
      ...remembered,
      ...written,
      lost,
      plan: planAfter(pass.decided?.plan, outcome),
      ...handledAnnotations(pass),
      ...(pass.warningsTold === undefined ? {} : { warningsTold: pass.warningsTold || undefined }),
      conditions: conditionsFor(current.conditions, facts),
    }),
  );
}

/** Members about writes to the deployment from before the spec declared a new id, which say nothing about the new one. */
const NO_WRITES = { creation: undefined, pendingWrite: undefined, lastPatch: undefined } as const;

/** True if a pass that announced nothing binds another deployment (H26). */
function isRebound({ resource, current }: Pass, seenNow: SeenNow | undefined): boolean {
  const bound = current.deploymentID;
  const isAnnounced = current.pendingWrite?.time !== resource.status?.pendingWrite?.time;
  return seenNow !== undefined && bound !== undefined && bound !== seenNow.observed.id && !isAnnounced;
}

/**
 * Returns the values that are lost and not restored. An edit of the spec counts as an acknowledgement, except of declared
 * values that are only reported, and of secrets if it declares the first ones and they are not sent yet.
 */
function lostNow(pass: Pass, seenNow: SeenNow | undefined): DeploymentStatus['lost'] {
  const { resource, current } = pass;
  const compared = seenNow ?? decidedOn(pass);
  if (compared === undefined) return current.lost;
  const edited = resource.status?.observedGeneration !== resource.metadata.generation;
  const { lost, unrestored, goneOfOurs } = compared.assessment;
  const reported = reportsDrift(resource) ? driftedIn(compared.assessment) : [];
  const isSent = sendsFirstSecrets(pass);
  const isOpen = (path: string): boolean =>
    reported.some((one) => areNaming([path], one)) ||
    (!isSent && isFirstList(compared) && areNaming([SECRETS_PATH], path));
  const known = edited || isSent ? current.lost?.filter(isOpen) : current.lost;
  // Lost values stay lost until something may be sent: the plan is held, waits for approval, or was refused finally.
  const { plan } = pass.decided ?? {};
  const isHeld = plan?.kind === 'blocked' || plan?.kind === 'nothing' || waitingHash(plan) !== undefined;
  const isRefused = pass.outcome.kind === 'failed' && pass.outcome.failure.kind === 'terminal';
  const stays = isHeld || isRefused ? [...lost, ...goneOfOurs] : [];
  return lostAfter(known, [...unrestored, ...stays], compared.observed);
}

/** True if a pass sent the first secrets of the resource: an edit declared them, and had to wait for that. */
function sendsFirstSecrets({ resource, decided, outcome }: Pass): boolean {
  const { plan } = decided ?? {};
  const isFirst = resource.status?.applied?.fields.some(({ path }) => path === SECRETS_PATH) !== true;
  const isSent = plan?.kind === 'patch' && plan.announcement.paths.includes(SECRETS_PATH);
  return isSent && isFirst && outcome.kind === 'applied';
}

/** True if the spec declares the first secrets, which are not sent yet, and the service shows none. */
function isFirstList({ assessment, observed }: Pick<SeenNow, 'assessment' | 'observed'>): boolean {
  const { verdict, wasApplied } = assessment.secrets;
  return verdict !== 'unmanaged' && !wasApplied && (observed.secrets ?? []).length === 0;
}

/** Returns the paths of declared values that another client or a write of ours changed. */
function driftedIn({ judgements, secrets }: Assessment): readonly string[] {
  const fields = judgements
    .filter(({ verdict }) => verdict === 'drift')
    .map(({ desired }) => desired.field.path);
  const names = secrets.verdict === 'drift' ? secrets.names : [];
  return [...fields, ...names.map((name) => `${SECRETS_PATH}.${name}`)];
}

/** The deployment as a pass last saw it, compared with the values that then count as applied. */
export interface SeenNow {
  readonly observed: ObservedDeployment;
  readonly assessment: Assessment;
  readonly situation: Situation;
}

function afterwards(pass: Pass): SeenNow | undefined {
  const { situation, decided, outcome } = pass;
  if (situation === undefined || decided === undefined) return undefined;
  return outcome.kind === 'applied' ? afterWrite(pass, situation, decided) : decidedOn(pass);
}

/** Returns the deployment as the decision saw it. */
function decidedOn({ resource, situation, decided }: Pass): SeenNow | undefined {
  if (situation?.observation.kind !== 'present' || decided?.assessment === undefined) return undefined;
  const { observation } = situation;
  const bound = resource.status?.deploymentID === observation.deployment.id;
  if (!bound && decided.plan.kind === 'blocked') return undefined;
  return { observed: observation.deployment, assessment: decided.assessment, situation };
}

/** Returns the deployment as the answer to the write shows it. */
function afterWrite(pass: Pass, situation: Situation, { plan, assessment }: Decided): SeenNow | undefined {
  const { outcome, resource } = pass;
  if (outcome.kind !== 'applied' || outcome.answer.kind !== 'shown') return undefined;
  const { deployment: observed, beganMs } = outcome.answer;
  const created = plan.kind === 'create';
  const { pendingWrite: _, ...settled } = resource.status ?? {};
  const status = { ...settled, ...(created && { creation: { state: 'Done' as const } }) };
  const comparison = { ...situation, resource: { ...resource, status }, observed, beganMs };
  const wrote = plan.kind === 'patch' ? sentBy(plan, situation, observed) : undefined;
  const compared = compareAnswer(comparison, assessment, { created, ...wrote, earlier: situation.earlier });
  return { observed, situation, assessment: compared };
}

/** Describes a PATCH, and whether its answer shows something of it. */
function sentBy(
  { announcement, body }: Extract<Plan, { readonly kind: 'patch' }>,
  situation: Situation,
  answer: ObservedDeployment,
): Pick<AnsweredRequest, 'paths' | 'body' | 'tells'> {
  const { observation } = situation;
  const facts = { body, unproven: unprovenBefore(situation), mayBeThere: mayBeThere(situation) };
  const tells =
    observation.kind === 'present' && tellsOf({ before: observation.deployment, ...facts }, answer);
  return { paths: announcement.paths, body, tells };
}

/** Returns the members that repeat the service's values. */
function factsAfter(pass: Pass, seenNow: SeenNow): StatusChange {
  const { observed, assessment, situation } = seenNow;
  const { resource, current, nowMs, outcome } = pass;
  const { settings } = situation;
  const ours =
    outcome.kind === 'applied'
      ? isAnswered(pass, observed)
      : isNewestOurs({ resource, observed, assessment, settings, nowMs });
  return {
    ...shownStatus(current, observed, nowMs),
    // The revision before a write with an unknown outcome helps to tell the write's revision from another client's.
    ...(assessment.evidence.kind === 'unknown' ? { observed: current.observed } : {}),
    ...pinned(pass, observed, situation),
    revisions: revisionsAfter({ ...resource, status: current }, observed, ours, nowMs),
  };
}

/**
 * Computes the values that count as applied. Keeps what a pass proved, adopted or assumed, even if the pass then waits,
 * is blocked or fails: the announcement that was the proof is gone afterwards, and nothing is assumed twice.
 */
function rememberedAfter(pass: Pass, seenNow: SeenNow | undefined, isClosed: boolean): StatusChange {
  const { resource, current, nowMs, outcome, decided } = pass;
  const compared = seenNow ?? decidedOn(pass);
  if (compared === undefined || resource.metadata.deletionTimestamp !== undefined) return {};
  const { observed, assessment, situation } = compared;
  const { observation } = situation;
  const settled = outcome.kind === 'settled' && decided?.plan.kind !== 'blocked';
  const assumeApplied = annotation(resource, 'assumeApplied');
  return {
    applied: storedApplied(current.applied, assessment, situation.desired, {
      observed,
      listed: outcome.kind !== 'applied' && observation.kind === 'present' && observation.via === 'list',
      listedPaths: situation.listedPaths,
      secretsListed: situation.secretsListed,
      generation: resource.metadata.generation ?? 0,
      concluded:
        (settled && isCarriedOut(assessment)) || (outcome.kind === 'applied' && seenNow !== undefined),
      announced: isClosed || current.pendingWrite === undefined ? [] : namesIn(current, compared),
      digests: situation.digests,
      nowMs,
    }),
    ...defined({ lastHandledAssumeApplied: assumeApplied }),
  };
}

/**
 * Returns the names of secrets for a status: while a write is open, they include those that it contains for the first
 * time.
 */
function namesIn({ applied }: DeploymentStatus, { assessment, situation }: SeenNow): readonly string[] {
  const known = [...assessment.applied.secrets.keys(), ...assessment.secrets.digests.keys()];
  return [...rememberedSecrets(applied?.secrets, known, situation.digests).keys()];
}

/** True if nothing that the spec asks for remains to be sent, held back or not. */
function isCarriedOut({ judgements, secrets }: Assessment): boolean {
  const open = [...judgements, secrets].map(({ verdict }) => verdict);
  return !open.some((verdict) => ['first', 'change', 'ignored', 'withheld'].includes(verdict));
}

/** Returns the pins. If the pins block a pass, the pass must not move them to the blocked place (H27). */
function pinned(
  { resource, current, decided, nowMs }: Pass,
  observed: ObservedDeployment,
  s: Situation,
): StatusChange {
  const held = decided?.plan.kind === 'blocked' && current.binding !== undefined;
  return held ? {} : { binding: bindingOf(resource, observed, s.settings, nowMs) };
}

/** Returns the time since which a bound deployment is missing, if it is. */
function missingAfter({ situation, resource, current, nowMs }: Pass): StatusChange {
  if (situation?.observation.kind !== 'absent' || !situation.observation.proven) return {};
  if (resource.status?.deploymentID === undefined || current.deploymentID === undefined) return {};
  return { missingSinceTime: current.missingSinceTime ?? new Date(nowMs).toISOString() };
}

/** True if the answer to this pass's write shows another revision than the look before it. */
function isAnswered({ situation }: Pass, observed: ObservedDeployment): boolean {
  const before = situation?.observation;
  return before?.kind !== 'present' || before.deployment.latestRevisionID !== observed.latestRevisionID;
}

function planAfter(plan: Plan | undefined, outcome: Outcome): DeploymentStatus['plan'] {
  if (plan === undefined || outcome.kind === 'applied') return undefined;
  const changes = 'changes' in plan ? (plan.changes ?? []) : [];
  const hash = waitingHash(plan);
  if (changes.length === 0 && hash === undefined) return undefined;
  return {
    ...defined({ hash }),
    changesOmitted: Math.max(0, changes.length - CHANGES_KEPT),
    changes: changes
      .slice(0, CHANGES_KEPT)
      .map(({ path, from, to, revision }) => ({ path, from, to, revision })),
  };
}

/** Returns the hash of a plan that waits for approval. */
function waitingHash(plan: Plan | undefined): string | undefined {
  return plan?.kind === 'wait' ? plan.hash : undefined;
}

/**
 * Returns the texts of annotations that the operator has acted on, or that existed at first sight (docs/semantics.md).
 */
function handledAnnotations(pass: Pass): StatusChange {
  const { resource, current, decided } = pass;
  if (decided === undefined) return {};
  const reconcileAt = annotation(resource, 'reconcileAt');
  const redeploy = annotation(resource, 'redeploy');
  const firstSight = resource.status?.applied === undefined;
  return {
    ...defined({ lastHandledReconcileAt: reconcileAt }),
    ...(redeploy !== undefined && firstSight
      ? { lastHandledRedeploy: current.lastHandledRedeploy ?? redeploy }
      : {}),
    ...(redeploy !== undefined && sawIdleRedeploy(pass) ? { lastHandledRedeploy: redeploy } : {}),
  };
}

/** True if the pass made a comparison and found that a redeploy has nothing to send. */
function sawIdleRedeploy({ resource, decided, situation }: Pass): boolean {
  if (situation?.observation.kind !== 'present' || decided?.assessment === undefined) return false;
  const { plan, assessment } = decided;
  if (plan.kind === 'blocked') return false;
  const { unsendable = [] } = plan.kind === 'nothing' ? plan : {};
  return isRedeployIdle(resource, assessment, { observed: situation.observation.deployment, unsendable });
}

/** Returns a status without undefined members. */
function compact(status: StatusChange): DeploymentStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
}
