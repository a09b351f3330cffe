import { leavesOutAsked, showsArrival } from '../../model/effects/shows-arrival.ts';
import { showsBefore } from '../../model/effects/shows-before.ts';
import { defined } from '../../base/defined.ts';
import type { ObservedDeployment } from '../../model/external/observation.ts';
import type { PatchBody } from '../../model/external/patch-body.ts';
import { namedConfigs } from '../../model/external/named-only.ts';
import { KeptMap } from '../list/kept-map.ts';
import type { KeptShare } from '../limits/kept-room.ts';
import { sameShown } from '../list/snapshot.ts';
import { type AskedBlock, completed, hollowLists, type ListBlock, withLater } from './completed-answer.ts';
import {
  type AnsweredWrite,
  changesSeveral,
  isFromAfter,
  isFromBefore,
  showsOlderStates,
  showsStateBefore,
  showsWrite,
} from './shows-write.ts';

/** The answer of the service to one of our writes. */
export interface Answer {
  readonly deployment: ObservedDeployment;
  readonly endedMs: number;
  /** The time until which a read may show the state before the write. */
  readonly untilMs: number;
  /** True for an answer over a read that shows the state before a write: nothing in that read is newer. */
  readonly overOlder?: true;
}

type Remembered = Answer &
  AnsweredWrite & {
    /** The original answer, if it does not show which revision is the newest. */
    readonly told: ObservedDeployment | undefined;
    /** See `hollowLists`; absent if there are none. */
    readonly hollow: readonly ListBlock[] | undefined;
    /** Earlier writes whose windows were not over at this one; absent if there are none. */
    readonly earlier: readonly EarlierWrite[] | undefined;
  };

/** A write, the deployment before it, and the time until which a read may show that. */
interface EarlierWrite {
  readonly before: ObservedDeployment;
  readonly body: PatchBody;
  readonly untilMs: number;
}

/** Number of revisions of a deployment that are remembered: a replica does not lag by more. */
const MOST_REVISIONS = 10;

/** Number of writes before the last one that are remembered. */
const MOST_EARLIER = 2;

/**
 * Keeps the answers to our own writes for as long as the list may lag behind them (N30). Within the window the answer
 * is the truth. A read counts only if it began after the answer, and agrees with it or shows a change of the write:
 * then somebody made the other differences since. Once a read has shown the write, later reads count unless they show
 * an earlier state. A write whose answer shows the revision from before it made no revision: a read under a new revision is later
 * than the answer, whatever it shows.
 */
export class Answers {
  readonly #answers: KeptMap<Remembered>;
  /** The time at which the first read that shows the remembered write of a deployment began. */
  readonly #shownMs = new Map<string, number>();
  /** The newest revisions that reads have shown of each deployment. */
  readonly #revisions = new Map<string, readonly string[]>();

  constructor(share: KeptShare) {
    this.#answers = new KeptMap(share);
  }

  /**
   * Records the answer to a write that asked for `asked`, on top of the deployment shown `before` the write. An
   * answer may leave out blocks and keys for which the write did not ask (N14); these then stay as before. An answer
   * that leaves out requested fields, or shows them as before, says nothing about the write and outranks no read,
   * whatever else it shows. Returns false if there is no room for it.
   */
  put(
    answer: Answer,
    {
      before,
      asked,
      body,
    }: {
      readonly before: ObservedDeployment | undefined;
      readonly asked: readonly AskedBlock[];
      readonly body?: PatchBody | undefined;
    },
  ): boolean {
    const deployment = completed(answer.deployment, before, body);
    const silent = asked.some(
      (block) => answer.deployment[block] === undefined && before?.[block] !== undefined,
    );
    const key = keyOf(deployment.id);
    // Earlier answers are outdated now.
    if (silent || (before !== undefined && tellsNothing(answer.deployment, deployment, { before, body }))) {
      this.forget(key);
      return true;
    }
    const told = deployment.latestRevisionID === undefined ? answer.deployment : undefined;
    const older = [
      ...new Set([
        ...(this.#answers.get(key)?.older ?? []),
        ...(this.#revisions.get(key) ?? []),
        before?.latestRevisionID,
      ]),
    ];
    const empty = hollowLists(answer.deployment, body);
    const hollow = empty.length === 0 ? undefined : empty;
    const earlier = this.#earlierAt(key, answer.endedMs);
    this.#shownMs.delete(key);
    return this.#answers.set(key, { ...answer, told, hollow, deployment, before, older, earlier, body });
  }

  /** Returns the writes before which a lagging replica may still show a deployment at a time. */
  #earlierAt(key: string, atMs: number): readonly EarlierWrite[] | undefined {
    const last = this.#answers.get(key);
    if (last === undefined) return undefined;
    const writes = writesOf(last).filter(({ untilMs }) => atMs < untilMs);
    return writes.length === 0 ? undefined : writes.slice(-MOST_EARLIER);
  }

  /** Forgets the answers of a deployment that the service reports as deleted, or as being deleted. */
  forget(id: string): void {
    const key = keyOf(id);
    this.#answers.delete(key);
    this.#shownMs.delete(key);
  }

  /** Forgets all answers for good. */
  stop(): void {
    this.#answers.clear();
    this.#shownMs.clear();
    this.#revisions.clear();
  }

  /** Returns the answer that outranks a read begun at `beganMs`, or undefined if the read counts. */
  outranking(id: string, read: ObservedDeployment | undefined, beganMs: number): Answer | undefined {
    const key = keyOf(id);
    const answer = this.#answers.get(key);
    if (read !== undefined) this.#note(key, read);
    if (answer === undefined) return undefined;
    if (beganMs >= answer.untilMs) {
      this.forget(id);
      return undefined;
    }
    if (beganMs < answer.endedMs) return answer;
    const shownMs = this.#shownMs.get(key) ?? Number.POSITIVE_INFINITY;
    const look = read && { deployment: read, beganMs };
    if (beganMs > shownMs && (look === undefined || !isOlder(answer, look))) return undefined;
    if (look === undefined || read === undefined) return answer;
    const isState = showsState(answer, look);
    if (showsWrite(answer, read) && !isState) {
      this.#shownMs.set(key, Math.min(beganMs, shownMs));
      return undefined;
    }
    if (agrees(answer.deployment, read)) return undefined;
    const beside = isFromAfter(answer, read) ? besideLater(answer, read) : answer;
    const counted = beside && withEmptyLists(beside, read);
    return counted && isState ? { ...counted, overOlder: true } : counted;
  }

  #note(key: string, { latestRevisionID: revision }: ObservedDeployment): void {
    const known = this.#revisions.get(key) ?? [];
    if (typeof revision !== 'string' || known.includes(revision)) return;
    this.#revisions.set(key, [...known, revision].slice(-MOST_REVISIONS));
  }

  /** Returns the id that one of our writes gave to a name, before the list shows it. */
  idNamed(name: string): string | undefined {
    for (const [id, { deployment }] of this.#answers.entries()) if (deployment.name === name) return id;
    return undefined;
  }
}

/** A read of a deployment, and when it began. */
interface Look {
  readonly deployment: ObservedDeployment;
  readonly beganMs: number;
}

/** True for a read from a replica that is still behind the write: it shows a revision or values from before the write. */
function isOlder(answer: Remembered, look: Look): boolean {
  const { before, body } = answer;
  const read = look.deployment;
  const isBefore = before !== undefined && body !== undefined && showsBefore({ before, body }, read);
  return (isBefore && !isFromAfter(answer, read)) || isFromBefore(answer, read) || showsState(answer, look);
}

/**
 * True if a read shows the whole configuration as it was before a write within its window, and the answer to the last
 * write still shows what that write set. A repair may have the values of that state too. If our last write took the
 * values of an earlier one back, or changed only one value, somebody may have set that state again. The same holds for
 * secrets if the read lists none. The read may be newer than the look before that write, or older than its window: see
 * `showsStateBefore` and `showsOlderStates`.
 */
function showsState(answer: Remembered, { deployment: read, beganMs }: Look): boolean {
  if (agrees(answer.deployment, read)) return false;
  const [writes, { earlier = [] }] = [writesOf(answer), answer];
  const several = changesSeveral(answer);
  const stands = ({ before, body }: EarlierWrite): boolean =>
    showsArrival({ before, body: listedOf(body, read) }, answer.deployment);
  const isBefore = (several ? writes : earlier).some(
    (write, at) =>
      beganMs < write.untilMs &&
      (agrees(write.before, read) || showsStateBefore(writes.slice(at), answer, read)) &&
      stands(write),
  );
  return isBefore || (several && earlier.some(stands) && showsOlderStates(writes, answer, read));
}

/** Returns the parts of a request that a read would show: a list without secrets may hide them all. */
function listedOf({ secrets, secretReferences, ...body }: PatchBody, read: ObservedDeployment): PatchBody {
  return {
    ...body,
    ...((read.secrets ?? []).length > 0 ? defined({ secrets }) : {}),
    ...((read.secretReferences ?? []).length > 0 ? defined({ secretReferences }) : {}),
  };
}

/** Returns the remembered writes to a deployment, oldest first. */
function writesOf({ before, body, untilMs, earlier = [] }: Remembered): readonly EarlierWrite[] {
  return before === undefined || body === undefined ? earlier : [...earlier, { before, body, untilMs }];
}

/**
 * Judges an answer against a read under a revision that the look before the write did not show. If the answer shows the
 * revision from before the write, the read is later than both and counts. If the answer shows no revision, the read
 * replaces everything that the answer leaves out or shows as before the write: the write did not ask for that.
 */
function besideLater(answer: Remembered, read: ObservedDeployment): Remembered | undefined {
  const { told, deployment, before, body } = answer;
  if (told !== undefined)
    return { ...answer, deployment: withLater(completed(told, read, body), before, read) };
  return deployment.latestRevisionID === before?.latestRevisionID ? undefined : answer;
}

/** Completes an answer with a later read: a list that both show without content is empty. */
function withEmptyLists(answer: Remembered, read: ObservedDeployment): Answer {
  const { hollow = [] } = answer;
  const empty = hollow.filter((list) => read[list]?.length === 0).map((list) => [list, []] as const);
  return { ...answer, deployment: { ...answer.deployment, ...Object.fromEntries(empty) } };
}

/** True for an answer that shows the state before the write, as far as this process has seen that state. */
function tellsNothing(
  answer: ObservedDeployment,
  deployment: ObservedDeployment,
  { before, body }: { readonly before: ObservedDeployment; readonly body: PatchBody | undefined },
): boolean {
  if (sameShown(deployment, before)) return true;
  if (body === undefined || showsArrival({ before, body }, answer)) return false;
  const sameRevision = answer.latestRevisionID === before.latestRevisionID;
  return showsBefore({ before, body }, answer) || (sameRevision && leavesOutAsked({ before, body }, answer));
}

function keyOf(id: string): string {
  return id.toLowerCase();
}

/** True when a read shows the same revision and the same configuration; progress of a rollout is no contradiction. */
function agrees(answer: ObservedDeployment, read: ObservedDeployment): boolean {
  const [told, listed] = [namedConfigs(answer), namedConfigs(read)];
  return (
    same(answer.latestRevisionID, read.latestRevisionID) &&
    same(told.sourceConfig, listed.sourceConfig) &&
    same(told.sourceRevisionConfig, listed.sourceRevisionConfig) &&
    sameSecrets(answer.secrets, read.secrets) &&
    same(answer.secretReferences, read.secretReferences)
  );
}

/** True for the same names, and for the same values if both show them, since a rotation may make no revision. */
function sameSecrets(a: ObservedDeployment['secrets'], b: ObservedDeployment['secrets']): boolean {
  if (a === undefined || b === undefined) return true;
  return (
    a.length === b.length && a.every(({ name, value }, n) => name === b[n]?.name && same(value, b[n].value))
  );
}

/** Compares two values. A member that one of them does not show is no contradiction. */
function same(a: unknown, b: unknown): boolean {
  return a === undefined || b === undefined || sameShown(a, b);
}
