import type { WireJson } from '../../../../src/wire/wire-json.ts';
import { isWireObject, objectOf } from '../../../../src/simulator/values/wire-values.ts';
import type { Exchanged } from '../chronicle.ts';
import { type Facts, type Look, TIMES } from '../facts.ts';
import type { ExcuseName, Finding } from '../finding.ts';
import { alike, differsUnder, isEmpty, leavesOfBody, leavesOfContent } from '../leaves.ts';
import { lookAgeMs, showsNothingOf } from '../taken-meanwhile.ts';
import { wasRecorded } from './limits.ts';

const RULE = 'a request carries something that differs from what the service holds';

/** Blocks of a request whose items have names. */
const LISTS = ['secrets', 'secret_references'] as const;

/** Blocks whose change may need a revision. */
const OF_REVISIONS = ['source_revision_config', 'source_config.resource_spec'] as const;

type Dealt = Exchanged & { readonly dealtMs: number };

/**
 * Finds PATCH requests without any difference and without a reason: a requested redeploy, or a value that no read can
 * prove.
 */
export function needlessRequests(facts: Facts): readonly Finding[] {
  const excused = new Map<string, number>();
  const spared = new Set<string>();
  const unrecorded = new Map<string, number>();
  return facts.dealtWith('patch').flatMap((request) => {
    // A process that died before it recorded its request leaves nothing to count: the next process sends it anew.
    const same = JSON.stringify([request.id, request.body]);
    const startMs = facts.chronicle.lastStartMs(0, request.beganMs);
    const isAnew = (unrecorded.get(same) ?? startMs) < startMs;
    unrecorded.delete(same);
    if (!wasRecorded(facts, request)) unrecorded.set(same, request.beganMs);
    const held = request.found === undefined ? new Map<string, WireJson>() : leavesOfContent(request.found);
    const shown = leavesOfBody(request.shownBefore ?? {});
    const leaves = [...leavesOfBody(request.body)];
    const differs = ([path, value]: readonly [string, WireJson]): boolean =>
      !alike(value, held.get(path)) && (path.startsWith('secrets.') || !alike(value, shown.get(path)));
    if (leaves.some(differs) || leavesOut(request, held)) return [];
    if (isRedeploy(facts, request)) return [];
    const text = `PATCH ${request.number} changes nothing: ${leaves.map(([path]) => path).join(', ')}`;
    const excuse = excuseFor(facts, request, leaves);
    const edits = leaves
      .flatMap(([path]) => facts.leafChanges(request.id, path))
      .filter(({ request: by, atMs }) => by === undefined && atMs <= request.dealtMs).length;
    // One request per generation, reason and edit at the service, whose correction may not be answered either. The same
    // request without a difference must not be sent again and again.
    const sign = JSON.stringify([request.body, generationsAt(facts, request), excuse, edits]);
    const times = (excused.get(sign) ?? 0) + (isAnew ? 0 : 1);
    // The first request of a process without a recorded answer proves nothing, and is sent once more (3.3). Nor does an
    // answer without the deployment, if lists mask what was sent.
    const first = `${startMs} ${sign}`;
    const proves = excuse !== 'secrets are masked' || isAnswered(facts, request);
    if ((proves && wasRecorded(facts, request)) || spared.has(first)) excused.set(sign, times);
    else spared.add(first);
    const kept = times <= timesExcused(excuse, leaves, edits) ? excuse : undefined;
    return [{ rule: RULE, atMs: request.beganMs, text, excuse: kept }];
  });
}

/**
 * Returns how often the same request may be sent for one reason. Fields in another form may be sent twice and are then
 * held (`NotConverging`).
 */
function timesExcused(
  excuse: ExcuseName | undefined,
  leaves: readonly (readonly [string, WireJson])[],
  edits: number,
): number {
  if (excuse === undefined) return 0;
  if (excuse === 'edited after the last look') return edits;
  const fields = leaves.some(([path]) => !path.startsWith('secrets.'));
  return excuse === 'no look shows the value as it is kept' && fields ? 2 : 1;
}

/** True if a list in the request omits an item of the service, which asks to remove it. */
function leavesOut({ body, found }: Dealt, held: ReadonlyMap<string, WireJson>): boolean {
  const gone = (list: (typeof LISTS)[number]): boolean => {
    const sent = body[list];
    if (!Array.isArray(sent)) return false;
    const names = new Set((sent as readonly WireJson[]).filter(isWireObject).map((item) => item['name']));
    return [...held.keys()].some(
      (path) => path.startsWith(`${list}.`) && !names.has(path.slice(list.length + 1)),
    );
  };
  const spec = objectOf(body['source_config'])['resource_spec'];
  const had = objectOf(found?.sourceConfig['resource_spec']);
  const dropped = isWireObject(spec) && Object.keys(had).some((key) => !Object.hasOwn(spec, key));
  return LISTS.some(gone) || dropped;
}

/** True if a redeploy text was set since the last PATCH. Two requests may follow it. */
function isRedeploy(facts: Facts, request: Dealt): boolean {
  return facts.boundTo(request.id, request.beganMs).some((key) => {
    const versions = facts.versionsOf(key).filter(({ atMs }) => atMs <= request.beganMs);
    const textOf = (at: number): string | undefined =>
      versions[at]?.object?.metadata.annotations?.['dms-operator.dev/redeploy'];
    const now = textOf(versions.length - 1);
    if (now === undefined) return false;
    const set = versions.findLast((_, at) => textOf(at) === now && textOf(at - 1) !== now);
    const sinceMs = set?.atMs ?? 0;
    // A request that was announced before the text was set, and leaves at the same time, has another purpose.
    const firstMs = set?.object?.status?.pendingWrite === undefined ? sinceMs : sinceMs + 1;
    const sent = facts
      .dealtWith('patch')
      .filter(({ id, beganMs }) => id === request.id && beganMs >= firstMs);
    return sent.indexOf(request) < 2;
  });
}

function excuseFor(
  facts: Facts,
  request: Dealt,
  leaves: readonly (readonly [string, WireJson])[],
): ExcuseName | undefined {
  const { id } = request;
  if (leaves.some(([path]) => isEditedUnseen(facts, request, path))) return 'edited after the last look';
  const plain = leaves.filter(([path]) => !path.startsWith('secrets.'));
  if (plain.some(([path, value]) => isHidden(facts, request, path, value)))
    return 'no look shows the value as it is kept';
  const isMasked = leaves.some(
    ([path, value]) =>
      path.startsWith('secrets.') && !facts.looksAt(id).some((look) => alike(look.leaves.get(path), value)),
  );
  if (isMasked || emptiesUnlisted(facts, request)) return 'secrets are masked';
  if (emptiesUnseen(facts, request)) return 'no look has shown it';
  if (emptiesAnnounced(facts, request)) return 'announced by a process that died';
  if (isUnproven(facts, request, leaves) || emptiesUnproven(facts, request)) return 'the outcome was unknown';
  if (leaves.some(([path, value]) => isShownByLateList(facts, request, path, value)))
    return 'a list lags beyond the window';
  if (isListedStill(facts, request)) return 'no look shows the value as it is kept';
  return leaves.some(([path, value]) => isHidden(facts, request, path, value))
    ? 'no look shows the value as it is kept'
    : undefined;
}

/**
 * True if somebody else set the value that a request asks for, and the look behind the request need not show that: it
 * was recent enough and does not show it, or no look began since and the request may rest on the sweep.
 */
function isEditedUnseen(facts: Facts, request: Dealt, path: string): boolean {
  const { id, beganMs, dealtMs, number } = request;
  const theirs = facts
    .leafChanges(id, path)
    .findLast(({ request: by, atMs }) => by !== number && atMs <= dealtMs);
  if (theirs === undefined || theirs.request !== undefined) return false;
  const between = facts.looksAt(id).filter((look) => look.beganMs >= theirs.atMs && look.endedMs <= beganMs);
  const agedMs = between.length === 0 ? lookAgeMs(facts, request) : TIMES.lookMs;
  const wasShown = between.some((look) => alike(look.leaves.get(path), theirs.after));
  return theirs.atMs >= beganMs - agedMs && !wasShown;
}

const isList = (list: WireJson | undefined): list is readonly WireJson[] => Array.isArray(list);

/**
 * True if a request empties the list of secrets that an earlier one sent, and no look has ever shown any. A request in
 * between may have emptied the list by leaving it out, and no look can show that.
 */
function emptiesUnlisted(facts: Facts, { id, beganMs, number, body }: Dealt): boolean {
  const sent = facts
    .dealtWith('patch')
    .filter((other) => other.id === id && other.number < number)
    .map((other) => other.body['secrets'])
    .findLast(isList);
  if (!isList(body['secrets']) || body['secrets'].length > 0 || (sent ?? []).length === 0) return false;
  return !wereSecretsShown(facts, id, beganMs);
}

/**
 * True if a request empties the list of secrets after somebody else did, lists show no secrets, and no answer has shown
 * any or none since.
 */
function emptiesUnseen(facts: Facts, { id, beganMs, dealtMs, body }: Dealt): boolean {
  if (!isList(body['secrets']) || body['secrets'].length > 0) return false;
  const last = facts
    .changesOf(id)
    .findLast(
      ({ atMs, before, after }) => atMs < dealtMs && differsUnder(before?.content, after?.content, 'secrets'),
    );
  if (last === undefined || last.request !== undefined) return false;
  const isTold = facts
    .looksAt(id)
    .some((look) => look.beganMs >= last.atMs && look.endedMs <= beganMs && isList(look.item['secrets']));
  return !isTold && !wereSecretsShown(facts, id, beganMs, ['list']);
}

/**
 * True if a request empties the list of secrets that an earlier process announced before it died, and no look has ever
 * shown any. The announced request may have set them.
 */
function emptiesAnnounced(facts: Facts, { id, beganMs, body }: Dealt): boolean {
  if (!isList(body['secrets']) || body['secrets'].length > 0 || wereSecretsShown(facts, id, beganMs))
    return false;
  const startMs = facts.chronicle.lastStartMs(0, beganMs);
  return facts
    .boundTo(id, beganMs)
    .flatMap((key) => facts.versionsWithin(key, 0, startMs))
    .some(({ status }) => status?.pendingWrite?.paths?.includes('secrets') === true);
}

/**
 * True if a request empties the list of secrets, and no look can tell yet that it is empty: the earlier request that
 * emptied it has no recorded answer, or is unseen, and lists show no secrets; or an earlier request left the list out,
 * its answer does not show it as empty, and its window is still open. If lists never showed what was sent, the end of
 * the window proves nothing, nor does that answer, unless an earlier one showed secrets that its request left out.
 */
function emptiesUnproven(facts: Facts, { id, beganMs, number, body }: Dealt): boolean {
  if (!isList(body['secrets']) || body['secrets'].length > 0) return false;
  const earlier = facts.dealtWith('patch').filter((other) => other.id === id && other.number < number);
  const sent = earlier.findLast((other) => isList(other.body['secrets']));
  const isSame = sent !== undefined && leavesOfBody({ secrets: sent.body['secrets'] ?? [] }).size === 0;
  const wereListed = wereSecretsShown(facts, id, beganMs, ['list']);
  if (isSame && !wereListed && (!wasRecorded(facts, sent) || isUnseen(facts, sent, beganMs))) return true;
  const newest = earlier.at(-1);
  if (newest === undefined || newest.body['secrets'] !== undefined) return false;
  const answer = facts.looksAt(id).find((look) => look.via === 'answer' && look.request === newest.number);
  const shown = answer?.item['secrets'];
  const isUnlisted = sent !== undefined && !isSame && !wereListed;
  const isShownEmpty = isList(shown) && shown.length === 0;
  // An answer may show a block as empty because its request left the block out.
  if (isUnlisted && !(isShownEmpty && showsWhatIsLeftOut(facts, earlier))) return true;
  return (isUnlisted || !isShownEmpty) && newest.dealtMs > beganMs - TIMES.windowMs;
}

/** True if an answer to one of some requests shows secrets that the request left out. */
function showsWhatIsLeftOut(facts: Facts, requests: readonly Dealt[]): boolean {
  return requests.some(
    ({ id, number, body }) =>
      body['secrets'] === undefined &&
      facts
        .looksAt(id)
        .some(
          ({ via, request, leaves }) =>
            via === 'answer' &&
            request === number &&
            [...leaves.keys()].some((path) => isIn('secrets', path)),
        ),
  );
}

/**
 * True if a request was accepted without an answer that shows anything of it, made no revision, and its window was over
 * at a time: only a list can tell what it did.
 */
function isUnseen(facts: Facts, asked: Dealt, atMs: number): boolean {
  const { id, number, beganMs } = asked;
  const madeRevision = facts
    .changesOf(id)
    .some(
      ({ request, before, after }) =>
        request === number && before?.revisions.at(-1)?.id !== after?.revisions.at(-1)?.id,
    );
  const answer = facts.looksAt(id).find((look) => look.via === 'answer' && look.request === number);
  const isTold = answer !== undefined && !showsNothingOf(asked, answer);
  return !isTold && !madeRevision && beganMs - TIMES.announcedMs + TIMES.windowMs <= atMs;
}

/** True if the answer to a request shows the deployment. */
function isAnswered(facts: Facts, { id, number }: Dealt): boolean {
  return facts.looksAt(id).some(({ via, request }) => via === 'answer' && request === number);
}

function wereSecretsShown(
  facts: Facts,
  id: string,
  untilMs: number,
  by: readonly Look['via'][] = ['list', 'answer'],
): boolean {
  return facts
    .looksAt(id)
    .some(
      ({ via, endedMs, leaves }) =>
        by.includes(via) &&
        endedMs <= untilMs &&
        [...leaves.keys()].some((path) => path.startsWith('secrets.')),
    );
}

/** True if the newest list shows an item that a list in the request leaves out, although the item is deleted. */
function isListedStill(facts: Facts, { id, beganMs, body }: Dealt): boolean {
  const newest = facts.looksAt(id).findLast((look) => look.endedMs <= beganMs && look.via === 'list');
  const sent = leavesOfBody(body);
  return LISTS.some(
    (list) =>
      Array.isArray(body[list]) &&
      [...(newest?.leaves.keys() ?? [])].some((path) => path.startsWith(`${list}.`) && !sent.has(path)),
  );
}

/**
 * True if the newest list whose pass has ended does not show the value of an earlier request, although it began after
 * the window of that request, and no older revision shows its age.
 */
function isShownByLateList(
  facts: Facts,
  { id, beganMs, dealtMs, number }: Dealt,
  path: string,
  value: WireJson,
): boolean {
  const kept = facts
    .leafChanges(id, path)
    .findLast(({ atMs, request }) => request !== number && atMs <= dealtMs);
  const sent = facts.exchanges.find((exchange) => exchange.number === kept?.request);
  const lists = facts.looksAt(id).filter((look) => look.via === 'list' && facts.passEndMs(look) <= beganMs);
  const [before, newest] = lists.slice(-2);
  if (sent === undefined || newest === undefined) return false;
  const isOlder = newest.item['latest_revision_id'] !== before?.item['latest_revision_id'];
  return (
    newest.beganMs >= sent.beganMs + TIMES.windowMs && !isOlder && !alike(newest.leaves.get(path), value)
  );
}

/**
 * True if the newest list that had to show the stored value does not, or if no list ever did. For a window after our
 * write its answer counts, and no list has to show it.
 */
function isHidden(
  facts: Facts,
  { id, beganMs, dealtMs, number }: Dealt,
  path: string,
  value: WireJson,
): boolean {
  const lists = facts.looksAt(id).filter((look) => look.endedMs <= beganMs && look.via === 'list');
  // A field that no list ever shows may still be set.
  if (isEmpty(value) && !facts.wasListed(path, beganMs)) return true;
  if (answersOtherwise(facts, { id, beganMs }, path, value)) return true;
  if (askedOtherwise(facts, { id, beganMs, number }, path, value)) return true;
  if (mayBeEmptiedSince(facts, { id, beganMs, number }, path)) return true;
  const kept = facts
    .leafChanges(id, path)
    .findLast(({ atMs, request }) => request !== number && atMs <= dealtMs);
  const sinceMs = (kept?.atMs ?? 0) + (kept?.request === undefined ? 0 : TIMES.windowMs);
  const newest = lists.findLast((look) => look.beganMs >= sinceMs);
  const shows = (look: Look | undefined): boolean => alike(look?.leaves.get(path) ?? null, value);
  if (newest !== undefined) return !shows(newest);
  // Within the window, one list may show our write and the next one the state before it, and so may the answer.
  const answer = facts.looksAt(id).find((look) => look.via === 'answer' && look.request === kept?.request);
  return !lists.some(shows) || (answer !== undefined && !shows(answer) && !shows(lists.at(-1)));
}

const isIn = (list: (typeof LISTS)[number], path: string): boolean => path.startsWith(`${list}.`);

/**
 * True for a window after a request of ours for another value, or for a list without the item. Neither its answer nor a
 * list then proves that the service kept its own value.
 */
function askedOtherwise(
  facts: Facts,
  { id, beganMs, number }: Pick<Dealt, 'id' | 'beganMs' | 'number'>,
  path: string,
  value: WireJson,
): boolean {
  return facts.dealtWith('patch').some((other) => {
    const isRecent = other.number < number && other.dealtMs > beganMs - TIMES.windowMs;
    const asked = leavesOfBody(other.body);
    const isAsked = asked.has(path) || LISTS.some((list) => isList(other.body[list]) && isIn(list, path));
    return isRecent && other.id === id && isAsked && !alike(asked.get(path), value);
  });
}

/**
 * True for a window after a request that leaves out the list of a secret, if our newest list leaves out the secret too
 * and the service kept it: the request may empty what it leaves out, and a list may be older than the request. False if
 * the request changes something that may need a revision, and the newest list shows the new revision of its answer:
 * that list is no older.
 */
function mayBeEmptiedSince(
  facts: Facts,
  { id, beganMs, number }: Pick<Dealt, 'id' | 'beganMs' | 'number'>,
  path: string,
): boolean {
  const earlier = facts.dealtWith('patch').filter((other) => other.id === id && other.number < number);
  const [ours, newest] = [earlier.findLast(({ body }) => isList(body['secrets'])), earlier.at(-1)];
  if (!isIn('secrets', path) || ours === undefined || newest === undefined || ours === newest) return false;
  if (leavesOfBody(ours.body).has(path) || newest.dealtMs <= beganMs - TIMES.windowMs) return false;
  const looks = facts.looksAt(id);
  const revisionIn = (look: Look | undefined): WireJson => look?.item['latest_revision_id'] ?? null;
  const listBy = (ms: number): Look | undefined =>
    looks.findLast(({ via, endedMs }) => via === 'list' && endedMs <= ms);
  const answered = revisionIn(
    looks.find(({ via, request }) => via === 'answer' && request === newest.number),
  );
  const isMade = answered !== null && answered !== revisionIn(listBy(newest.beganMs));
  return !isMade || !changesRevision(facts, newest) || answered !== revisionIn(listBy(beganMs));
}

/** True if a request changes something that may need a revision. */
function changesRevision(facts: Facts, { id, number }: Dealt): boolean {
  return facts
    .changesOf(id)
    .filter(({ request }) => request === number)
    .some(({ before, after }) =>
      OF_REVISIONS.some((block) => differsUnder(before?.content, after?.content, block)),
    );
}

/**
 * True for a window after an answer with another value that no list shows. Such lists may be older than the answer,
 * which counts until then.
 */
function answersOtherwise(
  facts: Facts,
  { id, beganMs }: Pick<Dealt, 'id' | 'beganMs'>,
  path: string,
  value: WireJson,
): boolean {
  const looks = facts.looksAt(id).filter((look) => look.endedMs <= beganMs);
  const answer = looks.findLast(({ via }) => via === 'answer');
  const answered = answer?.leaves.get(path);
  if (answer === undefined || answered === undefined || alike(answered, value)) return false;
  if (beganMs >= answer.endedMs + TIMES.windowMs) return false;
  return !looks.some((look) => look.beganMs >= answer.endedMs && alike(look.leaves.get(path), answered));
}

/**
 * True if an earlier request asked for the same, and neither its answer nor a later list shows the value as it was
 * sent.
 */
function isUnproven(
  facts: Facts,
  { id, number, beganMs }: Dealt,
  leaves: readonly (readonly [string, WireJson])[],
): boolean {
  const asked = facts.dealtWith('patch').filter((other) => other.id === id && other.number < number);
  return leaves.some(([path, value]) => {
    const first = asked.find(({ body }) => alike(leavesOfBody(body).get(path) ?? null, value));
    if (first === undefined) return false;
    const since = facts
      .looksAt(id)
      .filter((look) => look.beganMs >= first.beganMs && look.endedMs <= beganMs);
    return !since.some((look) => alike(look.leaves.get(path), value));
  });
}

/** Returns the generations of the resources that a request may be for. */
function generationsAt(facts: Facts, { id, beganMs }: Dealt): readonly (number | undefined)[] {
  return facts.boundTo(id, beganMs).map((key) => facts.versionAt(key, beganMs)?.object?.metadata.generation);
}
