import { type DeploymentResource, observesOnly } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { verdictDueMs } from '../../model/compare/assess.ts';
import { digestsFor } from '../../model/recorded/digests.ts';
import { declaredName, type DesiredSecrets } from '../../model/desired/desired-deployment.ts';
import { wantsCreation } from '../../model/decide/creation.ts';
import { isDeleting } from '../../model/decide/deletion.ts';
import { creationIn, withTheirs } from '../../model/effects/with-theirs.ts';
import { withDeclaredSource } from '../../model/decide/binding.ts';
import { type Decided, makePlan } from '../../model/decide/make-plan.ts';
import { passSecrets, redactedPlan } from '../../model/outcome/pass-redaction.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Redact, statusRedactorOf } from '../../model/redaction/redact.ts';
import {
  changesWhatIsThere,
  isAsked,
  neededMs,
  permitsAreRare,
  type WaitingDecision,
} from '../../model/decide/recent-look.ts';
import type { Situation } from '../../model/plan/situation.ts';
import type { Observation, ObservedDeployment } from '../../model/external/observation.ts';
import type {
  CallPriority,
  ExternalClient,
  Freshness,
  Learning,
} from '../../ports/service/external-client.ts';
import { type Claims, deploymentIn, nameAt } from './claims.ts';
import { type DecideParts, type Findings, gather, look, type Subject } from './gather.ts';

/** After this time the status shows whether the first resource has bound the deployment. */
const CLAIMED_MS = 1_000;

/** A look that takes longer than this, in milliseconds, may show an outdated state when it ends. */
const HUNG_MS = 20_000;

/** A decision, with everything that it rests on. */
export interface Decision extends WaitingDecision {
  readonly service: ExternalClient;
  readonly situation: Situation;
  readonly priority: CallPriority;
  /** Hides values that the service may repeat from requests. */
  readonly redact: Redact;
  /** The secrets that `redact` knows; if some are missing, the service may know more. */
  readonly secrets: DesiredSecrets;
}

/** One look at the deployment, and its request. */
interface Look {
  readonly seen: Observation;
  readonly notOlderThanMs: number;
  /** True for the second read after the window of an announced write. */
  readonly secondRead?: boolean;
}

/** Resolves, observes and plans: the read-only half of a pass. The command `plan` runs this function over every key. */
export async function decide(subject: Subject, parts: DecideParts, signal: AbortSignal): Promise<Decision> {
  const { resource, service, remembered } = subject;
  const found = await gather(subject, parts, signal);
  const deciding = new Deciding({ ...subject, ...found }, parts, signal);
  const decision = deciding.planOn({ seen: found.first, notOlderThanMs: found.freshMs });
  // While a resource waits a long time for its creation, for example for an approval, somebody else may create the
  // deployment.
  const longAgoMs = found.startedMs - 2 * service.settings.poll.intervalMs;
  if (decision.plan.kind === 'create' && missingSince([found.first, found.namesake]) < longAgoMs)
    return decide({ ...subject, missingSinceMs: found.startedMs }, parts, signal);
  const recent = await deciding.whileTooOld(decision);
  // If no read proves an announced write, the operator judges it by two reads that began after its window.
  const dueMs = verdictDueMs(resource, service.settings, remembered.foundMs);
  const isProven = recent.assessment?.evidence.kind !== 'unknown';
  return isProven || parts.clock.now() < dueMs ? recent : deciding.afterWindow(recent, dueMs);
}

/** Makes the plans of one resource, each with the look before it in mind. */
class Deciding {
  readonly #about: Subject & Findings;
  readonly #parts: DecideParts;
  readonly #signal: AbortSignal;

  constructor(about: Subject & Findings, parts: DecideParts, signal: AbortSignal) {
    this.#about = about;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Looks and decides again, as long as a decision needs a newer look than the one it rests on. */
  async whileTooOld(first: Decision): Promise<Decision> {
    const { service, remembered, startedMs } = this.#about;
    const { clock, looksBeforeWriting } = this.#parts;
    let decision = first;
    let lookedMs = clock.now();
    let hung = false;
    for (;;) {
      // A newer read may require an even newer one, but not one from after the first: a service may be slow.
      const looks = changesWhatIsThere(decision.plan) && looksBeforeWriting?.() === true;
      const notOlderThanMs = Math.max(neededMs(decision, remembered, lookedMs), looks ? startedMs : 0);
      if (decision.asOfMs >= notOlderThanMs) return decision;
      const oneCall = looks || remembered.passedUpMs !== undefined || permitsAreRare(service.settings);
      decision = this.planOn({ seen: await this.#look(notOlderThanMs, { oneCall }), notOlderThanMs });
      // A read that hung may fall back on an older one: the operator looks once more, and counts from now.
      if (!hung && clock.now() - lookedMs > HUNG_MS) {
        hung = true;
        lookedMs = clock.now();
      }
    }
  }

  /** Judges an announced write by two reads that began after its window; the first read may already exist. */
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
    // Either of the two reads may prove a path: a read from a lagging replica does not cancel what the other one has
    // shown.
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
    // The plan that rests on this look takes its lessons into account.
    if (observation.kind === 'present' && doubtMs === undefined)
      learning.see(observation.deployment.id, observation);
    const situation = this.#situation(before, newest.secondRead === true);
    const decided =
      doubtMs === undefined
        ? unlessClaimed(makePlan(situation), situation, claims)
        : postponed(Math.min(doubtMs, settings.poll.rolloutMs));
    teach(learning, decided, situation);
    // If this comparison has just shown that the service empties what is left out, the plan takes that into account too.
    if (learning.learned.omittedFields?.verdict !== situation.learned.omittedFields?.verdict)
      return this.planOn(newest);
    // If an answer outranks a later read, it counts as what the service shows at the time of that read.
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
    const { desired, service, resource } = this.#about;
    // A value that an edit declares for the first time is not ours yet.
    const applied = new Set(resource.status?.applied?.fields.map(({ path }) => path));
    const managed = desired.fields.filter(({ field }) => applied.has(field.path));
    const { learning } = service;
    const { id } = seen.deployment;
    // The first answer about a deployment to which this process never wrote is that to its creation.
    const written = learning.written(id) ?? (learning.wroteTo(id) ? undefined : creationIn(seen));
    return withTheirs(seen, written, managed);
  }

  /** The parts of the situation that do not depend on the lessons of the look. */
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
      plainLists: service.plainLists(id),
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

/** True if one read proves a path of an announced write that another read calls lost. */
function provesMore({ assessment: one }: Decision, { assessment: other }: Decision): boolean {
  const { evidence } = one ?? {};
  const lost = other?.evidence.kind === 'disproven' ? other.evidence.lost : [];
  return evidence?.kind === 'unknown' && evidence.paths.some((path) => lost.includes(path));
}

/** Postpones a plan that binds or creates what another resource is about to bind or create. */
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

/** Learns facts about the service that a comparison shows, in addition to those about the deployment. */
function teach(learning: Learning, { assessment }: Decided, { observation, plainLists }: Situation): void {
  if (observation.kind !== 'present') return;
  const { id, secrets: shown = [] } = observation.deployment;
  const { secrets } = assessment ?? {};
  // An answer says nothing about lists, which may mask what answers show, and it may show the state before the write.
  const isList = observation.via === 'list';
  if (isList && secrets !== undefined && secrets.asApplied.size > 0)
    learning.sawApplied(id, shown, secrets.asApplied);
  // A value that looks masked beside values that are shown plainly says nothing about those.
  if (secrets?.masked === true && isList && !plainLists.current) learning.sawMasks(id);
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

/** Returns when the oldest sweep that proves the absence began. */
function missingSince(observations: readonly (Observation | undefined)[]): number {
  const since = observations.map((seen) =>
    seen?.kind === 'absent' ? (seen.sinceMs ?? seen.beganMs) : Number.POSITIVE_INFINITY,
  );
  return Math.min(...since);
}
