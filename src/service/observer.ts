import { isMassAbsence } from '../model/mass-absence.ts';
import type { ConnectionError } from '../model/failure.ts';
import type { Identity, Observation, ObservedDeployment } from '../model/observation.ts';
import type { Freshness } from '../ports/external-client.ts';
import { untilAborted } from '../ports/abort.ts';
import type { Answers } from './answers.ts';
import type { IDsFilter, SingleRead } from './ids-filter.ts';
import { massAbsence } from './own-errors.ts';
import type { Need, Poller } from './poller.ts';
import type { Snapshot } from './snapshot.ts';

/** A sweep of so few calls is not worth a call of its own for one deployment. */
const CHEAP_SWEEP_CALLS = 2;

/** What an observer works with. */
export interface ObserverOptions {
  readonly poller: Poller;
  readonly idsFilter: IDsFilter;
  readonly answers: Answers;
  /** Ids that resources are bound to through this connection. */
  readonly boundIDs: () => readonly string[];
  /** What was seen puts the connection as a whole in doubt. */
  readonly onTrouble: (error: ConnectionError) => void;
}

/** Says of one deployment what the service shows: from shared sweeps, single reads and answers to our own writes. */
export class Observer {
  readonly #options: ObserverOptions;
  /** Deployments read by themselves after the newest sweep began, by id in lower case. */
  readonly #singles = new Map<string, SingleRead>();

  constructor(options: ObserverOptions) {
    this.#options = options;
  }

  /** What exists, no older than is asked; absence is proven by two complete passes. Throws a ConnectionError. */
  async observe(identity: Identity, freshness: Freshness, signal: AbortSignal): Promise<Observation> {
    const { notOlderThanMs, priority, proveAbsence = false } = freshness;
    const need = { notOlderThanMs, complete: proveAbsence, priority };
    const single = await this.#single(identity, need, signal);
    if (single !== undefined) return single;
    const snapshot = await this.#pass(need, signal);
    const seen = this.#lookUp(identity, snapshot, false);
    if (seen.kind !== 'absent' || !proveAbsence || !snapshot.provesAbsence) return seen;
    const second = await this.#pass({ ...need, after: snapshot }, signal);
    if (second.provesAbsence) this.#refuseMassAbsence(second);
    return this.#lookUp(identity, second, second.provesAbsence);
  }

  /** Absence of one is not concluded while most of the others are missing too. */
  #refuseMassAbsence({ byID }: Snapshot): void {
    if (!isMassAbsence(this.#options.boundIDs(), byID)) return;
    const error = massAbsence();
    this.#options.onTrouble(error);
    throw error;
  }

  /**
   * The deployment read by the ids filter, where a sweep would have to be made for it alone and takes many calls, or
   * is the first one and has not come to its end.
   * Undefined where a sweep has to judge.
   */
  async #single(identity: Identity, need: Need, signal: AbortSignal): Promise<Observation | undefined> {
    const { poller, idsFilter } = this.#options;
    if (identity.by !== 'id' || need.complete || !this.#isWorthACall(need)) return undefined;
    const id = identity.id.toLowerCase();
    const read = await untilAborted(idsFilter.read(id, need.priority), signal);
    if (read === undefined) return undefined;
    if (read === 'not shown') {
      const snapshot = await this.#pass(need, signal);
      if (snapshot.byID.has(id)) idsFilter.distrust();
      return this.#lookUp(identity, snapshot, false);
    }
    const sweptMs = poller.snapshot?.beganMs ?? 0;
    for (const [other, { beganMs }] of this.#singles) if (beganMs <= sweptMs) this.#singles.delete(other);
    this.#singles.set(id, read);
    return this.#judged(id, read.deployment, read.beganMs, false);
  }

  /** A sweep serves everybody, but what somebody asked for does not wait for the end of a long one. */
  #isWorthACall(need: Need): boolean {
    const { poller } = this.#options;
    const isAsked = need.priority === 'user';
    if (poller.isFirstOfMany) return isAsked && poller.secretsListed && poller.resourceSpecsListed;
    if ((poller.snapshot?.calls ?? 0) <= CHEAP_SWEEP_CALLS || poller.has(need)) return false;
    return isAsked || !poller.awaits(need);
  }

  #lookUp(identity: Identity, snapshot: Snapshot, proven: boolean): Observation {
    const { beganMs } = snapshot;
    const ids =
      identity.by === 'id'
        ? [identity.id.toLowerCase()]
        : (snapshot.byName.get(identity.name) ?? this.#created(identity.name));
    if (ids.length > 1) return { kind: 'ambiguous', ids, beganMs };
    const [id] = ids;
    if (id === undefined) return { kind: 'absent', proven, beganMs };
    const single = this.#singles.get(id);
    if (single !== undefined && single.beganMs > beganMs)
      return this.#judged(id, single.deployment, single.beganMs, proven);
    return this.#judged(id, snapshot.byID.get(id), beganMs, proven);
  }

  /** A read against what a write of ours was answered with (N30). */
  #judged(id: string, read: ObservedDeployment | undefined, beganMs: number, proven: boolean): Observation {
    const answer = this.#options.answers.outranking(id, read, beganMs);
    if (answer !== undefined) {
      return { kind: 'present', deployment: answer.deployment, beganMs: answer.endedMs, via: 'answer' };
    }
    if (read === undefined) return { kind: 'absent', proven, beganMs };
    return { kind: 'present', deployment: read, beganMs, via: 'list' };
  }

  #created(name: string): readonly string[] {
    const id = this.#options.answers.idNamed(name);
    return id === undefined ? [] : [id];
  }

  async #pass(need: Need, signal: AbortSignal): Promise<Snapshot> {
    signal.throwIfAborted();
    return untilAborted(this.#options.poller.ensure(need), signal);
  }
}
