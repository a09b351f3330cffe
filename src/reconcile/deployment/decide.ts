import { observesOnly } from '../../api/deployment.ts';
import { keyOf, keyText } from '../../api/metadata.ts';
import { verdictDueMs } from '../../model/compare/assess.ts';
import type { DesiredSecrets } from '../../model/desired/desired-deployment.ts';
import { type Decided, makePlan } from '../../model/decide/make-plan.ts';
import { passSecrets, redactedPlan } from '../../model/outcome/pass-redaction.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Redact, statusRedactorOf } from '../../model/redaction/redact.ts';
import {
  changesWhatIsThere,
  isAsked,
  neededMs,
  permitsAreRare,
  unlessUnseen,
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
import {
  type DecideParts,
  type Findings,
  gather,
  type Look,
  look,
  situationOn,
  type Subject,
} from './gather.ts';

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

/** Resolves, observes and plans: the read-only half of a pass. The command `plan` runs this function over every key. */
export async function decide(subject: Subject, parts: DecideParts, signal: AbortSignal): Promise<Decision> {
  const { resource, service, remembered } = subject;
  const found = await gather(subject, parts, signal);
  const deciding = new Deciding({ ...subject, ...found }, parts, signal);
  const recent = await deciding.untilRecent(found.first);
  // While a resource waits a long time for its creation, for example for an approval, somebody else may create the
  // deployment.
  const longAgoMs = found.startedMs - 2 * service.settings.poll.intervalMs;
  if (recent.plan.kind === 'create' && missingSince([found.first.seen, found.namesake]) < longAgoMs)
    return decide({ ...subject, missingSinceMs: found.startedMs }, parts, signal);
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

  /** Decides on a look, and looks and decides again as long as the decision needs a newer look than it rests on. */
  async untilRecent(first: Look): Promise<Decision> {
    const { service, remembered, startedMs } = this.#about;
    const { clock, looksBeforeWriting } = this.#parts;
    let decision = this.#planOn(first);
    let lookedMs = clock.now();
    let hung = false;
    for (;;) {
      // A newer read may require an even newer one, but not one from after the first: a service may be slow.
      const looks = changesWhatIsThere(decision.plan) && looksBeforeWriting?.() === true;
      const notOlderThanMs = Math.max(neededMs(decision, remembered, lookedMs), looks ? startedMs : 0);
      if (decision.asOfMs >= notOlderThanMs) return decision;
      const oneCall = looks || remembered.passedUpMs !== undefined || permitsAreRare(service);
      decision = this.#planOn(await this.#look(notOlderThanMs, { oneCall }));
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
      decision = this.#planOn(await this.#look(dueMs));
      if (decision.assessment?.evidence.kind !== 'unknown') return decision;
    }
    const second = await this.#look(this.#parts.clock.now());
    const later = this.#planOn({ ...second, secondRead: true, earlier: seenBy(decision) });
    const provenBefore = provenInVain(decision, later);
    if (provenBefore === undefined) return later;
    // Either the second read is from a replica that lags, or somebody has changed the value since the first one. A third
    // read decides what is there now; it does not cancel what the first one has proven.
    const third = await this.#look(this.#parts.clock.now());
    return this.#planOn({
      ...third,
      ...{ secondRead: true, provenBefore, earlier: seenBy(decision) },
    });
  }

  #planOn(look: Look): Decision {
    const { service, secrets, startedMs, priority } = this.#about;
    const { learning, settings } = service;
    const situation = situationOn(look, this.#about, this.#parts);
    const seen = unlessUnseen(makePlan(situation), situation, look.notOlderThanMs);
    const decided = unlessClaimed(seen, situation, this.#parts.claims);
    teach(learning, decided, situation);
    // If this comparison has just shown that the service empties what is left out, the plan takes that into account too.
    if (learning.learned.omittedFields?.verdict !== situation.learned.omittedFields?.verdict)
      return this.#planOn(look);
    // If an answer outranks a later read, it counts as what the service shows at the time of that read.
    const { beganMs, kind } = situation.observation;
    const asOfMs = kind === 'present' ? Math.max(beganMs, look.notOlderThanMs) : beganMs;
    const redact = statusRedactorOf(passSecrets(secrets, settings));
    return {
      ...decided,
      plan: redactedPlan(decided.plan, redact),
      redact,
      secrets,
      ...{ service, situation, asOfMs, ownLook: asOfMs >= startedMs, decidedMs: this.#parts.clock.now() },
      priority: isAsked(decided.plan) ? 'user' : priority,
    };
  }

  #look(notOlderThanMs: number, how: Pick<Freshness, 'oneCall'> = {}): Promise<Look> {
    return look(this.#about, { notOlderThanMs, priority: this.#about.priority, ...how }, this.#signal);
  }
}

/** Returns the deployment in the look behind a decision. */
function seenBy({ situation: { observation } }: Decision): ObservedDeployment | undefined {
  return observation.kind === 'present' ? observation.deployment : undefined;
}

/** Returns what two reads prove of an announced write if the later one calls lost what the earlier one proves. */
function provenInVain(
  { assessment: one }: Decision,
  { assessment: other }: Decision,
): readonly string[] | undefined {
  const proven = one?.evidence.kind === 'unknown' ? one.evidence.paths : [];
  if (other?.evidence.kind !== 'disproven') return undefined;
  const { lost, paths } = other.evidence;
  return proven.some((path) => lost.includes(path)) ? [...proven, ...paths] : undefined;
}

/** Postpones a plan that binds or creates what another resource is about to bind or create. */
function unlessClaimed(decided: Decided, situation: Situation, claims: Claims): Decided {
  const target = claimedBy(decided.plan, situation);
  if (target === undefined || claims.take(keyText(keyOf(situation.resource)), target)) return decided;
  const holder = claims.holderOf(target);
  return { plan: { kind: 'postponed', againInMs: CLAIMED_MS, rotation: false, claimedBy: holder } };
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
  if (isList && assessment?.showsSecrets === true) learning.sawSent(id);
  // A value that looks masked beside values that are shown plainly says nothing about those.
  if (secrets?.masked === true && isList && !plainLists.current) learning.sawMasks(id);
  if ((assessment?.foundGone.length ?? 0) > 0) learning.foundLoss(id);
  if ((assessment?.unrestored.length ?? 0) > 0) learning.foundUnrestored(id);
}

/** Returns when the oldest sweep that proves the absence began. */
function missingSince(observations: readonly (Observation | undefined)[]): number {
  const since = observations.map((seen) =>
    seen?.kind === 'absent' ? (seen.sinceMs ?? seen.beganMs) : Number.POSITIVE_INFINITY,
  );
  return Math.min(...since);
}
