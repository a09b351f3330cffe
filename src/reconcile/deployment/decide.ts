import { annotation, type DeploymentResource, observesOnly } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { verdictDueMs, windowMs, writeShownMs } from '../../model/compare/assess.ts';
import { digestsFor, type KeyedHashes } from '../../model/recorded/digests.ts';
import {
  declaredName,
  desiredDeployment,
  type DesiredDeployment,
  type DesiredSecrets,
  identityOf,
} from '../../model/desired/desired-deployment.ts';
import type { Open } from '../../model/compare/judge-fields.ts';
import { wantsCreation } from '../../model/decide/creation.ts';
import { creationDueMs, isDeleting, mayHaveCreated } from '../../model/decide/deletion.ts';
import type { FoundRepository, Listed, ObservedProvider } from '../../model/external/inventory.ts';
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

/** After this time the status shows whether the first resource has bound the deployment. */
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
  /** Looks that do not count yet; absent for a command that looks only once. */
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
  /** The time at which the operator first saw a rotation that waits for further ones. */
  readonly rotationSeenMs?: number | undefined;
  /** See `Situation`. */
  readonly secretMissedMs?: number | undefined;
  /** See `Situation`. */
  readonly open?: Open | undefined;
  /** The time at which the operator first saw an announcement of another process. */
  readonly foundMs?: number | undefined;
  /** See `Situation`. */
  readonly foundRevisionID?: string | undefined;
  /** The newest revision that the pass before saw, where the status that it began with does not name it. */
  readonly unrecordedID?: string | undefined;
  /** The time at which the operator first saw an edit that it has not carried out yet. */
  readonly editSeenMs?: number | undefined;
  /** The time since which the connection is unusable, while the status does not say so. */
  readonly troubledMs?: number | undefined;
  /** The time at which the operator first saw the annotation reconcile-at. */
  readonly lookAskedMs?: number | undefined;
  /** The time at which an earlier decision of this pass was too old for its permit. */
  readonly passedUpMs?: number | undefined;
}

/** A decision with everything it was made on. */
export interface Decision extends WaitingDecision {
  readonly service: ExternalClient;
  readonly situation: Situation;
  readonly priority: CallPriority;
  /** Hides values that the service may repeat from requests. */
  readonly redact: Redact;
  /** The secrets that `redact` knows; where some are missing, the service may know more. */
  readonly secrets: DesiredSecrets;
}

/** A resource that something is to be decided about, at its service. */
export interface Subject {
  readonly resource: DeploymentResource;
  readonly service: ExternalClient;
  readonly remembered: Remembered;
  /**
   * The time since which a deployment must be missing to count as absent. Default: by the resource and the memory
   * about it.
   */
  readonly missingSinceMs?: number;
}

/** Everything that is found out before the first plan, and holds for each later one. */
interface Findings {
  readonly startedMs: number;
  readonly secrets: DesiredSecrets;
  readonly desired: DesiredDeployment;
  readonly priority: CallPriority;
  readonly first: Observation;
  /** The earliest time at which the first look may begin. */
  readonly freshMs: number;
  readonly repository: FoundRepository | undefined;
  readonly providers: Listed<ObservedProvider>;
  readonly namesake: Observation | undefined;
}

/** A look, and the request for it. */
interface Look {
  readonly seen: Observation;
  readonly notOlderThanMs: number;
  /** True for the second one after the window of an announced write. */
  readonly secondRead?: boolean;
}

/** The read-only half of a pass: resolve, observe, plan. The whole of `plan` is this function over every key. */
export async function decide(subject: Subject, parts: DecideParts, signal: AbortSignal): Promise<Decision> {
  const { resource, service, remembered } = subject;
  const found = await findingsOf(subject, parts, signal);
  const deciding = new Deciding({ ...subject, ...found }, parts, signal);
  const decision = deciding.planOn({ seen: found.first, notOlderThanMs: found.freshMs });
  // While a resource waits a long time before its creation, for an approval for instance, somebody else may create
  // the deployment.
  const longAgoMs = found.startedMs - 2 * service.settings.poll.intervalMs;
  if (decision.plan.kind === 'create' && missingSince([found.first, found.namesake]) < longAgoMs)
    return decide({ ...subject, missingSinceMs: found.startedMs }, parts, signal);
  const recent = await deciding.whileTooOld(decision);
  // An announced write that a read does not prove is judged on two reads begun after its window.
  const dueMs = verdictDueMs(resource, service.settings, remembered.foundMs);
  const isProven = recent.assessment?.evidence.kind !== 'unknown';
  return isProven || parts.clock.now() < dueMs ? recent : deciding.afterWindow(recent, dueMs);
}

async function findingsOf(subject: Subject, parts: DecideParts, signal: AbortSignal): Promise<Findings> {
  const { resource, service, remembered } = subject;
  const startedMs = parts.clock.now();
  const { missingSinceMs = lookedForSinceMs(subject, startedMs) } = subject;
  const deleting = isDeleting(resource);
  const secrets = deleting
    ? await secretsWhereReadable(resource, parts.secrets)
    : await resolveSecrets(resource, parts.secrets);
  const desired = desiredDeployment(resource.spec, deleting ? { kind: 'unmanaged' } : secrets);
  const priority = isAwaited(resource, service) ? 'user' : priorityOf(resource);
  const freshMs = Math.max(freshEnoughMs(resource, service, parts), remembered.lookAskedMs ?? 0);
  const fresh = { notOlderThanMs: freshMs, priority, missingSinceMs };
  const first = await look(subject, fresh, signal);
  const asking = { resource, service, clock: parts.clock };
  const repository = first.kind === 'absent' ? await repositoryFor(asking, signal) : undefined;
  const providers = await providersFor(asking, signal);
  const namesake = wantsNamesake(resource, first) ? await namesakeOf(subject, fresh, signal) : undefined;
  return { startedMs, secrets, desired, priority, first, freshMs, repository, providers, namesake };
}

/** Plans for one resource, each on the look before it. */
class Deciding {
  readonly #about: Subject & Findings;
  readonly #parts: DecideParts;
  readonly #signal: AbortSignal;

  constructor(about: Subject & Findings, parts: DecideParts, signal: AbortSignal) {
    this.#about = about;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Looks again, and decides again, for as long as a decision needs a newer look than the one it rests on. */
  async whileTooOld(first: Decision): Promise<Decision> {
    const { service, remembered, startedMs } = this.#about;
    const { clock, looksBeforeWriting } = this.#parts;
    let decision = first;
    let lookedMs = clock.now();
    let hung = false;
    for (;;) {
      // A newer read may call for one that is newer still, but not for one from after the first: a service
      // may be slow.
      const looks = changesWhatIsThere(decision.plan) && looksBeforeWriting?.() === true;
      const notOlderThanMs = Math.max(neededMs(decision, remembered, lookedMs), looks ? startedMs : 0);
      if (decision.asOfMs >= notOlderThanMs) return decision;
      const oneCall = looks || remembered.passedUpMs !== undefined || permitsAreRare(service.settings);
      decision = this.planOn({ seen: await this.#look(notOlderThanMs, { oneCall }), notOlderThanMs });
      // A read that hung may fall back on an older one: look once more, counted from now.
      if (!hung && clock.now() - lookedMs > HUNG_MS) {
        hung = true;
        lookedMs = clock.now();
      }
    }
  }

  /** Judges an announced write by two reads that began after its window; the first read may exist already. */
  async afterWindow(before: Decision, dueMs: number): Promise<Decision> {
    let decision = before;
    if (decision.situation.observation.beganMs < dueMs) {
      decision = this.planOn({ seen: await this.#look(dueMs), notOlderThanMs: dueMs });
      if (decision.assessment?.evidence.kind !== 'unknown') return decision;
    }
    const secondMs = this.#parts.clock.now();
    const second = { seen: await this.#look(secondMs), notOlderThanMs: secondMs, secondRead: true };
    const later = this.planOn(second);
    if (!provesMore(decision, later)) return later;
    // Either of the two may prove a path: one of a replica that lags takes back nothing that the other has shown.
    const { observation: seen } = decision.situation;
    return this.planOn({ seen, notOlderThanMs: dueMs, secondRead: true });
  }

  planOn(newest: Look): Decision {
    const { resource, service, secrets, startedMs, priority } = this.#about;
    const { claims, clock, staleLooks } = this.#parts;
    const { learning, settings } = service;
    const observation = this.#withTheirs(newest.seen);
    const before = this.#situationBefore(observation);
    const doubtMs = isDeleting(resource) ? undefined : staleLooks?.doubtMs(resource, observation);
    // The lessons of this look count for the plan that is made on it.
    if (observation.kind === 'present' && doubtMs === undefined)
      learning.see(observation.deployment.id, observation);
    const situation = this.#situation(before, newest.secondRead === true);
    const decided =
      doubtMs === undefined
        ? unlessClaimed(makePlan(situation), situation, claims)
        : postponed(Math.min(doubtMs, settings.poll.rolloutMs));
    teach(learning, decided, situation);
    // An answer that outranks a later read is what the service shows at the time of that read.
    const { beganMs } = observation;
    const asOfMs = observation.kind === 'present' ? Math.max(beganMs, newest.notOlderThanMs) : beganMs;
    const redact = statusRedactorOf(passSecrets(secrets, settings));
    return {
      ...decided,
      plan: redactedPlan(decided.plan, redact),
      redact,
      secrets,
      ...{ service, situation, asOfMs, ownLook: asOfMs >= startedMs, decidedMs: clock.now() },
      priority: isAsked(decided.plan) ? 'user' : priority,
    };
  }

  #look(notOlderThanMs: number, how: Pick<Freshness, 'oneCall'> = {}): Promise<Observation> {
    return look(this.#about, { notOlderThanMs, priority: this.#about.priority, ...how }, this.#signal);
  }

  #withTheirs(seen: Observation): Observation {
    if (seen.kind !== 'present') return seen;
    const { desired, service } = this.#about;
    const managed = new Set(desired.fields.map(({ field }) => field.path));
    return withTheirs(seen, service.learning.written(seen.deployment.id), managed);
  }

  /** The situation as far as it does not depend on the lessons of the look. */
  #situationBefore(observation: Observation): SituationBefore {
    const { resource, service, desired } = this.#about;
    const { rivals, holdUnprovenSecrets, digests, clock } = this.#parts;
    const id = idIn(observation);
    return {
      resource,
      desired,
      observation,
      settings: service.settings,
      ...service.knowledge,
      shownBeside: id !== undefined && service.showsAppliedBeside(id),
      rivals: id === undefined ? [] : rivals(resource, id),
      creators: creatorsFor(resource, this.#parts),
      holdUnprovenSecrets,
      digests: digestsFor(resource, digests),
      nowMs: clock.now(),
    };
  }

  #situation(before: SituationBefore, secondRead: boolean): Situation {
    const { resource, service, remembered, repository, providers, namesake } = this.#about;
    const { learning } = service;
    const { learned, secretsPlain, trial } = learning;
    const id = idIn(before.observation);
    return {
      ...before,
      learned,
      secretsPlain,
      trial,
      written: id === undefined ? undefined : learning.written(id),
      pioneers: id !== undefined && learning.pioneers(id),
      inherited: id !== undefined && !learning.wroteTo(id),
      listed: listedOf(resource, before.observation, service),
      ...remembered,
      ...(this.#parts.waitsForRotations === false && { rotationSeenMs: 0 }),
      repository,
      providers,
      namesake,
      secondRead,
    };
  }
}

type SituationBefore = Omit<Situation, 'secondRead' | 'providers' | 'inherited' | 'learned' | 'secretsPlain'>;

function idIn(observation: Observation): string | undefined {
  return observation.kind === 'present' ? observation.deployment.id : undefined;
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

/** Facts about the service that a comparison shows, beside those about the deployment. */
function teach(learning: Learning, { assessment }: Decided, { observation, shownBeside }: Situation): void {
  if (observation.kind !== 'present') return;
  const { id, secrets = [] } = observation.deployment;
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

/** True for a deployment that is gone and must be created again: the operator first looks for its name (H41). */
function wantsNamesake(resource: DeploymentResource, { kind }: Observation): boolean {
  return kind === 'absent' && resource.status?.deploymentID !== undefined && wantsCreation(resource);
}

async function namesakeOf(
  { resource, service }: Subject,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Observation | undefined> {
  const name = declaredName(resource);
  if (name === undefined) return undefined;
  return proven((how) => service.observe({ by: 'name', name }, how, signal), freshness);
}

/** The deployment of a resource. */
async function look(
  { resource, service }: Pick<Subject, 'resource' | 'service'>,
  freshness: Freshness,
  signal: AbortSignal,
): Promise<Observation> {
  const identity = identityOf(resource);
  const shown = await proven((how) => service.observe(identity, how, signal), freshness);
  const seen = newestKnown(resource, shown);
  if (seen.kind !== 'present') return seen;
  return { ...seen, deployment: withDeclaredSource(resource, seen.deployment) };
}

/** Absence is concluded from two complete passes only; anything else from one read. */
async function proven(
  observe: (freshness: Freshness) => Promise<Observation>,
  freshness: Freshness,
): Promise<Observation> {
  const seen = await observe(freshness);
  if (seen.kind !== 'absent' || seen.proven) return seen;
  return observe({ ...freshness, proveAbsence: true });
}

/**
 * Returns since when a deployment has to be missing for a pass to count. An edit or a request of a person is
 * a new question. So is the outcome of a creation: first after it was announced, and again when the list must
 * show it.
 */
function lookedForSinceMs({ resource, service, remembered }: Subject, nowMs: number): number {
  const { settings } = service;
  const { metadata, status } = resource;
  if (status === undefined) return 0;
  const asked = annotation(resource, 'reconcileAt');
  const isAskedFor = asked !== undefined && asked !== status.lastHandledReconcileAt;
  if (isAskedFor || status.observedGeneration !== metadata.generation) return nowMs;
  if (!mayHaveCreated(resource)) return 0;
  const dueMs = creationDueMs({ resource, settings, foundMs: remembered.foundMs });
  return nowMs < dueMs ? dueMs - windowMs(settings) : dueMs;
}

/** Returns the time at which the oldest sweep began that proves the absence. */
function missingSince(observations: readonly (Observation | undefined)[]): number {
  const since = observations.map((seen) =>
    seen?.kind === 'absent' ? (seen.sinceMs ?? seen.beganMs) : Number.POSITIVE_INFINITY,
  );
  return Math.min(...since);
}

/**
 * The shared snapshot is enough while sweeps keep it current, even if it shows that a rollout has ended. If
 * sweeps stood still, as behind a suspended connection, no decision may rest on it. A resource that is not
 * settled otherwise needs its own read. A read begun before our last write shows nothing of it. Once the
 * window of that write is over, a read from within it is too old: it was judged with care, and is judged
 * again. An edit does not wait for that: its own write has a window, too.
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

/** True if a look shows that everything is finished, or that there is nothing to watch. */
function isAtRest({ plan, assessment, situation }: Decision): boolean {
  if (situation.observation.kind !== 'present') return true;
  return plan.kind === 'nothing' && plan.reason === 'InSync' && assessment?.rollout.rolling !== true;
}

/** Returns the time since which the look of a decision must have begun; 0 if any look is enough. */
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

/**
 * True for a change that a person requested, by an edit, a rotated secret or an annotation, and not for a
 * correction.
 */
function isAsked(plan: Plan): boolean {
  if (plan.kind === 'patch') return plan.cause !== 'drift' && plan.cause !== 'repair';
  return plan.kind === 'create' || plan.kind === 'delete';
}
