import { keyText } from '../../../src/api/metadata.ts';
import { isWireObject } from '../../../src/simulator/values/wire-values.ts';
import type { Exchanged } from './chronicle.ts';
import { type Facts, type Look, TIMES } from './facts.ts';
import { alike, isEmpty, leavesOfBody, leavesOfContent } from './leaves.ts';

type Dealt = Exchanged & { readonly dealtMs: number };

/**
 * True if a person removed a value, no look showed that before our request that left the value out or asked to empty
 * it, and the answer and every later list lack it, as if the service had emptied it. If no answer shows the block, a
 * list has to prove it. It can if the request left out another text of the block as well, and that text stays.
 */
export function isTakenMeanwhile(
  facts: Facts,
  id: string,
  { path, editMs, beforeMs }: { readonly path: string; readonly editMs: number; readonly beforeMs: number },
): boolean {
  return facts
    .dealtWith('patch')
    .some(
      (request) => request.id === id && request.beganMs < beforeMs && hides(facts, request, path, editMs),
    );
}

/** True if a person removed a value at or under a path in such a way before a time. */
export function wasTakenMeanwhile(facts: Facts, id: string, path: string, beforeMs: number): boolean {
  return facts.changesOf(id).some(({ atMs, request, before, after }) => {
    if (request !== undefined || atMs > beforeMs || before === undefined || after === undefined) return false;
    const [had, has] = [leavesOfContent(before.content), leavesOfContent(after.content)];
    return [...had.keys()].some(
      (leaf) =>
        (leaf === path || leaf.startsWith(`${path}.`) || path === '') &&
        isEmpty(has.get(leaf)) &&
        isTakenMeanwhile(facts, id, { path: leaf, editMs: atMs, beforeMs }),
    );
  });
}

function hides(facts: Facts, request: Dealt, path: string, editMs: number): boolean {
  const { id, number, beganMs, endedMs = beganMs } = request;
  const asked = leavesOfBody(request.body);
  if (asked.has(path) && !isEmpty(asked.get(path))) return false;
  const looks = facts.looksAt(id);
  const since = looks.filter((look) => look.beganMs >= editMs && look.endedMs <= beganMs);
  // A look was made in time, and a lagging list or replica still showed the value.
  const agedMs = repeatsRevision(request) ? TIMES.lookMs : lookAgeMs(facts, request);
  if (editMs < beganMs - agedMs && since.length === 0) return false;
  // A look that ends when the request leaves may be too late: the write may have been announced before.
  const newest = [since.findLast((look) => look.endedMs < beganMs), since.at(-1)];
  if (newest.every((look) => look?.leaves.has(path) === false)) return false;
  const answer = looks.find((look) => look.via === 'answer' && look.request === number);
  const [block = ''] = path.split('.');
  const tells =
    answer !== undefined &&
    (block === 'secrets' || isWireObject(answer.item[block])) &&
    !isFromBefore(facts, request, answer) &&
    !showsNothingOf(request, answer);
  if (tells && answer.leaves.has(path)) return false;
  if (tells && editMs <= endedMs) return true;
  // An answer that lacks values which still exist only repeats the request.
  const isUnseen = editMs <= endedMs + TIMES.windowMs || areListsOlder(facts, request, editMs);
  return isUnseen && !hasNeighbour(facts, request, path);
}

/** True if lists were read after the request and before an edit, and all of them show what the request emptied. */
function areListsOlder(facts: Facts, request: Dealt, editMs: number): boolean {
  const lists = facts
    .looksAt(request.id)
    .filter(({ via, beganMs, endedMs }) => via === 'list' && beganMs >= request.dealtMs && endedMs <= editMs);
  return lists.length > 0 && lists.every((list) => isFromBefore(facts, request, list, list.beganMs));
}

/** True if all connections had learned that omitted fields stay, and none sends whole bodies. */
function isBelievedKept({ chronicle: { connections } }: Facts, atMs: number): boolean {
  const known = connections.filter((version) => version.atMs <= atMs);
  const newest = new Map(known.map(({ key, object }) => [keyText(key), object]));
  return [...newest.values()].every((connection) => {
    const isKept = connection?.status?.learned?.omittedFields?.verdict === 'Keep';
    return isKept && connection.spec.patch?.bodies !== 'Full';
  });
}

/**
 * Returns how old the newest look may be when a request leaves that is no redeploy. A request with values of others needs
 * a recent look, and so does one that leaves values out while the service may empty them. Any other may rest on the sweep.
 */
export function lookAgeMs(facts: Facts, request: Dealt): number {
  const needsLook = !isBelievedKept(facts, request.beganMs) || carriesOthers(facts, request);
  return needsLook ? TIMES.lookMs : TIMES.pollMs;
}

/** True for a request with values of others: a whole part, or reported values. */
function carriesOthers(facts: Facts, { id, body, beganMs }: Dealt): boolean {
  const asked = [...leavesOfBody(body)];
  const isWhole = asked.some(([path]) => path.startsWith('source_config.resource_spec'));
  if (isWhole || body['secrets'] !== undefined || body['secret_references'] !== undefined) return true;
  const reports = facts
    .boundTo(id, beganMs)
    .flatMap((key) => facts.versionsWithin(key, beganMs, beganMs))
    .some(({ spec }) => spec.driftPolicy === 'Report');
  return reports && asked.some(([path]) => path.startsWith(REVISION_BLOCK));
}

const REVISION_BLOCK = 'source_revision_config.';

/** True for a request that repeats the values of the revision block as the service has them, as a redeploy does. */
function repeatsRevision({ body, found }: Dealt): boolean {
  const held = found === undefined ? undefined : leavesOfContent(found);
  const revision = [...leavesOfBody(body)].filter(([path]) => path.startsWith(REVISION_BLOCK));
  return revision.length > 0 && revision.every(([path, value]) => alike(held?.get(path), value));
}

/** True if a look shows a value that the request left out, and that the service no longer has at `atMs`. */
function isFromBefore(facts: Facts, request: Dealt, look: Look, atMs = request.dealtMs): boolean {
  const asked = leavesOfBody(request.body);
  const kept = facts.chronicle.stateAt(request.id, atMs);
  if (request.found === undefined || kept === undefined) return false;
  const [had, has] = [leavesOfContent(request.found), leavesOfContent(kept.content)];
  return [...look.leaves.keys()].some(
    (leaf) => !asked.has(leaf) && !isEmpty(had.get(leaf)) && isEmpty(has.get(leaf)),
  );
}

/** True if an answer shows every value that the request changed as it was before: it may be the state before the request. */
export function showsNothingOf({ body, found }: Dealt, { item, leaves }: Look): boolean {
  if (found === undefined) return false;
  const had = leavesOfContent(found);
  const isBlockShown = (block = ''): boolean => isWireObject(item[block]) || !isEmpty(item[block]);
  const changed = [...leavesOfBody(body)].filter(
    ([path, value]) => isBlockShown(path.split('.')[0]) && !alike(had.get(path), value),
  );
  return changed.length > 0 && changed.every(([path]) => alike(leaves.get(path), had.get(path)));
}

/**
 * True if the service keeps another text of the block that lists show, which the request left out and a look had shown
 * to its process: what an earlier process read died with it. If a person changed that text last, and no look before the
 * request shows the change, then for the operator the text may be as new as the loss.
 */
function hasNeighbour(facts: Facts, request: Dealt, path: string): boolean {
  const [block = ''] = path.split('.');
  const asked = leavesOfBody(request.body);
  const kept = facts.chronicle.stateAt(request.id, request.dealtMs);
  const leaves = kept === undefined ? [] : [...leavesOfContent(kept.content)];
  const earlier = facts.chronicle.lastRequests.findLast((number) => number < request.number) ?? 0;
  const looks = facts.looksAt(request.id);
  const lists = looks.filter(({ via }) => via === 'list');
  const read = looks.filter((look) => look.request > earlier && look.endedMs <= request.beganMs);
  const isChangedUnseen = (leaf: string): boolean => {
    const changes = facts.leafChanges(request.id, leaf).filter(({ atMs }) => atMs <= request.dealtMs);
    const last = changes.at(-1);
    if (last === undefined || last.request !== undefined) return false;
    return !read.some((look) => look.beganMs >= last.atMs && alike(look.leaves.get(leaf), last.after));
  };
  return leaves.some(
    ([leaf, value]) =>
      leaf !== path &&
      leaf.startsWith(`${block}.`) &&
      !asked.has(leaf) &&
      typeof value === 'string' &&
      value !== '' &&
      read.some((look) => look.leaves.has(leaf)) &&
      lists.some((list) => list.leaves.has(leaf)) &&
      !isChangedUnseen(leaf),
  );
}
