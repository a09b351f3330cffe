import {
  arrivalOf,
  isBehind,
  mayShowStateBefore,
  isFromBeforeFirstRevision,
  mayPrecede,
  mayPrecedeLoss,
} from '../../model/effects/arrival-of.ts';
import { afterUnshown, lacksUnlisted } from '../../model/effects/beyond-unshown.ts';
import {
  carriedOver,
  type Effect,
  effectOf,
  isShown,
  levelOf,
  partsOf,
  type Written,
} from '../../model/effects/effect-of.ts';
import { showsTwoRevisions } from '../../model/effects/made-revision.ts';
import { leftOpenBy, leftOutBy, untouchedBy, withoutDefaults } from '../../model/effects/untouched.ts';
import type { Observation, ObservedDeployment, ObservedSecret } from '../../model/external/observation.ts';
import { isSpecShown } from '../../model/external/shown.ts';
import type { Level, PatchBody } from '../../model/external/patch-body.ts';
import {
  believe,
  isProof,
  isSecretAnswered,
  type Learned,
  type Lesson,
  lessonOfRefusal,
  lessonsOf,
  mayBeRemovedSince,
  namesOf,
  newlySent,
  secretsVisibility,
  type Streak,
  type Topic,
} from '../../model/effects/learned.ts';
import type { Asked, Learning, News } from '../../ports/service/external-client.ts';
import {
  afterOthers,
  withListed,
  withoutGone,
  withoutOpen,
  withoutTaken,
} from '../../model/effects/taken.ts';
import { goneFromAnswer, hiddenIn, withoutBlocks } from '../../model/effects/hidden-answer.ts';
import { withoutFields } from '../../model/effects/without-fields.ts';
import { shareValue } from '../../model/recorded/masks.ts';
import { KeptMap } from '../list/kept-map.ts';
import type { KeptShare } from '../limits/kept-room.ts';
import { Trials } from './trials.ts';
import type { Clock } from '../../ports/process/clock.ts';

/** The first write, which the operator watches. */
interface Watched {
  readonly id: string;
  readonly untilMs: number;
}

/** A deployment in a list, and when the read of the list began. */
interface Look {
  readonly deployment: ObservedDeployment;
  readonly beganMs: number;
}

type Present = Extract<Observation, { readonly kind: 'present' }>;

/** The parts that learn on one connection. */
export interface LearningOptions {
  readonly clock: Clock;
  readonly windowMs: () => number;
  readonly onLearned: (news: News) => void;
  /** True once a list has shown secrets of any deployment of the connection, with or without a resource. */
  readonly areSecretsListed: () => boolean;
  /** Returns a share of the room for writes. Each map needs its own. */
  readonly newShare: () => KeptShare;
}

/** Learns from our own writes on one connection. Verdicts survive the process through the connection's status. */
export class ServiceLearning implements Learning {
  readonly #clock: Clock;
  readonly #windowMs: () => number;
  readonly #onLearned: (news: News) => void;
  readonly #areSecretsListed: () => boolean;
  /**
   * The writes that are remembered, by deployment. If there is no room for one, the operator knows as little about it
   * as after a restart.
   */
  readonly #written: KeptMap<Written>;
  /** The writes that a list has shown while their answer outranked it, by deployment. */
  readonly #outranking: KeptMap<Written>;
  /** The parts of newest answers that lists do not show, by deployment. */
  readonly #hidden: KeptMap<ObservedDeployment>;
  readonly #streaks = new Map<Topic, Streak>();
  readonly #writers = new Set<string>();
  #learned: Learned = {};
  #secretsPlain = false;
  /**
   * True once a list has shown secrets of some deployment: then a deployment without listed secrets has none.
   */
  #secretsListed = false;
  /**
   * The ends of the windows of writes whose secrets a list within the window did not show, by deployment. The list may be
   * older than the write, so only a list from after the window tells whether lists show secrets.
   */
  readonly #unlistedUntilMs = new Map<string, number>();
  readonly #shownPlainly = new Map<string, PlainSecrets>();
  /**
   * The deployments that lacked a value after a write for no known reason, or that lack one for good. The service may
   * have emptied more there, and set its defaults.
   */
  readonly #lacking = new Set<string>();
  /**
   * The newest write to each deployment, if its answer shows no new revision: some services make it late. A new process
   * does not know these writes.
   */
  readonly #unrevised = new Map<string, { readonly dueMs: number; readonly revisionID: string | null }>();
  /** The ends of the writes that did not teach Omitted, since somebody may have removed the secrets after them. */
  readonly #doubtedMs = new Map<string, number>();
  readonly #trials = new Trials();
  #watched: Watched | undefined;
  /** The deployment whose write was watched last. */
  #newestID: string | undefined;
  /** The resources that wait for the write that is watched. */
  readonly #refused = new Set<string>();

  constructor({ clock, windowMs, onLearned, areSecretsListed, newShare }: LearningOptions) {
    this.#written = new KeptMap(newShare());
    this.#outranking = new KeptMap(newShare());
    this.#hidden = new KeptMap(newShare());
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#onLearned = onLearned;
    this.#areSecretsListed = areSecretsListed;
  }

  get learned(): Learned {
    return this.#learned;
  }

  get secretsPlain(): boolean {
    return this.#secretsPlain;
  }

  get trial(): ReadonlySet<Level> | undefined {
    const { omittedFields } = this.#learned;
    if (omittedFields?.verdict !== 'Replace') return undefined;
    // Writes go one at a time: the operator restores the losses of one before it sends the next.
    if (this.#written.entries().some(([, written]) => leftOutBy(written).length > 0)) return undefined;
    return this.#trials.due(omittedFields.count, this.#streaks.has('omittedFields'));
  }

  /** Takes over the lessons of an earlier process; lessons of this process count more. */
  remember(stored: Learned): void {
    if (isOfAnother(stored, this.#learned.tenantID)) return;
    const { secretsVisibility: visibility, ...others } = stored;
    // The stored status may be older than a list that showed secrets.
    const isDisproven = this.#secretsListed && visibility?.verdict === 'Omitted';
    this.#learned = { ...(isDisproven ? others : stored), ...this.#learned };
  }

  /** Forgets the lessons if they hold for another tenant: that may be another service. */
  belongsTo(tenantID: string): void {
    if (!isOfAnother(this.#learned, tenantID)) {
      this.#learned = { ...this.#learned, tenantID };
      return;
    }
    this.#learned = { tenantID };
    this.#believeValues(false);
    this.#secretsListed = false;
    this.#unlistedUntilMs.clear();
    this.#lacking.clear();
    this.#doubtedMs.clear();
    this.#unrevised.clear();
    this.#streaks.clear();
    this.#trials.forget();
    this.#onLearned({ kind: 'lesson' });
  }

  wrote(id: string, written: Written, shown = written.answer): void {
    const earlier = this.#written.get(id);
    const { endedMs, dueMs, answer, listed } = written;
    // Later lists judge both writes together, by the values that this one found.
    if (earlier !== undefined && earlier.effect === undefined && listed !== undefined)
      this.#noteLacking(earlier, listed, []);
    // A repair without proof is repeated once, with the values from before the loss, or until the service answers it.
    const isRepair = (earlier?.effect?.lost ?? []).length > 0;
    const isRepeated = earlier?.effect?.repair === undefined || written.answered === false;
    const previous = earlier?.effect === undefined ? earlier?.body : undefined;
    const followsUnrevised = this.#followsUnrevised(id, written);
    this.#noteRevision(id, written);
    const goneInAnswer = this.#noteHidden(id, written, shown);
    const known = withoutOpen(earlier, { ...written, previous, followsUnrevised, ...goneInAnswer });
    const next =
      earlier?.effect !== undefined && isRepair && isRepeated && answer === undefined
        ? { ...earlier, endedMs, dueMs, effect: { ...earlier.effect, repair: written } }
        : withoutGone(earlier, carriedOver(earlier, afterUnshown(earlier, known)));
    this.#written.set(id, next);
    this.#outranking.delete(id);
    // A write without secrets leaves open whether lists show those of the one before.
    if (written.body.secrets !== undefined) this.#unlistedUntilMs.delete(id);
    this.#writers.add(id);
    if (leftOutBy(written).length === 0) this.#trials.wroteWhole();
  }

  /** Remembers the part of an answer that lists do not show, and returns what has gone from it since the answer before. */
  #noteHidden(
    id: string,
    written: Written,
    shown: ObservedDeployment | undefined,
  ): Pick<Written, 'goneInAnswer'> {
    const before = this.#hidden.get(id);
    const next =
      shown === undefined ? before && withoutBlocks(before, written.body) : hiddenIn(shown, written);
    if (next === undefined) this.#hidden.delete(id);
    else this.#hidden.set(id, next);
    const gone = before && shown ? goneFromAnswer(before, shown, written) : [];
    return gone.length === 0 ? {} : { goneInAnswer: gone };
  }

  /** True if the write before may still make its revision. */
  #followsUnrevised(id: string, { before, endedMs }: Written): boolean {
    const earlier = this.#unrevised.get(id);
    return (
      earlier !== undefined &&
      endedMs < earlier.dueMs &&
      earlier.revisionID === (before.latestRevisionID ?? null)
    );
  }

  /** Remembers a write whose revision was not shown, and forgets those whose windows are over. */
  #noteRevision(id: string, { before, answer, endedMs, dueMs }: Written): void {
    const { latestRevisionID: revisionID = null } = before;
    const isRevised = typeof answer?.latestRevisionID === 'string' && answer.latestRevisionID !== revisionID;
    this.#unrevised.delete(id);
    for (const [other, { dueMs: untilMs }] of this.#unrevised) {
      if (untilMs > endedMs) break;
      this.#unrevised.delete(other);
    }
    if (!isRevised) this.#unrevised.set(id, { dueMs, revisionID });
  }

  /** Forgets all writes for good. */
  stop(): void {
    this.#unrevised.clear();
    this.#written.clear();
    this.#outranking.clear();
    this.#hidden.clear();
    this.#unlistedUntilMs.clear();
  }

  /** Records that the service refused a PATCH permanently. */
  refused(id: string, { before, body }: Asked): void {
    const lesson = lessonOfRefusal(body, before);
    if (lesson !== undefined) this.#take(id, lesson);
  }

  abandoned(id: string): void {
    // The effect of the previous write is not known yet.
    if (!this.#written.has(id)) this.#endWatch(id);
  }

  wroteTo(id: string): boolean {
    return this.#writers.has(id);
  }

  foundLoss(id: string): void {
    this.#take(id, { topic: 'omittedFields', verdict: 'Replace' });
  }

  foundUnrestored(id: string): void {
    this.#lacking.add(id);
  }

  written(id: string): Written | undefined {
    return this.#written.get(id);
  }

  outranking(id: string): Written | undefined {
    return this.#written.get(id) ?? this.#outranking.get(id);
  }

  get shownPlainly(): ReadonlyMap<string, PlainSecrets> {
    return this.#shownPlainly;
  }

  sawApplied(id: string, all: readonly ObservedSecret[], names: ReadonlySet<string>): void {
    this.#shownPlainly.set(id, plainSecrets(all, names));
  }

  sawSent(id: string): void {
    if (!this.#secretsPlain) this.#take(id, { topic: 'secretsVisibility', verdict: 'Plain' });
  }

  sawMasks(id: string): void {
    this.#take(id, { topic: 'secretsVisibility', verdict: 'Masked' });
  }

  owedSinceMs(id: string): number {
    const written = this.#written.get(id);
    if (written === undefined || written.effect !== undefined) return 0;
    if (leftOpenBy(written, written.answer).length === 0) return 0;
    // Lists may lag by a number of reads instead of a time, so reads at the beginning and the end are not enough (N30).
    const middleMs = (written.endedMs + written.dueMs) / 2;
    return this.#clock.now() < middleMs ? written.endedMs : middleMs;
  }

  /**
   * Takes a list into account on which no decision may rest. If it lacks something while it still shows the state
   * before our write, then a person removed that; a later list that lacks more would hide this.
   */
  glance(list: ObservedDeployment, beganMs: number): void {
    const written = this.#written.get(list.id);
    if (written === undefined || written.effect !== undefined || beganMs < written.endedMs) return;
    if (list.latestRevisionID !== written.before.latestRevisionID) return;
    if (arrivalOf(written, list, beganMs) !== 'open') return;
    const { lost, dropped } = effectOf(written, list, 'open');
    const next = withoutTaken(written, list);
    if (lost.length + dropped.length === 0 && next !== written) this.#written.set(list.id, next);
  }

  see(id: string, observation: Observation): void {
    if (observation.kind !== 'present') return;
    const list = observation.via === 'list' ? observation : observation.outranked;
    const before = this.#writtenBefore(id, observation);
    if (list === undefined) return;
    this.#seeContent(list, before);
    const written = before && this.#judgedBy(id, before, list);
    if (written === undefined) return;
    const { deployment, beganMs } = list;
    if (written.effect !== undefined) {
      this.#seePutBack(id, written, list);
      return this.#seeRepair(id, written, list);
    }
    const arrival = arrivalOf(written, deployment, beganMs);
    const effect = effectOf(written, deployment, arrival);
    const { lost, dropped } = effect;
    const kept = arrival === 'open' ? [] : this.#telling(written, deployment, effect);
    const isWhole = lost.length + dropped.length === 0;
    if (observation.via === 'answer') {
      // A value that lists showed earlier may belong to an older state.
      const { listed = written.before } = written;
      if (arrivalOf({ ...written, before: listed }, deployment, beganMs) !== 'shown')
        return void this.#written.set(id, withListed(withoutTaken(written, deployment), deployment));
      // While the answer takes precedence over this list, the operator restores nothing because of the list.
      if (!isWhole) return void this.#written.set(id, { ...written, lacked: true });
    }
    if (isWhole && (arrival === 'open' || mayPrecede(written, list)))
      return void this.#written.set(id, withListed(withoutTaken(written, deployment), deployment));
    if (isWhole && arrival === 'due' && this.#mayBeOld(written, list)) return;
    if (lost.length > 0) this.#trials.lost(lost.map((path) => levelOf(path, written.body)));
    const mayNotBeThere = isUnanswered(written) || mayShowStateBefore(written, deployment, arrival);
    const seen = this.#shownPlainly.get(id)?.all;
    const lessons = lessonsOf(written, deployment, { lost, kept, seen, arrival, beganMs });
    this.#takeFrom(list, mayNotBeThere ? lessons.filter(isProof) : lessons, written);
    this.#endWatch(id);
    if (observation.via === 'answer') this.#outranking.set(id, written);
    // A loss stays in memory until the next write restores it.
    if (isWhole) this.#written.delete(id);
    else this.#written.set(id, { ...written, effect: { lost, dropped } });
  }

  /**
   * Returns the write that a list judges, or undefined. Notes a list that shows the write with all that it left out, but
   * lacks a value of an earlier write that no list has shown: it is older than both, or lists hide the value. If a list that
   * must show both lacks the value too, lists hide it. Then somebody else removed what is missing since the noted list, and
   * the write is forgotten.
   */
  #judgedBy(id: string, written: Written, list: Look): Written | undefined {
    const { deployment, beganMs } = list;
    if (beganMs < written.endedMs || isFromBeforeFirstRevision(written, list)) return undefined;
    const { effect, dueMs, seemedWhole } = written;
    if (effect !== undefined || !lacksUnlisted(written, deployment)) return written;
    const isDue = beganMs >= dueMs;
    const { lost, dropped } = effectOf(written, deployment, isDue ? 'due' : 'shown');
    const isWhole = lost.length + dropped.length === 0;
    if (!isDue && isWhole && arrivalOf({ ...written, asIfHidden: true }, deployment, beganMs) === 'shown') {
      const noted = { ...written, seemedWhole: true } as const;
      this.#written.set(id, noted);
      return noted;
    }
    if (!isDue || isWhole || seemedWhole !== true) return written;
    this.#endWatch(id);
    this.#written.delete(id);
    return undefined;
  }

  /**
   * Returns our write before a look, with newer values of others that the look shows. A list that an answer outranks may
   * be older than the look before the write.
   */
  #writtenBefore(id: string, { via, deployment, beganMs }: Present): Written | undefined {
    const written = this.#written.get(id);
    const mayBeNewer = written !== undefined && via === 'list' && beganMs >= written.endedMs;
    return mayBeNewer ? afterOthers(written, deployment) : written;
  }

  /** Returns the kept values that teach something. */
  #telling(written: Written, list: ObservedDeployment, { lost, dropped, kept }: Effect): readonly string[] {
    this.#noteLacking(written, list, lost);
    // A loss without a known reason says nothing about the other fields, nor do values that a list lacked for a while.
    if (dropped.length > 0 || written.lacked === true) return [];
    return this.#lacking.has(list.id) ? withoutDefaults(kept, list) : kept;
  }

  /** Remembers a deployment that lacks a value after a write for no known reason. */
  #noteLacking(written: Written, list: ObservedDeployment, lost: readonly string[]): void {
    const { before, listed = before, body, answer, emptied = [] } = written;
    // An answer that shows a value proves that somebody removed it later.
    const open = new Set(leftOpenBy(written, answer));
    const isUnexplained = (path: string): boolean =>
      open.has(path) && !lost.includes(path) && !emptied.includes(path);
    const { lost: gone } = untouchedBy({ before: withoutFields(listed, emptied), body }, list);
    if (gone.some(isUnexplained)) this.#lacking.add(list.id);
  }

  /** Notes that a list shows a resource spec, which disproves that lists hide them. */
  #seeSpec(list: ObservedDeployment): void {
    if (this.#learned.resourceSpecs?.verdict !== 'Hidden' || !isSpecShown(list)) return;
    this.#take(list.id, { topic: 'resourceSpecs', verdict: 'Listed' });
  }

  /** Learns from the resource spec and the secrets in a list, and from their absence. */
  #seeContent(list: Look, written: Written | undefined): void {
    this.#seeSpec(list.deployment);
    if ((list.deployment.secrets ?? []).length > 0) this.#seeListed();
    this.#seeValues(list.deployment, written);
    this.#seeUnlisted(list);
  }

  /**
   * Takes the values of a list as shown unchanged if it shows a value that we have just sent, also if another client has
   * edited the others since, or if one of ours stands as it was last shown unchanged.
   */
  #seeValues(list: ObservedDeployment, written: Written | undefined): void {
    const { id, secrets = [] } = list;
    const seen = this.#shownPlainly.get(id)?.ours ?? [];
    const shown = awaitedIn(written).find((sent) => secretsVisibility(sent, list)?.verdict === 'Plain');
    if (shown && !this.#secretsPlain) this.#take(id, { topic: 'secretsVisibility', verdict: 'Plain' });
    const ours = shown ? newlySent(shown) : seen.filter((secret) => shareValue([secret], secrets));
    if (ours.length > 0) this.#shownPlainly.set(id, plainSecrets(secrets, namesOf(ours)));
  }

  /**
   * Takes lessons of a list. If lists show secrets of any deployment, or the answer shows those of the write, the lesson
   * that lists show none waits for a later list if this one may be older than the write. If lists show secrets, it is not
   * taken if somebody may have removed the secrets since.
   */
  #takeFrom({ deployment, beganMs }: Look, lessons: readonly Lesson[], written: Written): void {
    const { id } = deployment;
    const areListed = this.#areSecretsListed();
    for (const lesson of lessons)
      if (lesson.verdict !== 'Omitted') this.#take(id, lesson);
      else if (areListed && this.#isDoubtful(written, deployment)) continue;
      else if (beganMs < written.dueMs && (areListed || isSecretAnswered(written)))
        this.#unlistedUntilMs.set(id, written.dueMs);
      else this.#takeOmitted(id);
  }

  /**
   * True if somebody may have removed the secrets of a deployment after a write. Later writes are not doubted: lists may
   * hide its secrets, and each write may lead to another revision than its answer shows.
   */
  #isDoubtful(written: Written, list: ObservedDeployment): boolean {
    const doubtedMs = this.#doubtedMs.get(list.id) ?? written.endedMs;
    if (doubtedMs !== written.endedMs || !mayBeRemovedSince(written, list)) return false;
    this.#doubtedMs.set(list.id, doubtedMs);
    return true;
  }

  /** Notes that a list shows secrets, which disproves that lists show none. */
  #seeListed(): void {
    this.#secretsListed = true;
    const { secretsVisibility: visibility, ...others } = this.#learned;
    if (visibility?.verdict !== 'Omitted') return;
    this.#learned = others;
    this.#onLearned({ kind: 'lesson' });
  }

  /** Judges by a list whether an earlier list lacked secrets because it was old, or because lists show none. */
  #seeUnlisted({ deployment, beganMs }: Look): void {
    const { id, secrets = [] } = deployment;
    const untilMs = this.#unlistedUntilMs.get(id);
    if (untilMs === undefined || (secrets.length === 0 && beganMs < untilMs)) return;
    this.#unlistedUntilMs.delete(id);
    if (secrets.length === 0) this.#takeOmitted(id);
  }

  #takeOmitted(id: string): void {
    if (!this.#secretsListed) this.#take(id, { topic: 'secretsVisibility', verdict: 'Omitted' });
  }

  /**
   * True for a list that shows nothing of a write although it must. A list from a lagging replica may be older than the
   * window, so a second list has to show as little.
   */
  #mayBeOld(
    written: Written,
    { deployment, beganMs }: { readonly deployment: ObservedDeployment; readonly beganMs: number },
  ): boolean {
    if (isBehind(written, deployment)) return true;
    const { unseenMs = beganMs } = written;
    if (beganMs <= unseenMs) this.#written.set(deployment.id, { ...written, unseenMs });
    return beganMs <= unseenMs;
  }

  /**
   * Judges a repair by a list. A value that the list shows again is no longer lost. If some values are back, the repair
   * arrived, and somebody removed the values that are still missing. The same may hold if somebody made another
   * revision next to that of the repair. A list that does not show the block of a value says nothing about it, nor does one
   * that may be from before the loss.
   */
  #seeRepair(id: string, written: Written, look: Look): void {
    const { effect } = written;
    if (effect?.repair === undefined || mayPrecedeLoss(written, effect.repair, look)) return;
    const list = look.deployment;
    const { kept, lost } = untouchedBy(written, list);
    const open = effect.lost.filter((path) => !kept.includes(path));
    if (open.length === 0) return void this.#written.delete(id);
    if (open.length === effect.lost.length && !showsTwoRevisions(effect.repair, list)) return;
    const hidden = open.filter((path) => !lost.includes(path));
    const gone = open
      .filter((path) => lost.includes(path))
      .flatMap((path) => partsOf(path, written.before, list));
    this.#written.set(id, {
      ...written,
      effect: { ...effect, lost: hidden, dropped: [...effect.dropped, ...gone] },
    });
  }

  /**
   * Forgets lost values that another client put back before any repair: if they go away again, our write is not the
   * cause. Only a list that shows our write can tell.
   */
  #seePutBack(
    id: string,
    written: Written,
    { deployment, beganMs }: { readonly deployment: ObservedDeployment; readonly beganMs: number },
  ): void {
    const { effect, dueMs } = written;
    if (effect === undefined || effect.repair !== undefined || beganMs < dueMs) return;
    const isWritten = arrivalOf(written, deployment, beganMs) === 'shown';
    const { kept } = untouchedBy(written, deployment);
    const lost = effect.lost.filter((path) => !isWritten || !kept.includes(path));
    const dropped = effect.dropped.filter((path) => isShown(deployment, path) !== true);
    if (lost.length + dropped.length === effect.lost.length + effect.dropped.length) return;
    if (lost.length + dropped.length === 0) this.#written.delete(id);
    else this.#written.set(id, { ...written, effect: { ...effect, lost, dropped } });
  }

  pioneers(id: string): boolean {
    if (this.#learned.omittedFields !== undefined) return false;
    return this.#isFree() || this.#watched?.id === id;
  }

  isAwaited(id: string): boolean {
    return this.#watched?.id === id && !this.#isFree();
  }

  mayWrite(id: string, observation: Observation, body: PatchBody): boolean {
    if (this.#learned.omittedFields !== undefined || observation.kind !== 'present') return true;
    if (leftOutBy({ before: observation.deployment, body }).length === 0) return true;
    const isOwn = this.#watched?.id === id;
    if (isOwn && !this.#written.has(id)) {
      // The write was not sent yet and was decided again: the effect that others wait for is still to come.
      this.#watch(id);
      return true;
    }
    if (!this.#isFree()) {
      if (!isOwn) this.#refused.add(id);
      return isOwn;
    }
    if (this.#givesWay(id)) return false;
    this.#watch(id);
    this.#refused.delete(id);
    return true;
  }

  #watch(id: string): void {
    this.#watched = { id, untilMs: this.#clock.now() + this.#windowMs() };
    this.#newestID = id;
  }

  #isFree(): boolean {
    return this.#watched === undefined || this.#clock.now() > this.#watched.untilMs;
  }

  /** Lets the waiting writes go first, once, if a watched write showed nothing. */
  #givesWay(id: string): boolean {
    const gives = this.#newestID === id && this.#refused.size > 0;
    if (gives) this.#refused.clear();
    return gives;
  }

  #endWatch(id: string): void {
    if (this.#watched?.id !== id) return;
    this.#watched = undefined;
    const mayAllGo = this.#learned.omittedFields !== undefined;
    const waiting = [...this.#refused].slice(0, mayAllGo ? undefined : 1);
    if (waiting.length > 0) this.#onLearned({ kind: 'watched', waiting });
  }

  #believeValues(plain: boolean): void {
    this.#secretsPlain = plain;
    if (!plain) this.#shownPlainly.clear();
  }

  #take(id: string, lesson: Lesson): void {
    const wasPlain = this.#secretsPlain;
    if (lesson.topic === 'secretsVisibility') this.#believeValues(lesson.verdict === 'Plain');
    const { learned, streak } = believe(this.#learned, lesson, {
      deploymentID: id,
      writers: this.#writers.size,
      streak: this.#streaks.get(lesson.topic),
      nowMs: this.#clock.now(),
    });
    if (streak === undefined) this.#streaks.delete(lesson.topic);
    else this.#streaks.set(lesson.topic, streak);
    // An earlier process knew about values, but this one needs its own proof, which counts as news as well.
    const isLesson = learned !== this.#learned;
    if (!isLesson && wasPlain === this.#secretsPlain) return;
    this.#learned = learned;
    this.#onLearned({ kind: isLesson ? 'lesson' : 'seen' });
  }
}

/**
 * Returns the writes that a list may show first: a repair, which may also carry secrets that were never sent before, the
 * newest write, and the earlier ones that no list had shown. The answer to an earlier one may show what lists do not.
 */
function awaitedIn(written: Written | undefined): readonly Written[] {
  if (written === undefined) return [];
  const { effect, before, listed = before, unshown = [] } = written;
  const earlier = unshown.map((body) => ({ ...written, before: listed, body, answer: undefined }));
  return [effect?.repair, written, ...earlier].filter((sent) => sent !== undefined);
}

/** The secrets of a deployment in a list that showed some of ours unchanged, and these. */
interface PlainSecrets {
  readonly all: readonly ObservedSecret[];
  readonly ours: readonly ObservedSecret[];
}

function plainSecrets(all: readonly ObservedSecret[], names: ReadonlySet<string>): PlainSecrets {
  return { all, ours: all.filter(({ name }) => names.has(name)) };
}

/** True if nothing of the service came back after a write: the write may not have arrived. */
function isUnanswered({ answered, pageCame }: Written): boolean {
  return answered === false || pageCame === true;
}

function isOfAnother(lessons: Learned, tenantID: string | undefined): boolean {
  return tenantID !== undefined && lessons.tenantID !== undefined && lessons.tenantID !== tenantID;
}
