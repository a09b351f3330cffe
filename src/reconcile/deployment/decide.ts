import { annotation, type DeploymentResource, observesOnly } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { verdictDueMs, windowMs, writeShownMs } from '../../model/compare/assess.ts';
import { digestsFor, type KeyedHashes } from '../../model/recorded/digests.ts';
import {
  declaredName,
  desiredDeployment,
  type DesiredDeployment,
  type DesiredSecrets,
  type Identity,
  identityOf,
} from '../../model/desired/desired-deployment.ts';
import type { Open } from '../../model/compare/judge-fields.ts';
import { wantsCreation } from '../../model/decide/creation.ts';
import { creationDueMs, mayHaveCreated } from '../../model/decide/deletion.ts';
import { newestKnown } from '../../model/external/newest-known.ts';
import { withTheirs } from '../../model/effects/with-theirs.ts';
import { withDeclaredSource } from '../../model/decide/binding.ts';
import { type Decided, makePlan } from '../../model/decide/make-plan.ts';
import { passSecrets, redactedPlan } from '../../model/outcome/pass-redaction.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Redact, statusRedactorOf } from '../../model/redaction/redact.ts';
import {
  adoptsEdit,
  carriesOthers,
  permitsAreRare,
  recentMs,
  type WaitingDecision,
} from '../../model/decide/recent-look.ts';
import type { Situation } from '../../model/plan/situation.ts';
import type { Observation, ObservedDeployment } from '../../model/external/observation.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type {
  CallPriority,
  ExternalClient,
  Freshness,
  Learning,
} from '../../ports/service/external-client.ts';
import type { SecretReader } from '../../ports/stores/secret-reader.ts';
import { type Claims, deploymentIn, nameAt } from './claims.ts';
import { providersFor, repositoryFor } from './providers-for.ts';
import { resolveSecrets } from './resolve-secrets.ts';
import type { StaleLooks } from './stale-looks.ts';
import { priorityOf } from './priority-of.ts';

/** By then it shows whether the one that came first has bound the deployment. */
const CLAIMED_MS = 1_000;

/** A look that takes longer than this, in milliseconds, may show a state that is long past when it ends. */
const HUNG_MS = 20_000;

/** The parts that `decide` needs from outside. */
export interface DecideParts {
  readonly secrets: SecretReader;
  readonly digests: KeyedHashes;
  readonly clock: Clock;
  /** Other resources that are bound to a deployment of the service. */
  readonly rivals: (resource: DeploymentResource, deploymentID: string) => readonly DeploymentResource[];
  /** Other resources that mean a deployment of this name at the same address, as far as addresses are known. */
  readonly creators: (resource: DeploymentResource, name: string) => readonly DeploymentResource[];
  readonly claims: Claims;
  /** Looks that do not count yet; absent for a command that looks once and says what it sees. */
  readonly staleLooks?: StaleLooks | undefined;
  /** See `Situation`. */
  readonly holdUnprovenSecrets?: boolean | undefined;
  /** False for a command that looks once: no rotation follows that could go with the one that it sees. */
  readonly waitsForRotations?: boolean | undefined;
  /** True where a PATCH or a deletion rests on a look that began with its pass. */
  readonly looksBeforeWriting?: (() => boolean) | undefined;
}

/** Memory of a resource between passes, in this process alone. */
export interface Remembered {
  /** When a rotation was first seen that waits for others to follow. */
  readonly rotationSeenMs?: number | undefined;
  /** See `Situation`. */
  readonly secretMissedMs?: number | undefined;
  /** See `Situation`. */
  readonly open?: Open | undefined;
  /** When an announcement was first seen that another process made. */
  readonly foundMs?: number | undefined;
  /** See `Situation`. */
  readonly foundRevisionID?: string | undefined;
  /** The newest revision that the pass before saw, where the status that it began with does not name it. */
  readonly unrecordedID?: string | undefined;
  /** When an edit was first seen that was not carried out yet. */
  readonly editSeenMs?: number | undefined;
  /** When its connection was first found not to be usable, while status does not say so. */
  readonly troubledMs?: number | undefined;
  /** When a person was first seen to ask for a look (reconcile-at). */
  readonly lookAskedMs?: number | undefined;
  /** When what this pass had decided before was too old for its permit. */
  readonly passedUpMs?: number | undefined;
}

/** A decision with everything it was made on. */
export interface Decision extends WaitingDecision {
  readonly service: ExternalClient;
  readonly situation: Situation;
  readonly priority: CallPriority;
  /** Hides what the service may repeat of what it was given. */
  readonly redact: Redact;
  /** The secrets that `redact` knows; where some are missing, the service may know more. */
  readonly secrets: DesiredSecrets;
}

/** The read-only half of a pass: resolve, observe, plan. The whole of `plan` is this function over every key. */
export async function decide(
  resource: DeploymentResource,
  service: ExternalClient,
  parts: DecideParts,
  remembered: Remembered,
  signal: AbortSignal,
  missingSinceMs: number = lookedForSinceMs(resource, service, remembered, parts.clock.now()),
): Promise<Decision> {
  const startedMs = parts.clock.now();
  const deleting = resource.metadata.deletionTimestamp !== undefined;
  const secrets = deleting
    ? await secretsWhereReadable(resource, parts.secrets)
    : await resolveSecrets(resource, parts.secrets);
  const desired = desiredDeployment(resource.spec, deleting ? { kind: 'unmanaged' } : secrets);
  const priority = isAwaited(resource, service) ? 'user' : priorityOf(resource);
  const freshMs = Math.max(freshEnoughMs(resource, service, parts), remembered.lookAskedMs ?? 0);
  const fresh = { notOlderThanMs: freshMs, priority, missingSinceMs };
  const first = await look(resource, service, fresh, signal);
  const repository =
    first.kind === 'absent' ? await repositoryFor(resource, service, parts.clock, signal) : undefined;
  const providers = await providersFor(resource, service, parts.clock, signal);
  const namesake = await namesakeOf(resource, first, service, fresh, signal);
  let lookedMs = parts.clock.now();
  let hung = false;
  let decision = planOn(first, freshMs, false);
  // A resource that waited long before it is made, for an approval for instance, may find it made by somebody else.
  const longAgoMs = startedMs - 2 * service.settings.poll.intervalMs;
  if (decision.plan.kind === 'create' && missingSince([first, namesake]) < longAgoMs)
    return decide(resource, service, parts, remembered, signal, startedMs);
  for (;;) {
    // What a newer look shows may need one that is newer still, but none from after the first: a service may be slow.
    const looks = changesWhatIsThere(decision.plan) && parts.looksBeforeWriting?.() === true;
    const notOlderThanMs = Math.max(neededMs(decision, remembered, lookedMs), looks ? startedMs : 0);
    if (decision.asOfMs >= notOlderThanMs) break;
    const oneCall = looks || remembered.passedUpMs !== undefined || permitsAreRare(service.settings);
    const newer = await look(resource, service, { notOlderThanMs, priority, oneCall }, signal);
    decision = planOn(newer, notOlderThanMs, false);
    // A read that hung may fall back on an older one: look once more, counted from now.
    if (!hung && parts.clock.now() - lookedMs > HUNG_MS) {
      hung = true;
      lookedMs = parts.clock.now();
    }
  }
  if (decision.assessment?.evidence.kind !== 'unknown') return decision;

  // An announced write that a read does not prove is judged on two reads begun after its window.
  const dueMs = verdictDueMs(resource, service.settings, remembered.foundMs);
  if (parts.clock.now() < dueMs) return decision;
  if (decision.situation.observation.beganMs < dueMs) {
    decision = planOn(
      await look(resource, service, { notOlderThanMs: dueMs, priority }, signal),
      dueMs,
      false,
    );
    if (decision.assessment?.evidence.kind !== 'unknown') return decision;
  }
  const secondMs = parts.clock.now();
  const second = await look(resource, service, { notOlderThanMs: secondMs, priority }, signal);
  const later = planOn(second, secondMs, true);
  // Either of the two may prove a path: one of a replica that lags takes back nothing that the other has shown.
  return provesMore(decision, later) ? planOn(decision.situation.observation, dueMs, true) : later;

  function planOn(seen: Observation, notOlderThanMs: number, secondRead: boolean): Decision {
    const { learning } = service;
    const managed = new Set(desired.fields.map(({ field }) => field.path));
    const observation =
      seen.kind === 'present' ? withTheirs(seen, learning.written(seen.deployment.id), managed) : seen;
    const before = situationOf(resource, desired, observation, service, parts);
    const doubtMs = deleting ? undefined : parts.staleLooks?.doubtMs(resource, observation);
    // The lessons of this look count for the plan that is made on it.
    if (observation.kind === 'present' && doubtMs === undefined)
      learning.see(observation.deployment.id, observation);
    const { learned, secretsPlain, trial } = learning;
    const id = observation.kind === 'present' ? observation.deployment.id : undefined;
    const situation = {
      ...before,
      learned,
      secretsPlain,
      trial,
      written: id === undefined ? undefined : learning.written(id),
      pioneers: id !== undefined && learning.pioneers(id),
      inherited: id !== undefined && !learning.wroteTo(id),
      listed: listedOf(resource, observation, service),
      ...remembered,
      ...(parts.waitsForRotations === false && { rotationSeenMs: 0 }),
      repository,
      providers,
      namesake,
      secondRead,
    };
    const decided =
      doubtMs === undefined
        ? unlessClaimed(makePlan(situation), situation, parts.claims)
        : postponed(Math.min(doubtMs, service.settings.poll.rolloutMs));
    if (observation.kind === 'present') teach(learning, observation.deployment, decided, situation);
    // An answer that outranks a later read is what the service shows at the time of that read.
    const { beganMs } = observation;
    const asOfMs = observation.kind === 'present' ? Math.max(beganMs, notOlderThanMs) : beganMs;
    const redact = statusRedactorOf(passSecrets(secrets, service.settings));
    return {
      ...decided,
      plan: redactedPlan(decided.plan, redact),
      redact,
      secrets,
      ...{ service, situation, asOfMs, ownLook: asOfMs >= startedMs, decidedMs: parts.clock.now() },
      priority: isAsked(decided.plan) ? 'user' : priority,
    };
  }
}

/** True where one read proves a path of an announced write that another one calls lost. */
function provesMore({ assessment: one }: Decision, { assessment: other }: Decision): boolean {
  const { evidence } = one ?? {};
  const lost = other?.evidence.kind === 'disproven' ? other.evidence.lost : [];
  return evidence?.kind === 'unknown' && evidence.paths.some((path) => lost.includes(path));
}

/** The secrets of a resource that is deleted, which nothing is sent of: only texts of the service are searched for them. */
async function secretsWhereReadable(
  resource: DeploymentResource,
  reader: SecretReader,
): Promise<DesiredSecrets> {
  try {
    return await resolveSecrets(resource, reader);
  } catch {
    // A deletion does not wait for a Secret that cannot be used.
    return { kind: 'missing', what: [], values: new Map() };
  }
}

/** Binds and makes only what no other resource is about to bind or to make. */
function unlessClaimed(decided: Decided, situation: Situation, claims: Claims): Decided {
  const target = claimedBy(decided.plan, situation);
  if (target === undefined || claims.take(keyText(keyOf(situation.resource)), target)) return decided;
  return postponed(CLAIMED_MS, claims.holderOf(target));
}

function postponed(againInMs: number, claimedBy?: string): Decided {
  return { plan: { kind: 'postponed', againInMs, rotation: false, claimedBy } };
}

function claimedBy(plan: Plan, { resource, observation, settings }: Situation): string | undefined {
  if (plan.kind === 'create') return nameAt(settings.baseURL, plan.body.name);
  if (observation.kind !== 'present' || observation.deployment.id === resource.status?.deploymentID)
    return undefined;
  const binds = plan.kind !== 'blocked' && plan.kind !== 'release';
  if (!binds || observesOnly(resource)) return undefined;
  return deploymentIn(observation.deployment.tenantID, observation.deployment.id);
}

function situationOf(
  resource: DeploymentResource,
  desired: DesiredDeployment,
  observation: Observation,
  service: ExternalClient,
  parts: DecideParts,
): Omit<Situation, 'secondRead' | 'providers' | 'inherited'> {
  const { learning } = service;
  const id = observation.kind === 'present' ? observation.deployment.id : undefined;
  return {
    resource,
    desired,
    observation,
    settings: service.settings,
    ...service.knowledge,
    secretsPlain: learning.secretsPlain,
    shownBeside: id !== undefined && service.showsAppliedBeside(id),
    learned: learning.learned,
    rivals: id === undefined ? [] : parts.rivals(resource, id),
    creators: creatorsFor(resource, parts),
    holdUnprovenSecrets: parts.holdUnprovenSecrets,
    digests: digestsFor(resource, parts.digests),
    nowMs: parts.clock.now(),
  };
}

/** Facts about the service that a comparison shows, beside those about the deployment. */
function teach(
  learning: Learning,
  { id, secrets = [] }: ObservedDeployment,
  { assessment }: Decided,
  { shownBeside }: Situation,
): void {
  if (assessment?.secrets.asApplied === true) learning.sawApplied(id, secrets);
  // One that looks masked beside others that are shown as they are says nothing about those.
  if (assessment?.secrets.masked === true && !shownBeside) learning.sawMasks(id);
  if ((assessment?.foundGone.length ?? 0) > 0) learning.foundLoss(id);
}

/** The view of a deployment in lists; the answer to a write may show more. */
function listedOf(
  resource: DeploymentResource,
  observation: Observation,
  service: ExternalClient,
): ObservedDeployment | undefined {
  if (observation.kind !== 'present') return undefined;
  const { via, deployment } = observation;
  if (via === 'list') return deployment;
  const listed = service.listed(deployment.id);
  return listed && withDeclaredSource(resource, listed);
}

function creatorsFor(resource: DeploymentResource, { creators }: DecideParts): readonly DeploymentResource[] {
  const name = declaredName(resource);
  return name === undefined || !wantsCreation(resource) ? [] : creators(resource, name);
}

/** What has the name of a deployment that is gone and is to be made again: looked up before it is (H41). */
async function namesakeOf(
  resource: DeploymentResource,
  { kind }: Observation,
  service: ExternalClient,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Observation | undefined> {
  const name = declaredName(resource);
  const bound = resource.status?.deploymentID !== undefined;
  if (kind !== 'absent' || !bound || name === undefined || !wantsCreation(resource)) return undefined;
  return lookFor({ by: 'name', name }, service, freshness, signal);
}

/** The deployment of a resource. */
async function look(
  resource: DeploymentResource,
  service: ExternalClient,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Observation> {
  const seen = newestKnown(resource, await lookFor(identityOf(resource), service, freshness, signal));
  if (seen.kind !== 'present') return seen;
  return { ...seen, deployment: withDeclaredSource(resource, seen.deployment) };
}

/** Absence is concluded from two complete passes only; anything else from one read. */
async function lookFor(
  identity: Identity,
  service: ExternalClient,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Observation> {
  const seen = await service.observe(identity, freshness, signal);
  if (seen.kind !== 'absent' || seen.proven) return seen;
  return service.observe(identity, { ...freshness, proveAbsence: true }, signal);
}

/**
 * Since when a deployment has to be missing from a pass for that to count. What a person edited or asked for is a new
 * question, and so is what became of a creation, first after it was announced and then when the list must show it.
 */
function lookedForSinceMs(
  resource: DeploymentResource,
  { settings }: ExternalClient,
  { foundMs }: Remembered,
  nowMs: number,
): number {
  const { metadata, status } = resource;
  if (status === undefined) return 0;
  const asked = annotation(resource, 'reconcileAt');
  const isAskedFor = asked !== undefined && asked !== status.lastHandledReconcileAt;
  if (isAskedFor || status.observedGeneration !== metadata.generation) return nowMs;
  if (!mayHaveCreated(resource)) return 0;
  const dueMs = creationDueMs({ resource, settings, foundMs });
  return nowMs < dueMs ? dueMs - windowMs(settings) : dueMs;
}

/** When the oldest pass began that a proof of absence rests on. */
function missingSince(observations: readonly (Observation | undefined)[]): number {
  const since = observations.map((seen) =>
    seen?.kind === 'absent' ? (seen.sinceMs ?? seen.beganMs) : Number.POSITIVE_INFINITY,
  );
  return Math.min(...since);
}

/**
 * The shared snapshot is enough while it is kept up to date, also where it shows that a rollout has ended: sweeps that stood
 * still, as behind a suspended connection, leave one that nothing may be decided on. What is not settled otherwise wants a
 * read of its own. One begun before our last write shows nothing of it, and once the window of that is over one from within it is too old: what
 * it showed was judged with care, and is judged again. An edit does not wait for that: its own write has a window, too.
 */
function freshEnoughMs(
  resource: DeploymentResource,
  service: ExternalClient,
  { clock, staleLooks }: DecideParts,
): number {
  const { status } = resource;
  const notSettled = status?.conditions?.some(({ type }) => type === 'Reconciling') ?? false;
  const wantsOwn = (notSettled && !isRolling(resource)) || staleLooks?.has(resource) === true;
  const {
    settings: { poll },
    learning,
  } = service;
  const written = [status?.lastPatch, status?.pendingWrite].map((write) =>
    write === undefined ? 0 : Date.parse(write.time) + 1,
  );
  const owedMs = status?.deploymentID === undefined ? 0 : learning.owedSinceMs(status.deploymentID);
  const overMs = writeShownMs(resource, service.settings);
  const isOver = overMs <= clock.now() && priorityOf(resource) !== 'user';
  return Math.max(
    ...written,
    owedMs,
    isOver ? overMs : 0,
    clock.now() - (wantsOwn ? poll.rolloutMs / 2 : 2 * poll.intervalMs),
  );
}

/** True where the writes of others wait for the look at the effect of a write. */
function isAwaited({ status }: DeploymentResource, { learning }: ExternalClient): boolean {
  return status?.deploymentID !== undefined && learning.isAwaited(status.deploymentID);
}

/** True while the rollout of the newest revision is followed: a look that shows its end may be that of anybody. */
function isRolling({ metadata, status }: DeploymentResource): boolean {
  return metadata.deletionTimestamp === undefined && status?.latestRevisionID !== status?.activeRevisionID;
}

/** True where a look shows that all has come to an end, or that there is nothing to follow. */
function isAtRest({ plan, assessment, situation }: Decision): boolean {
  if (situation.observation.kind !== 'present') return true;
  return plan.kind === 'nothing' && plan.reason === 'InSync' && assessment?.rollout.rolling !== true;
}

/** When the look must have begun that a decision rests on; 0 where any look will do. */
function neededMs(decision: Decision, { editSeenMs, passedUpMs = 0 }: Remembered, nowMs: number): number {
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

function changesWhatIsThere({ kind }: Plan): boolean {
  return kind === 'patch' || kind === 'delete';
}

/** What somebody asked for, by an edit, a rotated secret or an annotation, and not what we put right by ourselves. */
function isAsked(plan: Plan): boolean {
  if (plan.kind === 'patch') return plan.cause !== 'drift' && plan.cause !== 'repair';
  return plan.kind === 'create' || plan.kind === 'delete';
}
