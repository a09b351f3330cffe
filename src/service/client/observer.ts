import { defined } from '../../base/defined.ts';
import type { ConnectionError } from '../../model/connection/failure.ts';
import type { Observation, ObservedDeployment } from '../../model/external/observation.ts';
import type { Identity } from '../../model/desired/desired-deployment.ts';
import type { Freshness } from '../../ports/service/external-client.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import type { Absences } from './absences.ts';
import type { Answers } from './answers.ts';
import type { Doubts } from './doubts.ts';
import type { IDsFilter, SingleRead } from '../list/ids-filter.ts';
import { inDoubt } from '../limits/own-errors.ts';
import { KeptMap } from '../list/kept-map.ts';
import type { KeptShare } from '../limits/kept-room.ts';
import type { Need, Poller } from '../list/poller.ts';
import type { Snapshot, UnreadableItem } from '../list/snapshot.ts';

/** A sweep of at most this many calls is cheaper than a call for one deployment alone. */
const CHEAP_SWEEP_CALLS = 2;

/** A requirement for one deployment. */
type SingleNeed = Need & Required<Pick<Freshness, 'oneCall'>>;

/** A deployment to look for. */
interface Sought {
  readonly identity: Identity;
  /** The time since which it must be missing to count as absent. */
  readonly missingSinceMs: number;
  /** See `Freshness`. */
  readonly namesake?: Identity | undefined;
}

/** The parts of an observer. */
export interface ObserverOptions {
  readonly poller: Poller;
  readonly idsFilter: IDsFilter;
  readonly answers: Answers;
  readonly absences: Absences;
  readonly doubts: Doubts;
  /** Room for reads of single deployments. */
  readonly singlesShare: KeptShare;
  /** Called when a sighting puts the connection as a whole in doubt. */
  readonly onTrouble: (error: ConnectionError) => void;
  /** Aborts when the service asks for a pause: no pass holds a worker until the pause is over (H63). */
  readonly pausing: () => AbortSignal;
}

type Absent = Extract<Observation, { readonly kind: 'absent' }>;

/** Marks a deployment that a sweep does not show; the absences decide what follows. */
const MISSING = 'missing';

/** One deployment as a sweep shows it, or `missing`. */
type Looked = Observation | typeof MISSING;

/** Returns what the service shows of one deployment, from shared sweeps, single reads and answers to our own writes. */
export class Observer {
  readonly #options: ObserverOptions;
  /** Deployments read by themselves after the newest sweep began, by id in lower case. */
  readonly #singles: KeptMap<SingleRead>;
  /** The beginning of the sweep for which older reads were forgotten. */
  #forgottenMs = 0;
  #isStopped = false;

  constructor(options: ObserverOptions) {
    this.#options = options;
    this.#singles = new KeptMap(options.singlesShare);
  }

  /**
   * Returns the deployment, read no earlier than requested unless it is missing; two complete passes prove
   * absence. Throws a ConnectionError.
   */
  async observe(identity: Identity, freshness: Freshness, signal: AbortSignal): Promise<Observation> {
    const { absences } = this.#options;
    const { notOlderThanMs, priority, namesake } = freshness;
    const { proveAbsence = false, missingSinceMs = 0, oneCall = false } = freshness;
    const need = { notOlderThanMs, complete: proveAbsence, priority };
    const sought = { identity, missingSinceMs, namesake };
    if (!absences.isNew(identity, missingSinceMs)) return this.#lookAgain(sought, need, signal);
    const single = await this.#single(identity, { ...need, oneCall }, signal);
    if (single !== undefined) return this.#concluded(sought, single);
    if (!proveAbsence) {
      const snapshot = await this.#pass(identity, need, signal);
      return this.#concluded(sought, this.#lookUp(identity, snapshot), snapshot);
    }
    return this.#lookThoroughly(sought, need, signal);
  }

  /**
   * Returns a deployment as a list last showed it, in a read of its own or in a sweep; an answer to a write does not
   * count.
   */
  listed(id: string): ObservedDeployment | undefined {
    const { snapshot } = this.#options.poller;
    const key = id.toLowerCase();
    return this.#alone(key, snapshot)?.deployment ?? snapshot?.byID.get(key);
  }

  /** Makes two passes at once for a new question, so that a first creation does not take a minute (H32). */
  async #lookThoroughly(sought: Sought, need: Need, signal: AbortSignal): Promise<Observation> {
    const { identity, missingSinceMs } = sought;
    const recent = { ...need, notOlderThanMs: Math.max(need.notOlderThanMs, missingSinceMs) };
    const first = await this.#pass(identity, recent, signal);
    const seen = this.#noted(sought, first);
    if (seen !== MISSING || !first.provesAbsence) return this.#concluded(sought, seen, first);
    const second = await this.#pass(identity, { ...recent, after: first }, signal);
    this.#refuseInDoubt(second);
    return this.#concluded(sought, this.#noted(sought, second), second);
  }

  /**
   * Looks again. Callers who keep waiting share each other's reads, and one complete sweep per poll interval (R6).
   */
  async #lookAgain(sought: Sought, need: Need, signal: AbortSignal): Promise<Observation> {
    const { poller, absences } = this.#options;
    const { identity } = sought;
    const whole = { ...need, complete: true };
    const atHand = poller.snapshot;
    const isServed = atHand === undefined || poller.has(whole) || poller.awaits(whole);
    const snapshot =
      isServed || absences.takeTurn()
        ? await this.#pass(identity, whole, signal)
        : await this.#whole(identity, atHand, whole, signal);
    this.#refuseInDoubt(snapshot);
    return this.#concluded(sought, this.#noted(sought, snapshot), snapshot);
  }

  /** Throws while the list as a whole is in doubt: such a list does not prove that a deployment is absent. */
  #refuseInDoubt(snapshot: Snapshot): void {
    const doubt = snapshot.provesAbsence ? this.#options.doubts.about(snapshot) : undefined;
    if (doubt === undefined) return;
    const error = inDoubt(doubt);
    this.#options.onTrouble(error);
    throw error;
  }

  /**
   * Looks a deployment up in a pass, and remembers that the pass does not show it, unless the pass cannot be
   * believed.
   */
  #noted({ identity, namesake }: Sought, snapshot: Snapshot): Looked {
    const { absences, doubts } = this.#options;
    const seen = this.#lookUp(identity, snapshot);
    if (seen !== MISSING) return seen;
    const isDoubted = snapshot.provesAbsence && doubts.about(snapshot) !== undefined;
    if (isDoubted) return MISSING;
    absences.note(identity, snapshot);
    // The same pass may show that the name is free, for the deployment that takes its place.
    if (namesake && this.#lookUp(namesake, snapshot) === MISSING) absences.note(namesake, snapshot);
    return MISSING;
  }

  /** Concludes that a missing deployment is absent, with the proof if there is one. */
  #concluded(
    { identity, missingSinceMs }: Sought,
    seen: Looked,
    snapshot: Snapshot | undefined = this.#options.poller.snapshot,
  ): Observation {
    const { absences, doubts } = this.#options;
    if (seen !== MISSING) {
      absences.forget(identity);
      if (seen.kind === 'present' && seen.via === 'list') absences.settled(seen.deployment.id);
      return seen;
    }
    const nextLookMs = absences.nextLookMs(identity);
    const proof = absences.proof(identity, missingSinceMs);
    // Older sweeps prove nothing while the current list is in doubt, whether or not it reached its end.
    if (proof !== undefined && snapshot !== undefined && doubts.about(snapshot) === undefined) {
      const tenants = doubts.tenants(snapshot);
      const unlisted = absences.isUnlisted(identity);
      return {
        kind: 'absent',
        proven: true,
        ...proof,
        nextLookMs,
        tenants,
        ...(unlisted ? { unlisted } : {}),
      };
    }
    const why = absences.why(identity);
    const absent: Absent = { kind: 'absent', proven: false, beganMs: snapshot?.beganMs ?? 0, nextLookMs };
    return why === undefined ? absent : { ...absent, why };
  }

  /**
   * Returns the deployment as a call with the ids filter shows it. It calls if a sweep would begin only for this
   * deployment and takes many calls, or if the first sweep has not ended yet. Returns undefined if a sweep has to
   * judge.
   */
  async #single(identity: Identity, need: SingleNeed, signal: AbortSignal): Promise<Looked | undefined> {
    const { idsFilter } = this.#options;
    if (identity.by !== 'id' || need.complete) return undefined;
    const id = identity.id.toLowerCase();
    const known = this.#singles.get(id);
    if (known !== undefined && known.beganMs >= need.notOlderThanMs && !this.#options.poller.has(need))
      return this.#judged(id, known.deployment, known.beganMs);
    if (!this.#isWorthACall(need)) return undefined;
    const read = await this.#unlessPaused(() => idsFilter.read(id, need.priority), signal);
    if (read === undefined) return undefined;
    if (read === 'not shown') {
      const snapshot = await this.#pass(identity, need, signal);
      if (snapshot.byID.has(id)) idsFilter.distrust();
      return this.#lookUp(identity, snapshot);
    }
    return this.#judged(id, read.deployment, read.beganMs);
  }

  /**
   * True if a single call is worthwhile: a sweep serves all callers, but an edit and a rollout do not wait for the end
   * of a long one.
   */
  #isWorthACall(need: SingleNeed): boolean {
    const { poller } = this.#options;
    if (need.oneCall) return !poller.has(need);
    const isAsked = need.priority === 'user';
    if (poller.isFirstOfMany) return isAsked && poller.secretsListed && poller.resourceSpecsListed;
    if ((poller.snapshot?.calls ?? 0) <= CHEAP_SWEEP_CALLS || poller.has(need)) return false;
    return need.priority !== 'resync' || !poller.awaits(need);
  }

  #lookUp(identity: Identity, snapshot: Snapshot): Looked {
    const { beganMs } = snapshot;
    const unread = unreadItems(identity, snapshot);
    const ids = identity.by === 'id' ? [identity.id.toLowerCase()] : this.#idsNamed(identity.name, snapshot);
    const items = new Set([...ids, ...unread.map(nameOf)]);
    if (items.size > 1) return { kind: 'ambiguous', ids: [...items], beganMs };
    const [[id], [item]] = [ids, unread];
    const seen = id === undefined ? MISSING : this.#judgedByID(id, snapshot);
    if (seen !== MISSING || item === undefined) return seen;
    return { kind: 'unreadable', item: nameOf(item), problem: item.problem, beganMs };
  }

  #judgedByID(id: string, snapshot: Snapshot): Looked {
    const { beganMs } = snapshot;
    const single = this.#alone(id, snapshot);
    if (single !== undefined) return this.#judged(id, single.deployment, single.beganMs);
    const [first, ...others] = readsIn(snapshot, id).map((read) => this.#judged(id, read, beganMs));
    return first === undefined ? this.#judged(id, undefined, beganMs) : withTwins(first, others);
  }

  /** Returns the read of one deployment alone, if a snapshot shows less of it or is older. */
  #alone(id: string, snapshot: Pick<Snapshot, 'beganMs' | 'brief'> | undefined): SingleRead | undefined {
    const single = this.#singles.get(id);
    const { beganMs = 0, brief } = snapshot ?? {};
    if (single === undefined || single.beganMs < beganMs) return undefined;
    return single.beganMs > beganMs || brief?.has(id) === true ? single : undefined;
  }

  /** Judges a read by the answer to our last write (N30). */
  #judged(id: string, read: ObservedDeployment | undefined, beganMs: number): Looked {
    const answer = this.#options.answers.outranking(id, read, beganMs);
    if (answer !== undefined) {
      const { deployment, endedMs, overOlder: older } = answer;
      const outranked = read && { deployment: read, beganMs, ...defined({ older }) };
      return { kind: 'present', deployment, beganMs: endedMs, via: 'answer', ...defined({ outranked }) };
    }
    if (read === undefined) return MISSING;
    return { kind: 'present', deployment: read, beganMs, via: 'list' };
  }

  /**
   * Returns the ids of deployments with a name, including the id that the service returned for it before the list shows
   * it.
   */
  #idsNamed(name: string, { byName }: Snapshot): readonly string[] {
    const created = this.#options.answers.idNamed(name);
    return byName.get(name) ?? (created === undefined ? [] : [created]);
  }

  /** True if the deployment was read alone at `sinceMs` or later. */
  hasRead(id: string, sinceMs: number): boolean {
    return (this.#singles.get(id.toLowerCase())?.beganMs ?? 0) >= sinceMs;
  }

  /** Keeps a read until the next sweep, unless a newer one is kept or there is no room. */
  keepRead(read: SingleRead): void {
    // A call that was under way when the address changed says nothing about the new address.
    if (this.#isStopped) return;
    const { poller } = this.#options;
    const id = read.deployment.id.toLowerCase();
    this.#forgetSwept(poller.snapshot?.beganMs ?? 0);
    if ((this.#singles.get(id)?.beganMs ?? 0) > read.beganMs) return;
    poller.showsAlone(read.deployment);
    if (this.#singles.set(id, read)) poller.readAlone(id, read);
  }

  #forgetSwept(sweptMs: number): void {
    if (sweptMs === this.#forgottenMs) return;
    this.#forgottenMs = sweptMs;
    for (const [id, { beganMs }] of this.#singles.entries()) if (beganMs < sweptMs) this.#singles.delete(id);
  }

  /** Forgets all reads for good. */
  stop(): void {
    this.#isStopped = true;
    this.#singles.clear();
  }

  async #pass(identity: Identity, need: Need, signal: AbortSignal): Promise<Snapshot> {
    return this.#whole(identity, await this.#anyPass(need, signal), need, signal);
  }

  async #anyPass(need: Need, signal: AbortSignal): Promise<Snapshot> {
    signal.throwIfAborted();
    const { poller } = this.#options;
    return poller.has(need) ? poller.ensure(need) : this.#unlessPaused(() => poller.ensure(need), signal);
  }

  /**
   * Returns a snapshot, or a later one, that has the whole deployment. A sweep that began before a resource looked
   * for the deployment keeps only its name: then one call reads the rest, or another sweep if the service cannot read
   * single deployments.
   */
  async #whole(identity: Identity, found: Snapshot, need: Need, signal: AbortSignal): Promise<Snapshot> {
    const { poller, idsFilter } = this.#options;
    let snapshot = found;
    for (let id = this.#brief(identity, snapshot); id !== undefined; id = this.#brief(identity, snapshot)) {
      const wanted = id;
      const read = await this.#unlessPaused(() => idsFilter.read(wanted, need.priority), signal);
      const isRead = read !== undefined && read !== 'not shown';
      if (isRead && this.#singles.get(id) !== undefined) return snapshot;
      poller.want({ by: 'id', id });
      snapshot = await this.#anyPass({ ...need, after: snapshot }, signal);
    }
    return snapshot;
  }

  /** Returns the id of the deployment if a snapshot and later reads show no more than its name. */
  #brief(identity: Identity, snapshot: Snapshot): string | undefined {
    const ids =
      identity.by === 'id' ? [identity.id.toLowerCase()] : (snapshot.byName.get(identity.name) ?? []);
    // If several deployments have the name, the operator chooses none of them.
    const [id] = ids;
    if (ids.length !== 1 || id === undefined || !snapshot.brief.has(id)) return undefined;
    return this.#alone(id, snapshot) === undefined ? id : undefined;
  }

  /** Throws a ConnectionError if the gate is closed or closes meanwhile; the read continues for other callers. */
  async #unlessPaused<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const either = AbortSignal.any([signal, this.#options.pausing()]);
    either.throwIfAborted();
    return untilAborted(read(), either);
  }
}

/** Returns unreadable items that may be the deployment, if no readable item is. */
function unreadItems(identity: Identity, { unreadable, byID }: Snapshot): readonly UnreadableItem[] {
  const key = identity.by === 'id' ? `id ${identity.id.toLowerCase()}` : `name ${identity.name}`;
  return (unreadable.get(key) ?? []).filter(({ id }) => id === undefined || !byID.has(id));
}

/** Returns the name of an item for people. */
function nameOf({ id, name }: UnreadableItem): string {
  return id ?? `named ${name}`;
}

/**
 * Returns the versions of a deployment that one sweep showed; there are several if pages overlapped while it changed or
 * lagged.
 */
function readsIn({ byID, twins }: Snapshot, id: string): readonly ObservedDeployment[] {
  const read = byID.get(id);
  return read === undefined ? [] : [read, ...(twins.get(id) ?? [])];
}

/**
 * If one sweep shows a deployment several times, chooses the versions that count: those that no answer to our writes
 * outranks.
 */
function withTwins(first: Looked, others: readonly Looked[]): Looked {
  const [counts, ...rest] = [first, ...others].filter(isListed);
  if (counts === undefined) return first;
  return rest.length === 0 ? counts : { ...counts, twins: rest.map(({ deployment }) => deployment) };
}

function isListed(seen: Looked): seen is Extract<Observation, { readonly kind: 'present' }> {
  return seen !== MISSING && seen.kind === 'present' && seen.via === 'list';
}
