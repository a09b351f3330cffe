import type { WireJson } from '../../../../src/wire/wire-json.ts';
import { type Dealt, type Facts, type Look, TIMES } from '../facts.ts';
import type { ExcuseName, Finding } from '../finding.ts';
import { isTakenMeanwhile } from '../taken-meanwhile.ts';
import { alike, isEmpty, isUnder, leavesOfBody, leavesOfContent } from '../leaves.ts';

const RULE = 'a request changes only what a spec asks for';

/** The longest time that a request may lag behind the spec that asked for its values. */
const SPEC_MS = 12_000;

/** The longest time that a rotation waits for other rotations. */
const DEBOUNCE_MS = 30_000;

/**
 * A PATCH may change a value, compared with the stored one when the service carried the request out, only if a spec
 * asks for the value, or if it restores a value that an earlier request of ours had removed without being asked.
 */
export function foreignValues(facts: Facts): readonly Finding[] {
  return facts.dealtWith('patch').flatMap((request) => {
    const shown = leavesOfBody(request.shownBefore ?? {});
    const held = request.found === undefined ? new Map<string, WireJson>() : leavesOfContent(request.found);
    return [...leavesOfBody(request.body)].flatMap(([path, value]) => {
      const isSecret = path.startsWith('secrets.');
      // A mask that is sent back as a value is a change, although it equals the shown value.
      if (alike(value, held.get(path)) || (!isSecret && alike(value, shown.get(path)))) return [];
      if (isAsked(facts, request, path, value) || isRestored(facts, request, path, value)) return [];
      const text = `PATCH ${request.number} sets ${path} from ${said(held.get(path))} to ${said(value)}, which no spec asks for`;
      return [{ rule: RULE, atMs: request.beganMs, text, excuse: excuseFor(facts, request, path, value) }];
    });
  });
}

function isAsked(facts: Facts, request: Dealt, path: string, value: WireJson): boolean {
  const fromMs = request.beganMs - (path.startsWith('secrets.') ? DEBOUNCE_MS : SPEC_MS);
  return facts
    .boundTo(request.id, request.beganMs)
    .flatMap((key) => facts.askedWithin(key, path, fromMs, request.beganMs))
    .some((asked) => alike(asked, value));
}

/**
 * True if our own requests removed what this one puts back, no spec had asked for that, and no person changed it since.
 */
function isRestored(facts: Facts, request: Dealt, path: string, value: WireJson): boolean {
  const changes = facts.leafChanges(request.id, path).filter(({ atMs }) => atMs <= request.dealtMs);
  const last = changes.findLast(({ request: by }) => by !== request.number);
  if (last?.request === undefined || !alike(last.before, value)) return false;
  const taker = facts.dealtWith('patch').find(({ number }) => number === last.request);
  return isEmpty(last.after) || (taker !== undefined && !isAsked(facts, taker, path, last.after ?? null));
}

/**
 * True if our own requests emptied a value, and looks showed it only in the form that this one puts back. A list without
 * a revision does not count after one with a revision: it is older than all of them, and a person may have changed the
 * value since. A lagging list may show the value even after it was emptied. It counts if it shows a newer state.
 */
function isRestoredAsShown(facts: Facts, request: Dealt, path: string, value: WireJson): boolean {
  const changes = facts.leafChanges(request.id, path).filter(({ atMs }) => atMs <= request.dealtMs);
  const last = changes.findLast(({ request: by }) => by !== request.number);
  if (last?.request === undefined || !isEmpty(last.after)) return false;
  const known = facts.looksAt(request.id).filter(({ endedMs }) => endedMs <= request.beganMs);
  const looks = known.filter(({ endedMs }) => endedMs <= last.atMs);
  const isMade = ({ item }: Look): boolean => typeof item['latest_revision_id'] === 'string';
  // A partial answer that names no revision is not from before the first one.
  const isFirst = ({ via, item }: Look): boolean => via === 'list' && item['latest_revision_id'] === null;
  const newest = looks.findLast(
    (look, at) => look.leaves.has(path) && !(isFirst(look) && looks.slice(0, at).some(isMade)),
  );
  if (newest === undefined || alike(newest.leaves.get(path), last.before)) return false;
  const late = known.findLast(
    ({ via, endedMs, leaves }) => via === 'list' && endedMs > last.atMs && !isEmpty(leaves.get(path)),
  );
  const isShownBy = ({ leaves }: Look): boolean => alike(leaves.get(path), value);
  return isShownBy(newest) || (late !== undefined && updatedMs(late) > updatedMs(newest) && isShownBy(late));
}

/** The time of the last change that a look names; NaN if it names none. */
function updatedMs({ item: { updated_at: updated } }: Look): number {
  return typeof updated === 'string' ? Date.parse(updated) : Number.NaN;
}

/**
 * True if the newest look shows the value, and the stored value has not changed since. The service shows it differently
 * now because of an edit of something else: it shows a branch as the commit of the newest revision, by any author.
 */
function isShownOtherwiseSince(facts: Facts, request: Dealt, path: string, value: WireJson): boolean {
  const { id, beganMs, dealtMs, number } = request;
  const newest = facts.looksAt(id).findLast((look) => look.endedMs <= beganMs);
  if (newest === undefined || newest.beganMs < beganMs - TIMES.lookMs) return false;
  const changes = facts.leafChanges(id, path).filter(({ request: by }) => by !== number);
  const isKept = changes.every(({ atMs }) => atMs < newest.beganMs || atMs > dealtMs);
  // A value that was once stored in this form is an older state, not another spelling.
  const isOlder = changes.some(({ before }) => alike(before, value));
  return isKept && !isOlder && alike(newest.leaves.get(path), value);
}

function excuseFor(facts: Facts, request: Dealt, path: string, value: WireJson): ExcuseName | undefined {
  const { id, beganMs } = request;
  if (isRestoredAsShown(facts, request, path, value)) return 'no look shows the value as it is kept';
  if (isShownOtherwiseSince(facts, request, path, value)) return 'edited after the last look';
  if (facts.isFromLateList(request, path, value)) return 'a list lags beyond the window';
  if (isSentOnceMore(facts, request, path, value)) return 'the outcome was unknown';
  if (isGoneInAllLooks(facts, request, path, value)) return 'no look has shown it';
  const theirs = facts
    .leafChanges(id, path)
    .findLast(({ atMs, request: by }) => by === undefined && atMs <= request.dealtMs);
  if (theirs === undefined) return undefined;
  const recent = facts.looksAt(id).filter((look) => look.endedMs <= beganMs && look.beganMs >= theirs.atMs);
  // A slow look is in time if the pass over the list ended in time.
  const fresh = recent.filter((look) => facts.passEndMs(look) >= beganMs - TIMES.lookMs);
  // If lists never show the block, a list without the field proves nothing about it.
  const isInSpec = isUnder(path, SPEC);
  const isInBlock = (leaf: string): boolean =>
    isInSpec ? isUnder(leaf, SPEC) : leaf.split('.')[0] === path.split('.')[0];
  const isListed = facts
    .looksAt(id)
    .some(({ via, leaves }) => via === 'list' && [...leaves.keys()].some(isInBlock));
  const shows = (look: Look): boolean => {
    const { via, leaves } = look;
    return (
      (isListed || via !== 'list') &&
      alike(leaves.get(path), theirs.after) &&
      !mayHideMap(facts, id, path, look)
    );
  };
  // No decision rests on a page before the pass over the list ends. A look that ends as the request leaves is too late
  // for a request that was announced after an earlier look.
  const isTooLate = (look: Look): boolean =>
    facts.passEndMs(look) === beganMs && wasLookedAtBefore(facts, request);
  const ended = recent.filter((look) => facts.passEndMs(look) <= beganMs && !isTooLate(look));
  const wasShown = ended.some((look) => shows(look) && !mayBeOlder(facts, id, path, look));
  const isAfterLook = theirs.atMs >= beganMs - TIMES.lookMs || isFromSlowPass(facts, request, theirs.atMs);
  if (isAfterLook && !wasShown) return 'edited after the last look';
  // A look was made in time, and it did not show the edit.
  const newest = recent.filter((look) => look.beganMs >= beganMs - TIMES.windowMs / 2);
  if (fresh.some((look) => newest.includes(look)) && !newest.some(shows)) return 'no look has shown it';
  const taken = { path, editMs: theirs.atMs, beforeMs: beganMs };
  return isTakenMeanwhile(facts, id, taken) ? 'taken away while a write left it out' : undefined;
}

/** True if a look of the same process ended before a request left, and not longer before than an announcement takes. */
function wasLookedAtBefore(facts: Facts, { id, beganMs }: Dealt): boolean {
  const startMs = facts.chronicle.lastStartMs(0, beganMs);
  const looks = facts.looksAt(id).filter((look) => look.beganMs >= startMs);
  const ends = looks.map((look) => facts.passEndMs(look));
  return ends.some((endMs) => endMs < beganMs && endMs >= beganMs - TIMES.announcedMs);
}

/** True if the newest look is from before an edit, and is a page of a pass over the list that ended in time. */
function isFromSlowPass(facts: Facts, { id, beganMs }: Dealt, editMs: number): boolean {
  const newest = facts.looksAt(id).findLast((look) => look.endedMs <= beganMs);
  if (newest?.via !== 'list' || newest.beganMs > editMs) return false;
  const endMs = facts.passEndMs(newest);
  return endMs <= beganMs && endMs >= beganMs - TIMES.lookMs;
}

/**
 * True if an earlier request of ours emptied the value, and no look since then shows another one: another client set
 * one and removed it, and no look shows that.
 */
function isGoneInAllLooks(
  facts: Facts,
  { id, beganMs, number }: Dealt,
  path: string,
  value: WireJson,
): boolean {
  const taken = facts
    .leafChanges(id, path)
    .findLast(({ request, atMs }) => request !== undefined && request !== number && atMs <= beganMs);
  if (taken === undefined || !isEmpty(taken.after)) return false;
  const looks = facts.looksAt(id).filter(({ endedMs }) => endedMs <= beganMs);
  const newest = looks.findLast(({ endedMs, leaves }) => endedMs <= taken.atMs && leaves.has(path));
  // The operator knows the value only in the form that looks show.
  if (!alike(taken.before, value) && !alike(newest?.leaves.get(path), value)) return false;
  const since = looks.filter((look) => look.beganMs >= taken.atMs);
  // A lagging list shows the value as lists showed it before, perhaps in another form.
  const known = [
    value,
    ...looks.filter(({ endedMs }) => endedMs <= taken.atMs).map(({ leaves }) => leaves.get(path)),
  ];
  const isGone = ({ leaves }: Look): boolean => !leaves.has(path);
  return (
    since.some(isGone) &&
    since.every((look) => isGone(look) || known.some((one) => alike(look.leaves.get(path), one)))
  );
}

/**
 * True if no look has shown the value since exactly one earlier request of ours for it. The operator repeats such a
 * repair once.
 */
function isSentOnceMore(facts: Facts, request: Dealt, path: string, value: WireJson): boolean {
  const { id, beganMs, number } = request;
  const shown = facts
    .looksAt(id)
    .filter(({ endedMs, leaves }) => endedMs <= beganMs && alike(leaves.get(path), value));
  // A lagging replica may show the value from before its loss.
  const wasShownSince = ({ beganMs: sentMs, dealtMs }: Dealt): boolean =>
    shown.some((look) => look.endedMs >= sentMs && !(updatedMs(look) < dealtMs));
  const earlier = facts
    .dealtWith('patch')
    .filter((one) => one.id === id && one.number < number && !wasShownSince(one))
    .filter(({ body }) => alike(leavesOfBody(body).get(path), value));
  return earlier.length === 1;
}

/** Maps whose keys have several owners. */
const SPEC = 'source_config.resource_spec';

const SHARED_MAP = /^source_config\.resource_spec\.(?:labels|annotations)\./;

/**
 * True for a list within the window of our request that lacks a key of a shared map, and also a key that the request
 * set. It may be older than the request, or hide the map.
 */
function mayHideMap(facts: Facts, id: string, path: string, look: Look): boolean {
  const [map] = SHARED_MAP.exec(path) ?? [];
  if (map === undefined || look.via !== 'list' || look.leaves.has(path)) return false;
  const own = facts
    .dealtWith('patch')
    .findLast((one) => one.id === id && one.dealtMs <= look.beganMs && leavesOfBody(one.body).has(path));
  if (own?.found === undefined || look.beganMs >= own.dealtMs + TIMES.windowMs) return false;
  const held = leavesOfContent(own.found);
  return [...leavesOfBody(own.body)].some(
    ([leaf, value]) =>
      leaf.startsWith(map) && !alike(held.get(leaf), value) && !alike(look.leaves.get(leaf), value),
  );
}

/**
 * True for a list within the window of our request that shows the values and the revision from before it. It looks like
 * an older list, although somebody set the same values since.
 */
function mayBeOlder(facts: Facts, id: string, path: string, look: Look): boolean {
  const own = facts
    .leafChanges(id, path)
    .findLast(({ atMs, request }) => request !== undefined && atMs <= look.beganMs);
  if (own === undefined || look.via !== 'list' || look.beganMs >= own.atMs + TIMES.windowMs) return false;
  const revisions = facts.chronicle.stateAt(id, own.atMs - 1)?.revisions.map((revision) => revision.id);
  const isKnown = revisions?.some((revision) => revision === look.item['latest_revision_id']) === true;
  return isKnown && alike(look.leaves.get(path), own.before);
}

function said(value: WireJson | undefined): string {
  return JSON.stringify(value) ?? 'absent';
}
