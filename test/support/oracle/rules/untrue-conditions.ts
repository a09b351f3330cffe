import type { DeploymentResource } from '../../../../src/api/deployment.ts';
import type { WireJson } from '../../../../src/wire/wire-json.ts';
import type { Change } from '../chronicle.ts';
import { seemedMaskedSince } from '../edited-at-once.ts';
import { type Dealt, type Facts, holds, isPretended, leafOf, type Look, TIMES } from '../facts.ts';
import type { ExcuseName, Finding } from '../finding.ts';
import { alike, isEmpty, isUnder, leavesOfBody, leavesOfContent, leavesOfSpec, wirePath } from '../leaves.ts';

const RULE_HELD = 'Ready=True and Synced=True stand for values that the service holds';
const RULE_APPLIED = 'Ready=True carries the generation of a spec that was applied';

/** A condition is untrue if it is wrong for longer than this: the window of a write and two poll intervals. */
const GRACE_MS = TIMES.windowMs + 2 * TIMES.pollMs;

type Status = NonNullable<DeploymentResource['status']>;
type Condition = NonNullable<Status['conditions']>[number];
type PendingWrite = NonNullable<Status['pendingWrite']>;

/** Reasons of Synced under which a resource itself reports a difference. */
const ADMITS = new Set(['DriftReported', 'Differs']);

/** A claim of a status, with its first and last time. */
interface Claim {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly id: string;
  readonly generation: number;
  readonly wanted: ReadonlyMap<string, WireJson>;
  /** Paths of the declared secrets. */
  readonly secrets: readonly string[];
}

/** Compares True conditions with the stored content of the service while they last. */
export function untrueConditions(facts: Facts): readonly Finding[] {
  return facts.resourceKeys.flatMap((key) => [...heldValues(facts, key), ...appliedGenerations(facts, key)]);
}

function heldValues(facts: Facts, key: string): readonly Finding[] {
  const claims = claimsOf(facts, key);
  const paths = new Set(claims.flatMap(({ wanted, secrets }) => [...wanted.keys(), ...secrets]));
  return [...paths].flatMap((path) => {
    let sinceMs: number | undefined;
    const found: Finding[] = [];
    const settle = (claim: Claim, untilMs: number): void => {
      if (sinceMs === undefined || found.length > 0) return;
      if (facts.chronicle.watchedForMs(sinceMs, untilMs) > GRACE_MS) {
        const have = JSON.stringify(leafOf(facts.chronicle.stateAt(claim.id, untilMs - 1), path));
        const text = `${key} claims generation ${claim.generation} for ${Math.round((untilMs - sinceMs) / 1000)} s while ${path} is ${have}, wanted ${JSON.stringify(wantAt(facts, key, claim, path, untilMs - 1))}`;
        found.push({
          rule: RULE_HELD,
          atMs: sinceMs,
          text,
          excuse: excuseFor(facts, claim, path, sinceMs, untilMs),
        });
      }
    };
    let last: Claim | undefined;
    for (const claim of claims) {
      if (last !== undefined && last.untilMs !== claim.fromMs) sinceMs = undefined;
      for (const [fromMs, untilMs] of spansOf(facts, claim)) {
        const want = wantAt(facts, key, claim, path, fromMs);
        const isUntrue =
          want !== undefined && !holds(leafOf(facts.chronicle.stateAt(claim.id, fromMs), path), want);
        if (!isUntrue) sinceMs = undefined;
        else sinceMs ??= fromMs;
        if (isUntrue) settle(claim, untilMs);
      }
      last = claim;
    }
    return found;
  });
}

/** Returns the spans of a claim within which the service changes nothing. */
function spansOf(facts: Facts, { id, fromMs, untilMs }: Claim): readonly (readonly [number, number])[] {
  const moments = [...facts.changesOf(id), ...facts.chronicle.secrets]
    .map(({ atMs }) => atMs)
    .toSorted((a, b) => a - b)
    .filter((atMs) => atMs > fromMs && atMs < untilMs);
  const edges = [fromMs, ...new Set(moments), untilMs];
  return edges.slice(1).map((until, at) => [edges[at] ?? fromMs, until] as const);
}

function claimsOf(facts: Facts, key: string): readonly Claim[] {
  const versions = facts.versionsOf(key);
  return versions.flatMap(({ atMs, object }, at) => {
    const id = object?.status?.deploymentID;
    const synced = conditionOf(object, 'Synced');
    const ready = conditionOf(object, 'Ready');
    const claimed = synced?.status === 'True' ? synced : ready?.status === 'True' ? ready : undefined;
    if (object === undefined || id === undefined || claimed === undefined) return [];
    if (ADMITS.has(synced?.reason ?? '') || object.metadata.deletionTimestamp !== undefined) return [];
    // A pause, or an error of the connection, keeps the earlier condition and says so in another one.
    if (synced?.status === 'Unknown') return [];
    const untilMs = versions[at + 1]?.atMs ?? facts.chronicle.endMs;
    const generation = claimed.observedGeneration ?? 0;
    const secrets = (object.spec.secrets ?? []).map(({ name }) => `secrets.${name}`);
    return [{ fromMs: atMs, untilMs, id, generation, wanted: wantedBy(facts, key, generation), secrets }];
  });
}

/**
 * Returns the claimed value of a path at a time. A rotation changes the wanted value of a secret, and another
 * generation has its own values.
 */
function wantAt(
  facts: Facts,
  key: string,
  { wanted, generation, secrets }: Claim,
  path: string,
  atMs: number,
): WireJson | undefined {
  if (!path.startsWith('secrets.')) return wanted.get(path);
  // At the time of an edit the previous version is still current.
  if (!secrets.includes(path)) return undefined;
  if (facts.versionAt(key, atMs)?.object?.metadata.generation !== generation) return undefined;
  return facts.askedWithin(key, path, atMs, atMs).at(-1);
}

/**
 * Returns the values of a generation. A field under spec.clear is emptied once, and then belongs to anyone who fills it
 * again.
 */
function wantedBy(facts: Facts, key: string, generation: number): ReadonlyMap<string, WireJson> {
  const version = facts.versionsOf(key).findLast(({ object }) => object?.metadata.generation === generation);
  if (version?.object === undefined) return new Map();
  return new Map([...leavesOfSpec(version.object)].filter(([, value]) => value !== null));
}

/** Returns the excuse if later looks show the field in the same way as earlier looks. */
function excuseFor(
  facts: Facts,
  { id, wanted }: Claim,
  path: string,
  sinceMs: number,
  untilMs: number,
): ExcuseName | undefined {
  const looks = facts.looksAt(id);
  // A claim may begin after the edit that makes it untrue.
  const edit = facts.leafChanges(id, path).findLast(({ atMs }) => atMs <= sinceMs);
  const byPerson = edit !== undefined && edit.request === undefined;
  const fromMs = byPerson ? edit.atMs : sinceMs;
  const before = looks.findLast((look) => look.endedMs <= fromMs && look.via === 'list')?.leaves.get(path);
  const shows = (look: Look): boolean => !alike(look.leaves.get(path), before);
  const since = looks.filter((look) => look.beganMs >= sinceMs && look.endedMs <= untilMs - TIMES.pollMs);
  if (byPerson && path.startsWith('secrets.')) {
    if (isMasked(facts, id)) return 'secrets are masked';
    if (hasNoProofYet(facts, id, untilMs) || showedNoneAsSent(facts, untilMs))
      return 'values are not compared yet';
    if (seemsMasked(facts, id, path, untilMs)) return 'all secrets were edited at once';
  }
  if (byPerson && path === REPO_REF && since.length > 0 && since.every(showsCommit)) {
    return 'a commit stands for the branch';
  }
  if (byPerson && takesShape(facts, id, path, edit.atMs)) return 'edited while a write took shape';
  if (isEmptiedUnlisted(facts, id, path, untilMs)) return 'no look shows the value as it is kept';
  const want = wanted.get(path);
  if (byPerson && want !== undefined && wasEditedBefore(facts, id, [path, want], untilMs))
    return 'edited after the last look';
  const told = since.filter(({ leaves }) => leaves.has(path));
  const isKept = (look: Look): boolean =>
    look.via === 'answer' && want !== undefined && isPretended(facts, id, [path, want], look);
  if (told.length > 0 && told.every(isKept)) return 'the answer shows it as kept';
  if (!byPerson && since.some((look) => look.via === 'answer' && look.leaves.has(path))) return undefined;
  return !since.some(shows) ? 'no look has shown it' : undefined;
}

/**
 * True if the service seems to mask values since all secrets were edited at once. The spec still asks for the same value,
 * and no list has shown the secrets as sent since.
 */
function seemsMasked(facts: Facts, id: string, path: string, untilMs: number): boolean {
  const sinceMs = seemedMaskedSince(facts, id, untilMs);
  if (sinceMs === undefined) return false;
  const askedAt = (atMs: number): WireJson | undefined =>
    facts
      .boundTo(id, atMs)
      .flatMap((key) => facts.askedWithin(key, path, atMs, atMs))
      .at(-1);
  const isSame = alike(askedAt(sinceMs), askedAt(untilMs - 1));
  return isSame && !wereShownAsSent(facts, { fromMs: sinceMs, untilMs, ofID: id });
}

const REPO_REF = 'source_revision_config.repo_ref';

/** True for a look in which the branch or tag is the commit of the newest revision. */
function showsCommit({ leaves }: Look): boolean {
  const shown = leaves.get(REPO_REF);
  const commit = leaves.get('source_revision_config.repo_commit_sha');
  return typeof shown === 'string' && /^[0-9a-f]{40}$/.test(shown) && shown === commit;
}

/**
 * True if a person emptied a field, and no list has shown it to the replacement of an earlier process. Lists may never
 * show it.
 */
function isEmptiedUnlisted(facts: Facts, id: string, path: string, untilMs: number): boolean {
  const last = facts.leafChanges(id, path).findLast(({ atMs }) => atMs < untilMs);
  const isEmptied = last !== undefined && last.request === undefined && isEmpty(last.after);
  const isNew = facts.chronicle.startsMs.filter((ms) => ms <= untilMs).length > 1;
  return isEmptied && isNew && !facts.wasListed(path, untilMs);
}

/**
 * True if the replacement of an earlier process has sent no new secret early enough for a list to show it by now, whatever
 * the deployment, and no list has shown it one of this deployment as it was sent. Such a list counts only if the earlier
 * process had time to record that the service shows values.
 */
function hasNoProofYet(facts: Facts, ofID: string, untilMs: number): boolean {
  const startMs = facts.chronicle.lastStartMs(0, untilMs);
  if (facts.chronicle.startsMs.indexOf(startMs) < 1) return false;
  const since = { fromMs: startMs, untilMs: untilMs - TIMES.pollMs, ofID };
  const sent = [...facts.dealtWith('patch'), ...facts.dealtWith('create')].some(
    (request) => request.beganMs >= startMs && request.beganMs <= since.untilMs && setsSecret(request),
  );
  const isRecorded = wereShownAsSent(facts, { fromMs: 0, untilMs: startMs - TIMES.pollMs });
  return !sent && !(isRecorded && wereShownAsSent(facts, since));
}

/** True if requests set secrets, and no list has shown all secrets of any of them as they were sent. */
function showedNoneAsSent(facts: Facts, untilMs: number): boolean {
  return facts.dealtWith('patch').some(setsSecret) && !wereShownAsSent(facts, { fromMs: 0, untilMs });
}

/** True if a list of a period shows all secrets of a request that set some as they were sent, of one deployment or any. */
function wereShownAsSent(
  facts: Facts,
  { fromMs, untilMs, ofID }: { readonly fromMs: number; readonly untilMs: number; readonly ofID?: string },
): boolean {
  return facts
    .dealtWith('patch')
    .filter((request) => setsSecret(request) && (ofID === undefined || request.id === ofID))
    .some(({ id, dealtMs, body }) => {
      const sent = [...leavesOfBody(body)].filter(([path]) => path.startsWith('secrets.'));
      return facts
        .looksAt(id)
        .filter(({ via, beganMs }) => via === 'list' && beganMs >= Math.max(dealtMs, fromMs))
        .filter(({ endedMs }) => endedMs <= untilMs)
        .filter(({ leaves }) => sent.every(([path, value]) => alike(leaves.get(path), value)))
        .some((look) => !sent.some(([path]) => wasEditedWithinPass(facts, id, path, look)));
    });
}

/** True if a person changed a value before the end of the pass over the list: until then no decision rests on the page. */
function wasEditedWithinPass(facts: Facts, id: string, path: string, look: Look): boolean {
  const endMs = facts.passEndMs(look);
  return facts
    .leafChanges(id, path)
    .some(({ atMs, request }) => request === undefined && atMs >= look.beganMs && atMs <= endMs);
}

function setsSecret({ body, found }: Dealt): boolean {
  const had = found === undefined ? new Map<string, WireJson>() : leavesOfContent(found);
  return [...leavesOfBody(body)].some(
    ([path, value]) => path.startsWith('secrets.') && !alike(value, had.get(path)),
  );
}

/** True if lists show no secrets, or not their values. */
function isMasked({ chronicle }: Facts, id: string): boolean {
  const { secretsEcho, listShape, fieldRules } = chronicle.service.semantics(id);
  return (
    secretsEcho !== 'plain' || listShape.some((shape) => shape.includes('secrets')) || 'secrets' in fieldRules
  );
}

/**
 * True if our write asked for a value that makes revisions, and the first list after its window has not been read yet.
 * Values of a resource spec count only if the write made a revision, or seems to have. Any other value counts if nothing
 * has shown the field since otherwise than before the write.
 */
function takesShape(facts: Facts, id: string, path: string, atMs: number): boolean {
  const isOfSpec = path.startsWith('source_config.resource_spec.');
  const makesRevisions = isOfSpec || path.startsWith('source_revision_config.');
  const untilMs = TIMES.windowMs + TIMES.pollMs;
  return [...facts.dealtWith('patch'), ...facts.dealtWith('create')].some(
    (request) =>
      isAbout(facts, request, id) &&
      request.dealtMs <= atMs &&
      request.dealtMs >= atMs - untilMs &&
      leavesOfBody(request.body).has(path) &&
      (makesRevisions || isUnmoved(facts, request, path, atMs)) &&
      (!isOfSpec || hasMadeRevision(facts, request, id) || seemsToMakeRevision(facts, request)) &&
      !isUndone(facts, request, path, atMs),
  );
}

/**
 * True if no look from a request on has shown a field otherwise than before the request. If the field was not empty,
 * that counts only if the request changes it and the answer shows nothing else of the request either: then the answer
 * and the lists may be older.
 */
function isUnmoved(facts: Facts, request: Dealt, path: string, atMs: number): boolean {
  const { id, beganMs, found } = request;
  const had = found === undefined ? undefined : leavesOfContent(found).get(path);
  const looks = facts.looksAt(id);
  const since = looks.filter((look) => look.beganMs >= beganMs && look.endedMs <= atMs);
  if (isEmpty(had)) return since.every(({ leaves }) => !leaves.has(path));
  const before = looks.findLast(({ via, endedMs }) => via === 'list' && endedMs <= beganMs);
  if (before === undefined || seemsToMakeRevision(facts, request)) return false;
  const changed = [...leavesOfBody(request.body)].filter(
    ([leaf, value]) => !alike(before.leaves.get(leaf), value),
  );
  if (!changed.some(([leaf]) => leaf === path)) return false;
  const isTold = since.some(
    (look) =>
      look.request === request.number && changed.some(([leaf, value]) => alike(look.leaves.get(leaf), value)),
  );
  return !isTold && since.every(({ leaves }) => alike(leaves.get(path), before.leaves.get(path)));
}

function hasMadeRevision(facts: Facts, { number }: Dealt, id: string): boolean {
  const count = (state: Change['before']): number => state?.revisions.length ?? 0;
  return facts
    .changesOf(id)
    .some(({ request, before, after }) => request === number && count(after) > count(before));
}

/**
 * True if the answer to a request, or the first list after an answer without a revision, shows a revision that no look
 * before the request shows: another client made it in between.
 */
function seemsToMakeRevision(facts: Facts, { id, number, beganMs }: Dealt): boolean {
  const looks = facts.looksAt(id);
  const revisionOf = ({ item }: Look): WireJson | undefined => item['latest_revision_id'];
  const shown = (look: Look): boolean => typeof revisionOf(look) === 'string';
  const told =
    looks.find((look) => look.via === 'answer' && look.request === number && shown(look)) ??
    looks.find((look) => look.via === 'list' && look.beganMs >= beganMs && shown(look));
  const before = looks.filter(({ endedMs }) => endedMs <= beganMs).map(revisionOf);
  return told !== undefined && before.length > 0 && !before.includes(revisionOf(told));
}

/** True for a request that names a deployment, or that created it. */
function isAbout(facts: Facts, { id, number }: Dealt, about: string): boolean {
  return (
    id === about || facts.looksAt(about).some(({ via, request }) => via === 'answer' && request === number)
  );
}

/**
 * True if lists show the value from before a request again, which is no rounding or resolving of the new value. A list
 * with the revision from before a request that made one may be older than the request, and shows nothing again. So may
 * one within the window with a newer revision, if the answer names no revision and a later list has yet another one.
 */
function isUndone(facts: Facts, request: Dealt, path: string, atMs: number): boolean {
  const { id, beganMs, found } = request;
  const had = found === undefined ? undefined : leavesOfContent(found).get(path);
  if (had === undefined || !alike(had, leafOf(facts.chronicle.stateAt(id, atMs), path))) return false;
  const lists = facts.looksAt(id).filter(({ via }) => via === 'list');
  const before = lists.findLast(({ endedMs }) => endedMs <= beganMs);
  const value = before?.leaves.get(path);
  const revision = hasMadeRevision(facts, request, id) ? before?.item['latest_revision_id'] : undefined;
  const revisionOf = ({ item }: Look): WireJson | undefined => item['latest_revision_id'];
  const answer = facts.looksAt(id).find((look) => look.via === 'answer' && look.request === request.number);
  const isNamed = answer !== undefined && typeof revisionOf(answer) === 'string';
  const isFollowed = (look: Look): boolean =>
    lists.some((later) => later.beganMs > look.beganMs && revisionOf(later) !== revisionOf(look));
  const mayBeOlder = (look: Look): boolean =>
    (typeof revision === 'string' && revisionOf(look) === revision) ||
    (!isNamed && look.beganMs < beganMs + TIMES.windowMs && isFollowed(look));
  return (
    value !== undefined &&
    lists.some((look) => look.beganMs >= atMs && alike(look.leaves.get(path), value) && !mayBeOlder(look))
  );
}

/** Checks that a Ready generation was sent, or was the stored content, at some moment since it was declared. */
function appliedGenerations(facts: Facts, key: string): readonly Finding[] {
  const versions = facts.versionsOf(key);
  const seen = new Set<number>();
  return versions.flatMap(({ atMs, object }, at): readonly Finding[] => {
    const ready = conditionOf(object, 'Ready');
    const synced = conditionOf(object, 'Synced');
    const id = object?.status?.deploymentID;
    const generation = ready?.observedGeneration ?? 0;
    if (ready?.status !== 'True' || id === undefined || seen.has(generation)) return [];
    if (synced?.reason === 'Differs') return [];
    const declaredMs =
      versions.find((version) => version.object?.metadata.generation === generation)?.atMs ?? 0;
    const wanted = wantedBy(facts, key, generation);
    // A pause keeps Ready unchanged. A later version of the same moment says nothing about this one.
    const told = versions
      .slice(0, at + 1)
      .map((version) => conditionOf(version.object, 'Synced'))
      .findLast((said) => said?.observedGeneration === generation && said.reason !== 'Paused')?.reason;
    const isReported = ([path]: readonly [string, WireJson]): boolean =>
      told === 'DriftReported' && wasNotAskedFor(facts, id, path, atMs);
    const required = new Map([...wanted].filter((entry) => !isReported(entry)));
    if (wasApplied(facts, id, required, declaredMs, atMs)) return [];
    seen.add(generation);
    const never = [...required].filter((entry) => !wasApplied(facts, id, new Map([entry]), declaredMs, atMs));
    const text = `${key} is Ready/${ready.reason} beside Synced/${synced?.reason ?? '-'} for generation ${generation}, which was never applied: ${never.map(([path]) => path).join(', ')}`;
    const isHidden = ([path, value]: readonly [string, WireJson]): boolean =>
      wasApplied(facts, id, new Map([[path, value]]), declaredMs, atMs) ||
      isChangedUnseen(facts, id, path, atMs) ||
      isNeverListed(facts, id, path, value, atMs);
    const isMistaken = (entry: readonly [string, WireJson]): boolean =>
      isHidden(entry) || wasEditedBefore(facts, id, entry, atMs);
    const isAnswered = (entry: readonly [string, WireJson]): boolean =>
      isHidden(entry) ||
      isAnsweredAsKept(facts, id, entry, atMs) ||
      (synced?.reason === 'DriftReported' && wasAnsweredAsKept(facts, id, entry, atMs));
    const isTaken = (entry: readonly [string, WireJson]): boolean =>
      isHidden(entry) || makerTakenForOurs(facts, key, id, entry[0], atMs) === 'somebody else';
    const isCommit = ([path, value]: readonly [string, WireJson]): boolean =>
      isHidden([path, value]) || (path === REPO_REF && isShownAsCommit(facts, id, atMs));
    // A late list shows the value as applied, or did, so that what the service shows now looks like an edit of somebody
    // else.
    const late = synced?.reason === 'DriftReported' ? 'some list' : 'the newest list';
    const isShownLate = (entry: readonly [string, WireJson]): boolean =>
      isHidden(entry) ||
      wasShownLate(facts, id, entry, { atMs, declaredMs, in: late }) ||
      makerTakenForOurs(facts, key, id, entry[0], atMs) === 'an earlier request';
    const isTakingShape = (entry: readonly [string, WireJson]): boolean =>
      isHidden(entry) || wasEditedMeanwhile(facts, id, entry, atMs);
    const excuse = [...required].every(isHidden)
      ? 'no look has shown it'
      : [...required].every(isAnswered)
        ? 'the answer shows it as kept'
        : [...required].every(isMistaken)
          ? 'edited after the last look'
          : [...required].every(isTaken)
            ? 'somebody else did the same'
            : [...required].every(isCommit)
              ? 'a commit stands for the branch'
              : [...required].every(isTakingShape)
                ? 'edited while a write took shape'
                : [...required].every(isShownLate)
                  ? 'a list lags beyond the window'
                  : undefined;
    return [{ rule: RULE_APPLIED, atMs, text, excuse }];
  });
}

/**
 * True if the last change of a value came from somebody else, or from our request that left it out, repeated the value
 * of the look before it, or restored what somebody else had set. A policy that only reports does not correct it, and cannot distinguish the two.
 */
function wasNotAskedFor(facts: Facts, id: string, path: string, atMs: number): boolean {
  const changes = facts.leafChanges(id, path).filter((change) => change.atMs <= atMs);
  const last = changes.at(-1);
  if (last?.request === undefined) return last !== undefined;
  const theirs = changes.findLast((change) => change.request === undefined);
  const request = facts.exchanges.find(({ number }) => number === last.request);
  if (request === undefined) return false;
  const sent = leavesOfBody(request.body).get(path);
  const shown = facts
    .looksAt(id)
    .findLast(({ endedMs }) => endedMs <= request.beganMs)
    ?.leaves.get(path);
  return sent === undefined || alike(sent, shown) || (theirs !== undefined && alike(sent, theirs.after));
}

/**
 * True if a person made the last change of a value, and no later look shows a difference. A page of a pass that still
 * reads the list decides nothing yet.
 */
function isChangedUnseen(facts: Facts, id: string, path: string, atMs: number): boolean {
  const last = facts.leafChanges(id, path).findLast((change) => change.atMs <= atMs);
  if (last === undefined || last.request !== undefined) return false;
  const looks = facts.looksAt(id).filter((look) => look.via === 'list' && facts.passEndMs(look) <= atMs);
  const before = looks.findLast(({ endedMs }) => endedMs <= last.atMs)?.leaves.get(path);
  return looks
    .filter(({ beganMs }) => beganMs >= last.atMs)
    .every(({ leaves }) => alike(leaves.get(path), before));
}

/** True if a person made the last change of the branch, and every later list shows a commit instead. */
function isShownAsCommit(facts: Facts, id: string, atMs: number): boolean {
  const last = facts.leafChanges(id, REPO_REF).findLast((change) => change.atMs <= atMs);
  if (last === undefined || last.request !== undefined) return false;
  const since = facts
    .looksAt(id)
    .filter(({ via, beganMs, endedMs }) => via === 'list' && beganMs >= last.atMs && endedMs <= atMs);
  return since.every(showsCommit);
}

/**
 * Returns who made a revision that the operator takes for the one of an announced value, if that is not the announced
 * request: somebody else, or an earlier request of ours that the last list before the announcement still lacked after
 * its window. The revision is the first one that lists show since the announcement. No answer shows the value, and no
 * list shows the field of any deployment, or only one commit in the place of a branch.
 */
function makerTakenForOurs(
  facts: Facts,
  key: string,
  id: string,
  path: string,
  atMs: number,
): 'somebody else' | 'an earlier request' | undefined {
  const announcement = facts
    .versionsOf(key)
    .filter((version) => version.atMs <= atMs)
    .map(({ object }) => object?.status?.pendingWrite)
    .findLast((write) => write?.paths?.some((asked) => isUnder(path, wirePath(asked))));
  // An announcement that replaced it may have been withdrawn since: the older one stands again, from its own time on.
  const announced = facts
    .versionsOf(key)
    .find(({ object }) => isSame(object?.status?.pendingWrite, announcement));
  const looks = facts.looksAt(id).filter(({ endedMs }) => endedMs <= atMs);
  if (announced === undefined) return undefined;
  if (facts.wasListed(path, atMs) && !(path === REPO_REF && isOneCommit(looks, announced.atMs)))
    return undefined;
  const isAnswered = looks.some(
    ({ via, beganMs, leaves }) => via === 'answer' && beganMs >= announced.atMs && leaves.has(path),
  );
  const lists = looks.filter(({ via }) => via === 'list');
  const shown = ({ item }: Look): WireJson | undefined => item['latest_revision_id'];
  const known = looks.filter(({ endedMs }) => endedMs <= announced.atMs).map(shown);
  const after = lists.find((look) => look.beganMs >= announced.atMs && !known.includes(shown(look)));
  const before = lists.findLast(({ endedMs }) => endedMs <= announced.atMs);
  if (isAnswered || after === undefined || !lists.some(({ beganMs }) => beganMs < announced.atMs))
    return undefined;
  // An announcement that was withdrawn or settled before that list does not count.
  const stands = facts.versionAt(key, after.beganMs)?.object?.status?.pendingWrite;
  if (!isSame(stands, announcement)) return undefined;
  const maker = facts
    .changesOf(id)
    .find((change) => change.after?.revisions.some((revision) => revision.id === shown(after)));
  if (maker === undefined || maker.request === undefined) return maker && 'somebody else';
  const earlier = facts.exchanges.find(({ number }) => number === maker.request);
  const isLate =
    earlier !== undefined && before !== undefined && before.beganMs - earlier.beganMs >= TIMES.windowMs;
  return isLate ? 'an earlier request' : undefined;
}

/** True if the newest list before a time and every list since show the same commit in the place of the branch. */
function isOneCommit(looks: readonly Look[], atMs: number): boolean {
  const lists = looks.filter(({ via }) => via === 'list');
  const before = lists.findLast(({ endedMs }) => endedMs <= atMs);
  const shown = lists.filter((look) => look === before || look.beganMs >= atMs);
  return shown.every(showsCommit) && new Set(shown.map(({ leaves }) => leaves.get(REPO_REF))).size === 1;
}

/** True for two views of one announcement. */
function isSame(one: PendingWrite | undefined, other: PendingWrite | undefined): boolean {
  return one !== undefined && one.time === other?.time;
}

/** Returns our requests that the service carried out and that carry a path. */
function askedFor(facts: Facts, id: string, path: string, atMs: number): readonly Dealt[] {
  return facts
    .dealtWith('patch')
    .filter(
      (request) => request.id === id && request.dealtMs <= atMs && leavesOfBody(request.body).has(path),
    );
}

/**
 * True if a value was requested, no list that this process has read shows the field of any deployment, and no later
 * answer shows another value than that, or than the answer to the request. Whether lists ever show the field is
 * unknown.
 */
function isNeverListed(facts: Facts, id: string, path: string, value: WireJson, atMs: number): boolean {
  const request = askedFor(facts, id, path, atMs).at(-1);
  if (request === undefined || !alike(leavesOfBody(request.body).get(path), value)) return false;
  const answers = facts
    .looksAt(id)
    .filter((look) => look.via === 'answer' && look.beganMs >= request.beganMs && look.endedMs <= atMs)
    .filter((look) => !facts.isUnheard(look, id));
  const spelled = answers.find((look) => look.request === request.number)?.leaves.get(path) ?? value;
  return (
    !facts.wasListed(path, atMs) &&
    answers.every(
      ({ leaves }) => !leaves.has(path) || alike(leaves.get(path), value) || alike(leaves.get(path), spelled),
    )
  );
}

/**
 * True if the answer to the newest request for a value shows it as stored, and no later look that outranks the answer
 * shows another value. If no list shows the value, a process does not know the answers that an earlier process read.
 */
function isAnsweredAsKept(
  facts: Facts,
  id: string,
  [path, value]: readonly [string, WireJson],
  atMs: number,
): boolean {
  const request = askedFor(facts, id, path, atMs).at(-1);
  if (request === undefined || !alike(leavesOfBody(request.body).get(path), value)) return false;
  const looks = facts
    .looksAt(id)
    .filter(({ beganMs, endedMs }) => beganMs >= request.beganMs && endedMs <= atMs);
  const answer = looks.find(({ via, request: number }) => via === 'answer' && number === request.number);
  const hidden = !looks.some(({ via, leaves }) => via === 'list' && leaves.has(path));
  const startMs = facts.chronicle.lastStartMs(0, atMs);
  const isOutranked = ({ via, beganMs, leaves }: Look): boolean =>
    via === 'list'
      ? beganMs < request.dealtMs + TIMES.windowMs
      : !leaves.has(path) || (hidden && beganMs < startMs);
  return (
    answer !== undefined &&
    alike(answer.leaves.get(path), value) &&
    looks.every((look) => isOutranked(look) || alike(look.leaves.get(path), value))
  );
}

/** True if an answer to a request for a value wrongly showed it as stored. Then the values in lists count as drift. */
function wasAnsweredAsKept(
  facts: Facts,
  id: string,
  [path, value]: readonly [string, WireJson],
  atMs: number,
): boolean {
  const answers = facts.looksAt(id).filter(({ via, endedMs }) => via === 'answer' && endedMs <= atMs);
  const asked = facts
    .dealtWith('patch')
    .filter(({ body }) => alike(leavesOfBody(body).get(path), value))
    .map(({ number }) => number);
  return answers.some((look) => asked.includes(look.request) && isPretended(facts, id, [path, value], look));
}

/**
 * True if a person changed a value, no look before our next request for it shows that to the process that sends it,
 * nothing changed it since, every look since shows the same except for lists that lag, and every request since asks for
 * the same. It looks as if the service had stored the requested value in its own form, which does not change if the
 * value is sent again.
 */
function wasEditedBefore(
  facts: Facts,
  id: string,
  [path, value]: readonly [string, WireJson],
  atMs: number,
): boolean {
  const found = askedAndEdited(facts, id, [path, value], atMs);
  if (found === undefined) return false;
  const { editMs } = found;
  const asked = askedFor(facts, id, path, atMs).filter(({ dealtMs }) => dealtMs >= editMs);
  const [request] = asked;
  const isSame = asked.every(({ body }) => alike(leavesOfBody(body).get(path), value));
  if (request === undefined || !isSame) return false;
  const looks = facts.looksAt(id).filter(({ endedMs, leaves }) => endedMs <= atMs && leaves.has(path));
  const was = looks.findLast(({ endedMs }) => endedMs <= request.beganMs)?.leaves.get(path);
  const isLagging = ({ via, beganMs, leaves }: Look): boolean =>
    via === 'list' && beganMs < request.dealtMs + TIMES.windowMs && alike(leaves.get(path), was);
  const since = looks.filter((look) => look.beganMs >= request.beganMs && !isLagging(look));
  const shown = since[0]?.leaves.get(path);
  const isIt = (look: Look): boolean => alike(look.leaves.get(path), shown);
  // Of what an earlier process saw, a status keeps only the revision block.
  const isKept = path.startsWith('source_revision_config.');
  const fromMs = isKept ? editMs : facts.chronicle.lastStartMs(editMs, request.beganMs);
  const before = looks.filter(({ beganMs, endedMs }) => beganMs >= fromMs && endedMs <= request.beganMs);
  return shown !== undefined && !before.some(isIt) && since.every(isIt);
}

/**
 * True if a person changed a value after a request for it and before the first list after its window, and its answer
 * did not show the value, or the service may still resolve it.
 */
function wasEditedMeanwhile(
  facts: Facts,
  id: string,
  [path, value]: readonly [string, WireJson],
  atMs: number,
): boolean {
  const found = askedAndEdited(facts, id, [path, value], atMs);
  if (found === undefined) return false;
  const { request, editMs } = found;
  if (editMs < request.dealtMs || editMs > request.dealtMs + TIMES.windowMs + TIMES.pollMs) return false;
  const answer = facts.looksAt(id).find((look) => look.via === 'answer' && look.request === request.number);
  return !alike(answer?.leaves.get(path), value) || takesShape(facts, id, path, editMs);
}

/**
 * Returns the newest request for a path, if it asked for a value, and the time of the last change of the path by a
 * person; undefined if the last change is ours.
 */
function askedAndEdited(
  facts: Facts,
  id: string,
  [path, value]: readonly [string, WireJson],
  atMs: number,
): { readonly request: Dealt; readonly editMs: number } | undefined {
  const request = askedFor(facts, id, path, atMs).at(-1);
  const last = facts.leafChanges(id, path).findLast((change) => change.atMs <= atMs);
  if (request === undefined || last === undefined || last.request !== undefined) return undefined;
  if (!alike(leavesOfBody(request.body).get(path), value)) return undefined;
  return { request, editMs: last.atMs };
}

/**
 * True if some list since the last change of a value or its declaration, or the newest list, showed another value than
 * the service had by then: a value that seemed to be there was not asked for.
 */
function wasShownLate(
  facts: Facts,
  id: string,
  [path, value]: readonly [string, WireJson],
  about: {
    readonly atMs: number;
    readonly declaredMs: number;
    readonly in: 'some list' | 'the newest list';
  },
): boolean {
  const { atMs, declaredMs, in: which } = about;
  const changedMs = facts.leafChanges(id, path).findLast((change) => change.atMs <= atMs)?.atMs ?? 0;
  const sinceMs = which === 'some list' ? Math.min(changedMs, declaredMs) : changedMs;
  return facts
    .looksAt(id)
    .filter(({ via, beganMs, endedMs }) => via === 'list' && beganMs >= sinceMs && endedMs <= atMs)
    .slice(which === 'some list' ? 0 : -1)
    .some((look) => facts.isLate(look, id, path, value));
}

/** True if every value was stored, or requested by us, at some time of the span. */
function wasApplied(
  facts: Facts,
  id: string,
  wanted: ReadonlyMap<string, WireJson>,
  fromMs: number,
  untilMs: number,
): boolean {
  const asked = facts
    .dealtWith('patch')
    .filter((request) => request.id === id && request.dealtMs <= untilMs && request.dealtMs >= fromMs)
    .map(({ body }) => leavesOfBody(body));
  const moments = [
    // A person may change a value at the same time as it is declared.
    facts.chronicle.stateAt(id, fromMs - 1),
    facts.chronicle.stateAt(id, fromMs),
    ...facts
      .changesOf(id)
      .filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
      .map(({ after }) => after),
  ];
  return [...wanted].every(
    ([path, value]) =>
      moments.some((state) => holds(leafOf(state, path), value)) ||
      asked.some((leaves) => alike(leaves.get(path), value)),
  );
}

function conditionOf(object: DeploymentResource | undefined, type: string): Condition | undefined {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}
